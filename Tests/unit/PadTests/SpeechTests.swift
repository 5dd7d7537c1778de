// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Pages that are read aloud, and touches that read them")
struct SpeechTests {
    private static let question = CaptureQuestion(name: "q", kind: .choice, text: "How?", choices: ["x", "y"])
    private static let message = MessageTable(.english)

    /// A pad with a headset, and a capture for somebody who does not see.
    private func spoken(
        _ flow: CaptureFlow = CaptureFlow(), prompt: [String] = ["Order 7"], isReady: Bool = true,
        fields: [Field] = [], assistance: Set<Assistance> = [.speech]
    ) -> FlowDriver {
        var pad = FlowDriver(fields: fields)
        if isReady { pad.handle(.speech(.ready(true, isPlugged: false))) }
        pad.call(flow, prompt: prompt, assistance: assistance)
        return pad
    }

    private func place(_ pad: FlowDriver, _ label: String) -> Point {
        let place = pad.pad.description.controls.first { $0.label == label }?.place
        return place.map { Point(x: Double($0.x + $0.width / 2), y: Double($0.y + $0.height / 2)) } ?? Point(x: 0, y: 0)
    }

    private func swipe(_ pad: inout FlowDriver, to right: Bool) {
        let (from, to) = right ? (100.0, 300.0) : (300.0, 100.0)
        pad.touch(.began, at: Point(x: from, y: 150))
        pad.now += .milliseconds(80)
        pad.touch(.moved, at: Point(x: to, y: 150))
        pad.touch(.ended, at: Point(x: to, y: 150))
        pad.now += .milliseconds(20)
    }

    /// A finger that comes down and stays.
    private func explore(_ pad: inout FlowDriver, _ point: Point) {
        pad.touch(.began, at: point)
        pad.wait(.milliseconds(300))
        pad.touch(.ended, at: point)
        pad.now += .seconds(1)
    }

    private func quickTap(_ pad: inout FlowDriver, _ point: Point) {
        pad.touch(.began, at: point)
        pad.now += .milliseconds(50)
        pad.touch(.ended, at: point)
        pad.now += .milliseconds(50)
    }

    /// All words of the page, in the order of the page's description.
    private func words(_ description: PageDescription) -> [String] {
        description.texts + (description.document.map { [$0.label] + $0.texts } ?? [])
            + description.controls.map(\.label)
    }

