// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Pad
import Testing

@testable import Speech

/// Two programs in place of espeak-ng and aplay, which note what they are asked.
final class FakeVoice {
    let folder: TemporaryFolder
    private(set) var voice: Voice

    /// - Parameters:
    ///   - speaker: the end of the script that speaks, after it has noted its arguments and its text.
    ///   - player: the script that plays.
    init(speaker: String = "cat \"$0.text\"", player: String = "cat >>\"$0.heard\"") throws {
        folder = try TemporaryFolder(prefix: "inkpanel-speech")
        voice = Voice(.device("rec"))
        voice.speaker = try Self.script(
            folder.path + "/speaker", "echo \"$@\" >>\"$0.arguments\"; cat >\"$0.text\"; " + speaker)
        voice.player = try Self.script(folder.path + "/player", "echo \"$@\" >>\"$0.arguments\"; " + player)
    }

    private static func script(_ path: String, _ text: String) throws -> String {
        try AtomicFile.write(Array("#!/bin/sh\n\(text)\n".utf8), to: path, permissions: 0o700)
        return path
    }

    /// What a script has noted.
    func noted(_ name: String) -> String {
        guard let file = fopen(folder.path + "/" + name, "r") else { return "" }
        defer { fclose(file) }
        var (text, byte) = ([UInt8](), fgetc(file))
        while byte != EOF {
            text.append(UInt8(truncatingIfNeeded: byte))
            byte = fgetc(file)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

@Suite("A text becomes a sound, and the sound is played", .serialized)
struct VoiceTests {
    private func utterance(
        _ text: String, _ number: UInt32 = 1, _ language: MessageTable.Language = .english,
        volume: SpeechVolume = .loud, rate: SpeechRate = .usual
    ) -> Utterance {
        Utterance(number: number, text: text, language: language, volume: volume, rate: rate)
    }

    /// The answers of the thread to actions, until there are as many.
    private func answers(_ count: Int, _ fake: FakeVoice, _ actions: [SpeechAction]) throws -> [SpeechAnswer] {
        let link = try SpeechLink()
        let thread = try SpeechThread.start(fake.voice, link: link)
        link.send(actions)
        var answers: [SpeechAnswer] = []
        let end = MonotonicClock.now + .seconds(20)
        while answers.count < count, MonotonicClock.now < end {
            answers += link.receiveAnswers()
            usleep(5000)
        }
        link.finish()
        thread.join()
        return answers + link.receiveAnswers()
    }

    @Test("the speaker gets the voice, the loudness, the speed and the text, and the player its sound")
    func programs() throws {
        let fake = try FakeVoice()
        #expect(
            try answers(1, fake, [.say(utterance("Grüezi", 7, .german, volume: .quiet, rate: .slow))]) == [.spoken(7)])
        #expect(fake.noted("speaker.arguments") == "-b 1 -v de -a 25 -s 110 --stdin --stdout\n")
        #expect(fake.noted("speaker.text") == "Grüezi" && fake.noted("player.heard") == "Grüezi")
        #expect(fake.noted("player.arguments") == "-q -D rec -\n")
    }

    @Test(
        "espeak-ng's double brackets are no commands",
        arguments: [
            ("[[h@'loU]]", "[ [h@'loU]]"), ("[[[x", "[ [ [x"), ("1/2 \u{B7} Page", "1/2 , Page"),
            ("<speak>x</speak> -v de", "<speak>x</speak> -v de"),
        ] as [(String, String)])
    func hostile(text: String, spoken: String) { #expect(Voice.readable(text) == spoken) }

    @Test("what comes later ends what is being said, which has no answer")
    func interrupted() throws {
        let fake = try FakeVoice(player: "cat >\"$0.heard\"; grep -q long \"$0.heard\" && exec sleep 30; true")
        let link = try SpeechLink()
        let thread = try SpeechThread.start(fake.voice, link: link)
        let begin = MonotonicClock.now
        link.send([.say(utterance("long", 1))])
        while fake.noted("player.heard") != "long" { usleep(5000) }
        link.send([.silence])
        link.send([.say(utterance("short", 2))])
        var answers: [SpeechAnswer] = []
        while answers.isEmpty, MonotonicClock.now - begin < .seconds(20) {
            answers += link.receiveAnswers()
            usleep(5000)
        }
        #expect(answers == [.spoken(2)] && fake.noted("player.heard") == "short")
        link.send([.say(utterance("long", 3))])
        while fake.noted("player.heard") != "long" { usleep(5000) }
        // The end of the program does not wait for what is said.
        link.finish()
        thread.join()
        #expect(MonotonicClock.now - begin < .seconds(25))
    }

    @Test("of several texts at once only the last is said; tones come before it")
    func order() throws {
        let fake = try FakeVoice()
        let link = try SpeechLink()
        for number: UInt32 in 1...3 { link.send([.say(utterance("text \(number)", number))]) }
        link.send([.tone(.field, .loud)])
        let thread = try SpeechThread.start(fake.voice, link: link)
        var answers: [SpeechAnswer] = []
        let end = MonotonicClock.now + .seconds(20)
        while answers.isEmpty, MonotonicClock.now < end { answers += link.receiveAnswers() }
        link.finish()
        thread.join()
        #expect(answers == [.spoken(3)])
        let heard = fake.noted("player.heard")
        #expect(heard.hasPrefix("RIFF") && heard.hasSuffix("text 3") && !heard.contains("text 2"))
    }

    @Test("a program that fails, dies, or is not there is a fault with its name and words")
    func faults() throws {
        let mute = try FakeVoice(speaker: "echo 'no such voice' >&2; exit 1")
        #expect(
            try answers(1, mute, [.say(utterance("x"))])
                == [.failed(1, reason: "\(mute.folder.path)/speaker: no such voice")])
        let deaf = try FakeVoice(player: "echo 'audio open error: No such device' >&2; exit 1")
        #expect(
            try answers(1, deaf, [.say(utterance("x"))])
                == [.failed(1, reason: "\(deaf.folder.path)/player: audio open error: No such device")])
        let killed = try FakeVoice(speaker: "kill -9 $$")
        #expect(try answers(1, killed, [.say(utterance("x"))]).count == 1)
        let whole = try FakeVoice()
        var voice = whole.voice
        #expect(voice.device == "rec")
        voice.player += ".gone"
        #expect(voice.device == nil)
        #expect(Voice(.off).device == nil)
    }

    /// The descriptors of a USB device with an output terminal of this type, between others (USB Audio 1.0, 4.3.2).
    private func descriptors(_ type: UInt16, isControl: Bool = true) -> [UInt8] {
        let terminal: [UInt8] = [9, 0x24, 3, 2, UInt8(type & 0xFF), UInt8(type >> 8), 0, 1, 0]
        let streaming: [UInt8] = [9, 0x24, 3, 1, 1, 1, 0, 2, 0]
        return [18, 1] + [UInt8](repeating: 0, count: 16) + [9, 4, 0, 0, 0, 1, isControl ? 1 : 2, 0, 0] + streaming
            + terminal
    }

    @Test(
        "headphones and headsets are told from loudspeakers by their descriptors",
        arguments: [
            (0x0301, false), (0x0302, true), (0x0303, true), (0x0304, false), (0x0402, true), (0x0403, false),
            (0x0101, false),
        ] as [(UInt16, Bool)])
    func terminals(type: UInt16, isHeadset: Bool) {
        #expect(SoundCards.hasHeadset(descriptors(type)) == isHeadset)
        #expect(!SoundCards.hasHeadset(descriptors(type, isControl: false)))
        // What is cut, or has lengths of nothing, ends the search.
        for count in 0..<descriptors(type).count { _ = SoundCards.hasHeadset(Array(descriptors(type).prefix(count))) }
        #expect(!SoundCards.hasHeadset([0, 0, 0]) && !SoundCards.hasHeadset([9, 4, 0]))
    }

    @Test("the newest USB card that plays and may be used is heard; a loudspeaker is no headset")
    func cards() throws {
        let folder = try TemporaryFolder(prefix: "inkpanel-cards")
        let root = folder.path
        let cards = SoundCards(folder: root + "/class", nodes: root + "/nodes")
        #expect(cards.output { _ in true } == nil)
        for (number, path, pcm, type) in [
            (0, "pci0000:00/0000:00:1f.3/x/sound/card0", "pcmC0D0p", 0x0302),
            (1, "usb1/1-1/1-1:1.0/sound/card1", "pcmC1D0p", 0x0402),
            (2, "usb1/1-2/1-2:1.0/sound/card2", "pcmC2D1p", 0x0301),
            (3, "usb1/1-3/1-3:1.0/sound/card3", "pcmC3D0c", 0x0302),
        ] as [(Int, String, String, UInt16)] {
            let card = root + "/devices/" + path
            try #require(system("mkdir -p \(card)/\(pcm) \(root)/class \(root)/nodes") == 0)
            symlink(card, root + "/class/card\(number)")
            symlink(card + "/" + pcm, root + "/class/" + pcm)
            try AtomicFile.write(descriptors(type), to: card + "/../../../descriptors")
            for node in ["controlC\(number)", pcm] { try AtomicFile.write([], to: root + "/nodes/" + node) }
        }
        #expect(cards.output { $0.isHeadset } == "plughw:1,0" && cards.output { _ in true } == "plughw:2,1")
        // Before udev has set its group.
        unlink(root + "/nodes/controlC1")
        #expect(cards.output { $0.isHeadset } == nil)
    }

    @Test("tones are WAV files of 70 ms a note, 6 dB apart, that begin and end without a click")
    func tones() {
        var peaks: [Int] = []
        for volume in SpeechVolume.allCases {
            for tone in SpeechTone.allCases {
                let file = tone.sound(volume)
                let samples = stride(from: 44, to: file.count, by: 2).map {
                    Int(Int16(bitPattern: UInt16(file[$0]) | UInt16(file[$0 + 1]) << 8))
                }
                #expect(Array(file[..<4]) == Array("RIFF".utf8) && samples.count == (tone == .field ? 2 : 1) * 1543)
                #expect(samples.first == 0 && abs(samples.last ?? 9999) < 40)
                if tone == .field { peaks.append(samples.max() ?? 0) }
            }
        }
        for (quiet, loud) in zip(peaks, peaks.dropFirst()) { #expect(abs(Double(loud) / Double(quiet) - 2) < 0.02) }
    }
}