    @Test("what is said of a page is its description: every text and every control, once, and help before the first")
    func wholePage() {
        var pad = spoken(CaptureFlow(questions: [Self.question], declineReasons: []))
        #expect(pad.spoken.first == Self.message[.speechHelp])
        #expect(pad.last?.speech == SpeechState(speaks: true))
        for _ in 0..<2 {
            let said = pad.spoken.filter { $0 != Self.message[.speechHelp] }
            let words = words(pad.pad.description)
            #expect(words.count > 2 && said.count == words.count)
            for (said, word) in zip(said, words) { #expect(said.hasPrefix(word)) }
            pad.handle(.act(.press(page: pad.pad.description.number, control: pad.pad.description.controls[0].id)))
            pad.spoken = []
            let next = pad.pad.description.controls.first { $0.name == "next" }
            pad.handle(.act(.press(page: pad.pad.description.number, control: next?.id ?? -1)))
        }
    }

    @Test("a finger that rests reads what is under it, and draws and presses nothing; a tap on it presses")
    func explore() {
        var pad = spoken(CaptureFlow(questions: [Self.question]))
        pad.spoken = []
        explore(&pad, place(pad, "y"))
        #expect(pad.spoken == ["y, " + Self.message[.speechNotChosen]])
        #expect(pad.pad.description.controls.allSatisfy { $0.isChosen != true })
        explore(&pad, place(pad, "y"))
        #expect(pad.spoken.count == 2)
        quickTap(&pad, place(pad, "y"))
        #expect(pad.pad.description.controls.filter { $0.isChosen == true }.map(\.label) == ["y"])
        #expect(pad.spoken.last == "y, " + Self.message[.speechChosen])
        // A tap elsewhere reads, after the time in which a second one would press.
        quickTap(&pad, place(pad, "x"))
        #expect(pad.spoken.last != "x, " + Self.message[.speechNotChosen])
        pad.wait(.milliseconds(500))
        #expect(pad.spoken.last == "x, " + Self.message[.speechNotChosen])
        #expect(pad.pad.description.controls.filter { $0.isChosen == true }.map(\.label) == ["y"])
    }

    @Test("quick strokes go from item to item, and two quick taps anywhere press")
    func swipes() {
        var pad = spoken(CaptureFlow(questions: [Self.question]))
        let words = words(pad.pad.description)
        pad.spoken = []
        for _ in words { swipe(&pad, to: true) }
        #expect(pad.spoken.count == words.count && zip(pad.spoken, words).allSatisfy { $0.hasPrefix($1) })
        swipe(&pad, to: true)
        #expect(pad.spoken.last == Self.message[.speechRepeat])
        let index = words.firstIndex(of: "x") ?? 0
        for _ in index..<words.count { swipe(&pad, to: false) }
        #expect(pad.spoken.last?.hasPrefix("x") == true)
        for _ in 0..<2 { quickTap(&pad, Point(x: 200, y: 210)) }
        #expect(pad.pad.description.controls.filter { $0.isChosen == true }.map(\.label) == ["x"])
    }

    @Test("a field takes ink only after it was pressed; strokes are counted aloud, and the edge has a tone")
    func field() {
        var pad = spoken()
        #expect(pad.pad.page == .signing)
        pad.sign()
        #expect(pad.pad.running?.strokeCount == 0)
        pad.now += .seconds(1)
        let field = Point(x: 100, y: 150)
        explore(&pad, field)
        #expect(pad.spoken.last?.hasPrefix(Self.message[.signHere]) == true)
        #expect(pad.actions.contains(.speech(.tone(.field, .loud))))
        quickTap(&pad, field)
        #expect(pad.spoken.last == Self.message[.speechWrite])
        for _ in 0..<3 { pad.sign() }
        #expect(pad.pad.running?.strokeCount == 3 && !pad.actions.contains(.speech(.tone(.edge, .loud))))
        pad.wait(.seconds(2))
        #expect(pad.spoken.last == "Strokes: 3")
        pad.touch(.began, at: Point(x: 100, y: 100))
        pad.touch(.moved, at: Point(x: 100, y: 40))
        pad.touch(.moved, at: Point(x: 100, y: 30))
        pad.touch(.ended, at: Point(x: 100, y: 30))
        #expect(pad.actions.filter { $0 == .speech(.tone(.edge, .loud)) }.count == 1)
        pad.wait(.seconds(2))
        // Beside the field, touches read as before.
        explore(&pad, place(pad, "Accept"))
        #expect(pad.spoken.last?.hasPrefix("Accept") == true)
        quickTap(&pad, place(pad, "Accept"))
        #expect(pad.outcome == .accepted)
        #expect(pad.spoken.contains(Self.message[.thanks]))
    }

    @Test("the record has what was read to its end, and not what was cut short")
    func recorded() {
        var pad = spoken(prompt: ["I owe 7 francs"])
        let texts = pad.entries.compactMap { if case .spoken(let text, _) = $0 { text } else { nil } }
        #expect(texts == pad.spoken && texts.contains("I owe 7 francs"))
        pad.speaks = false
        explore(&pad, place(pad, "Accept"))
        explore(&pad, place(pad, "Cancel"))
        #expect(pad.entries.compactMap { if case .spoken(let text, _) = $0 { text } else { nil } } == texts)
        #expect(pad.actions.contains(.speech(.silence)))
    }

    @Test("of a document, every paragraph of the visible pages is read, in its order")
    func document() {
        let pad = spoken(CaptureFlow(document: FlowDriver.read()), prompt: [], fields: [.made(.signature, "S01")])
        #expect(pad.pad.page == .reading)
        let said = pad.spoken
        #expect(said.contains("Text 1") && said.contains { $0.hasPrefix(Self.message[.signHere]) })
    }

    @Test("a long text is read in pieces that lose nothing, and that the record takes")
    func pieces() {
        let marks = "a" + String(repeating: "\u{301}", count: 3000)
        for text in [
            "", "One.", String(repeating: "Word after word, ", count: 100), String(repeating: "x", count: 1000),
            "Line\n\nline\r\nend", String(repeating: "Ja. ", count: 200), String(repeating: "署名。", count: 400),
            String(repeating: "👨‍👩‍👧‍👦", count: 500), String(repeating: "x", count: 100_000),
        ] as [String] {
            let pieces = SpokenText.pieces(of: text)
            #expect(pieces.allSatisfy { $0.unicodeScalars.count <= SpokenText.longestPiece })
            #expect(pieces.allSatisfy { 1...CaptureLimits.spokenByteCount ~= $0.utf8.count })
            func letters(_ text: String) -> [Unicode.Scalar] {
                text.unicodeScalars.filter { !$0.properties.isWhitespace }
            }
            #expect(letters(pieces.joined()) == letters(text))
        }
        #expect(SpokenText.pieces(of: marks).joined().unicodeScalars.count == 11)
        let sentence = String(repeating: "word ", count: 54) + "end. It costs 1.250 francs a month, or so."
        #expect(SpokenText.pieces(of: sentence).map { $0.suffix(4) } == ["end.", " so."])
    }

    @Test(
        "what is not spoken is left out, and what would be a command is a space",
        arguments: [
            ("a\u{1B}[2J\u{0}b", "a [2J b"), ("\u{202E}evil\u{2069}", "evil"), ("Ver\u{AD}trag", "Vertrag"),
            ("<speak>x</speak> -v de", "<speak>x</speak> -v de"),
            ("\u{915}\u{94D}\u{200D}\u{937}", "\u{915}\u{94D}\u{200D}\u{937}"),
        ] as [(String, String)])
    func hostile(text: String, spoken: String) { #expect(SpokenText.pieces(of: text) == [spoken]) }

    @Test("any text and any record: what a pad records of it, a reader takes")
    func recordable() throws {
        var random = SeededGenerator(seed: 7)
        let header = try #require(spoken().header)
        for _ in 0..<200 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...700, using: &random) {
                let value = UInt32.random(in: 0...(Bool.random(using: &random) ? 0x500 : 0x10FFFF), using: &random)
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            let pieces = SpokenText.pieces(of: String(text))
            let record = CaptureRecord(header: header, entries: pieces.map { .spoken($0, microseconds: 0) })
            #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        }
    }

    // MARK: beginning and end

    @Test("without a headset the page and the host are told, and the capture goes on")
    func noHeadset() {
        var pad = spoken(isReady: false)
        #expect(pad.spoken.isEmpty && pad.banner == Self.message[.speechFailed])
        #expect(pad.last?.speech?.speaks == false && pad.last?.speech?.fault?.contains("headset") == true)
        pad.wait(.seconds(7))
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
    }

    @Test("a headset that is pulled out ends speech, with a message; one that is plugged in begins it")
    func pulled() {
        var pad = spoken()
        let id = pad.pad.running?.requested.id
        pad.handle(.speech(.ready(false, isPlugged: false)))
        #expect(pad.last?.speech == SpeechState(speaks: false, fault: "the headset was pulled out"))
        // What was being played has failed, too.
        pad.handle(.speech(.failed(1, reason: "aplay: gone")))
        #expect(pad.last?.speech == SpeechState(speaks: false, fault: "the headset was pulled out"))
        #expect(pad.banner == Self.message[.speechFailed] && pad.pad.running?.requested.id == id)
        pad.spoken = []
        pad.handle(.speech(.ready(true, isPlugged: true)))
        #expect(!pad.spoken.isEmpty && pad.last?.speech == SpeechState(speaks: true))
    }

    @Test(
        "speech begins by a headset before the capture, a key, a finger that rests three seconds, or the configuration")
    func begins() {
        var plugged = FlowDriver()
        plugged.handle(.speech(.ready(true, isPlugged: true)))
        plugged.call(CaptureFlow(), prompt: ["x"])
        #expect(!plugged.spoken.isEmpty)

        var key = spoken(assistance: [])
        #expect(key.spoken.isEmpty)
        key.handle(.key(.speech))
        #expect(!key.spoken.isEmpty)
        key.spoken = []
        key.handle(.key(.speech))
        #expect(key.last?.speech?.speaks == false)
        key.sign()
        #expect(key.spoken.isEmpty && key.pad.running?.strokeCount == 1)

        var finger = spoken(assistance: [])
        finger.touch(.began, at: Point(x: 100, y: 100))
        finger.wait(.seconds(3.1))
        finger.touch(.ended, at: Point(x: 100, y: 100))
        #expect(!finger.spoken.isEmpty && finger.pad.running?.strokeCount == 0)

        var always = FlowDriver()
        always.pad.settings.alwaysSpeaks = true
        always.handle(.speech(.ready(true, isPlugged: false)))
        always.call(CaptureFlow(), prompt: ["x"])
        #expect(!always.spoken.isEmpty)
    }

    @Test("speech ends with the capture: the next person hears nothing")
    func ends() {
        var pad = spoken()
        pad.handle(.call(CallID(2), .cancel(nil), .all))
        pad.wait(.seconds(30))
        #expect(pad.pad.speech == nil)
        pad.spoken = []
        pad.call(CaptureFlow(), prompt: ["next"])
        #expect(pad.spoken.isEmpty && pad.pad.speech == nil)
    }

    @Test("any act silences at once; keys read, repeat, and change loudness and speed in steps")
    func keys() {
        var pad = spoken(CaptureFlow(questions: [Self.question]))
        pad.speaks = false
        pad.handle(.key(.next))
        #expect(pad.spoken.last?.hasPrefix("x") == true)
        pad.handle(.key(.down))
        #expect(pad.spoken.last?.hasPrefix("y") == true && pad.actions.contains(.speech(.silence)))
        pad.handle(.key(.start))
        #expect(pad.spoken.suffix(2).first == pad.spoken.last)
        func last() -> Utterance? {
            for case .speech(.say(let utterance)) in pad.actions.reversed() { return utterance }
            return nil
        }
        for volume in [SpeechVolume.medium, .quiet, .quietest, .quietest] {
            pad.handle(.key(.smaller))
            #expect(last()?.volume == volume)
        }
        pad.handle(.key(.larger))
        #expect(last()?.volume == .quiet)
        pad.handle(.key(.pageDown))
        #expect(last()?.rate == .slow)
        pad.handle(.key(.pageUp))
        #expect(last()?.rate == .usual)
    }

    @Test("a finger that moves within an item hears it once, and again when it comes back")
    func staysInItem() {
        var pad = spoken(CaptureFlow(questions: [Self.question]))
        pad.spoken = []
        pad.touch(.began, at: place(pad, "x"))
        pad.wait(.milliseconds(300))
        for step in 0..<50 {
            pad.now += .milliseconds(50)
            pad.touch(.moved, at: Point(x: 150 + Double(step), y: 10))
        }
        #expect(pad.spoken.count == 1)
        pad.touch(.moved, at: place(pad, "y"))
        pad.touch(.moved, at: place(pad, "x"))
        pad.touch(.ended, at: place(pad, "x"))
        #expect(pad.spoken.map { $0.prefix(1) } == ["x", "y", "x"])
    }

    /// The utterance that waits for its end.
    private func open(_ pad: FlowDriver) -> Utterance? {
        for case .speech(let action) in pad.actions.reversed() {
            if case .say(let utterance) = action { return utterance }
            if action == .silence { return nil }
        }
        return nil
    }

    @Test("the last page stays until all of it was said")
    func lastPage() {
        var pad = spoken()
        explore(&pad, Point(x: 100, y: 150))
        quickTap(&pad, Point(x: 100, y: 150))
        pad.sign()
        pad.wait(.seconds(2))
        explore(&pad, place(pad, "Accept"))
        pad.speaks = false
        quickTap(&pad, place(pad, "Accept"))
        #expect(pad.pad.page == .thanks)
        pad.wait(.seconds(15))
        #expect(pad.pad.page == .thanks && open(pad)?.text == Self.message[.thanks])
        pad.speaks = true
        if let utterance = open(pad) { pad.handle(.speech(.spoken(utterance.number))) }
        #expect(pad.spoken.last == Self.message[.thanksNext])
        pad.wait(.seconds(2))
        #expect(pad.pad.page == .idle && pad.pad.speech == nil)
    }

    @Test("who listens is there: the time without a touch counts from the end of what was said")
    func listening() {
        var pad = spoken()
        pad.speaks = false
        explore(&pad, place(pad, "Accept"))
        for _ in 0..<2 {
            pad.wait(.seconds(35))
            if let utterance = open(pad) { pad.handle(.speech(.spoken(utterance.number))) }
        }
        #expect(pad.outcome == nil && pad.pad.page == .signing)
        pad.wait(.seconds(200))
        #expect(pad.outcome == .timedOut(.inactivity))
    }

    @Test("while the record is being stored, no time is waited for that has passed")
    func saving() {
        let pad = spoken()
        var (speaking, actions) = (Speech(after: 0), [PadAction]())
        var shown = pad.pad.shown
        speaking.update(shown, at: pad.now, Self.message, &actions)
        shown.strokes = 1
        speaking.update(shown, at: pad.now, Self.message, &actions)
        #expect(speaking.deadline == pad.now + Speech.strokePause)
        for _ in 0..<2 { speaking.saySaving(at: pad.now, Self.message, &actions) }
        #expect(speaking.deadline == nil)
        let said = actions.filter {
            if case .speech(.say(let each)) = $0 { each.text == Self.message[.saving] } else { false }
        }
        #expect(said.count == 1)
    }

    @Test("a hand that rests below the field and beside it neither keeps ink away nor presses anything")
    func hand() {
        var pad = spoken()
        explore(&pad, Point(x: 100, y: 150))
        quickTap(&pad, Point(x: 100, y: 150))
        let clear = place(pad, "Accept")
        func touch(_ pad: inout FlowDriver, _ phase: Contact.Phase, _ contact: Int32, _ place: Point) {
            let sample = Sample(time: pad.now, position: place, pressure: nil)
            let event = TouchEvent(phase, contact: contact, sample: sample, reading: DeviceReading(x: 0, y: 0))
            pad.handle(.touch(event, reported: pad.now))
        }
        touch(&pad, .began, 7, clear)
        pad.wait(.seconds(1))
        let said = pad.spoken
        touch(&pad, .began, 8, Point(x: 60, y: 100))
        for step in 1..<20 { touch(&pad, .moved, 8, Point(x: 60 + Double(step) * 5, y: 100)) }
        // The hand bounces.
        touch(&pad, .ended, 7, clear)
        touch(&pad, .began, 9, clear)
        touch(&pad, .ended, 9, clear)
        touch(&pad, .ended, 8, Point(x: 160, y: 100))
        #expect(pad.pad.running?.strokeCount == 1 && pad.outcome == nil && pad.spoken == said)
    }

    @Test("swiping past a page's text turns to the next page, and equal texts do not hold it up")
    func pages() {
        var pad = FlowDriver(pages: 3, fields: [.made(.signature, "S01", page: 3)])
        pad.handle(.speech(.ready(true, isPlugged: false)))
        pad.call(CaptureFlow(document: FlowDriver.read()), assistance: [.speech])
        pad.wait(.seconds(1))
        for _ in 0..<12 {
            swipe(&pad, to: true)
            pad.wait(.seconds(1))
        }
        #expect(pad.pad.description.document?.page == 3)
        for page in 1...3 { #expect(pad.spoken.contains("Text \(page)")) }
        #expect(pad.spoken.contains { $0.contains("3/3") })

        var same = spoken(prompt: ["Total", "a", "Total", "b"])
        same.spoken = []
        for _ in 0..<4 { swipe(&same, to: true) }
        #expect(same.spoken == ["Total", "a", "Total", "b"])
    }

    @Test("a question over the page comes before the rest of what is read, which goes on")
    func goesOn() {
        var pad = spoken(prompt: ["one", "two", "three"])
        pad.speaks = false
        pad.handle(.key(.start))
        #expect(open(pad)?.text == Self.message[.speechHelp])
        pad.wait(.seconds(45))
        #expect(open(pad)?.text == Self.message[.stillThere])
        pad.speaks = true
        if let utterance = open(pad) { pad.handle(.speech(.spoken(utterance.number))) }
        #expect(pad.spoken.suffix(4).contains("three") || pad.spoken.contains("three"))
        #expect(pad.spoken.contains(Self.message[.speechHelp]))
    }

    @Test("the command after the page's items ends speech, and the last answer says that there was some")
    func stopped() {
        var pad = spoken()
        swipe(&pad, to: false)
        #expect(pad.spoken.last == Self.message[.speechStop])
        for _ in 0..<2 { quickTap(&pad, Point(x: 390, y: 5)) }
        #expect(pad.pad.speech == nil && pad.last?.speech?.speaks == false)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted && pad.last?.speech == SpeechState(speaks: false))
    }

    @Test("a hand, or a second finger, is no long touch; nor is a finger on a page with ink")
    func noLongTouch() {
        func touch(_ pad: inout FlowDriver, _ phase: Contact.Phase, _ contact: Int32) {
            let sample = Sample(time: pad.now, position: Point(x: 100 + Double(contact) * 30, y: 215), pressure: nil)
            let event = TouchEvent(phase, contact: contact, sample: sample, reading: DeviceReading(x: 0, y: 0))
            pad.handle(.touch(event, reported: pad.now))
        }
        var hand = spoken(assistance: [])
        for contact: Int32 in 0..<3 { touch(&hand, .began, contact) }
        hand.wait(.seconds(5))
        for contact: Int32 in 0..<3 { touch(&hand, .ended, contact) }
        #expect(hand.pad.speech == nil)
        hand.sign()
        touch(&hand, .began, 1)
        hand.wait(.seconds(5))
        #expect(hand.pad.speech == nil && hand.pad.running?.strokeCount == 1)
    }

    @Test("messages over the page are said, such as the question whether anybody is there")
    func notice() {
        var pad = spoken()
        pad.spoken = []
        pad.press(.accept)
        #expect(pad.spoken.isEmpty)
        explore(&pad, place(pad, "Accept"))
        quickTap(&pad, place(pad, "Accept"))
        #expect(pad.spoken.last == Self.message[.refusedNoInk])
    }
}
