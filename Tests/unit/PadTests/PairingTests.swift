// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Raster
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("A program asks to be paired")
struct PairingTests {
    private static let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let request = PairingRequest(name: "till-3", digits: "012345", key: key)

    private func ask(_ pad: inout PadDriver) -> CallID {
        let call = pad.call(.pair(Self.request), .askedBy(.gateway))
        // Earlier touches are ignored.
        pad.now += .milliseconds(500)
        return call
    }

    @Test("the page shows the name and the digits; Allow and Cancel answer, and the idle page comes back")
    func answers() throws {
        for (button, allowed) in [(PageButton.accept, true), (.cancel, false)] {
            var pad = PadDriver()
            let call = ask(&pad)
            #expect(pad.pad.page == .pairing && pad.pad.isCapturing && pad.replies[call] == nil)
            let page = try #require(pad.layout)
            let texts = page.page.texts()
            #expect(texts[0].contains("till-3") && texts[1].filter(\.isNumber) == "012345")
            #expect(page.page.label(of: .accept) == "Allow" && page.buttons.count == 2)
            pad.press(button)
            #expect(pad.replies[call] == [.paired(allowed)] && pad.pad.page == .idle && !pad.pad.isCapturing)
        }
    }

    @Test("the key's digest is shown in groups of four, from left to right in every language")
    func key() throws {
        for language in [MessageTable.Language.english, .arabic] {
            let table = try #require(MessageTable.shipped[language])
            var pad = PadDriver(messages: table)
            _ = ask(&pad)
            let page = try #require(pad.layout).page
            let lines = page.texts { $0.role == .code }
            #expect(lines.first == "\u{2066}SHA-256 47DE Qpj8 HBSa +/TI mW+5 JCeu QeRk m5NM pJWZ G3hS uFU=\u{2069}")
        }
        var pad = PadDriver()
        _ = pad.call(.pair(PairingRequest(name: "till-3", digits: "012345")), .askedBy(.gateway))
        let page = try #require(pad.layout?.page)
        #expect(pad.pad.page == .pairing && page.texts { $0.role == .code }.isEmpty)
    }

    @Test("a contact that leaves the button, or is lost, answers nothing")
    func slips() throws {
        var pad = PadDriver()
        let call = ask(&pad)
        let place = try #require(pad.layout?.element(of: .accept)?.rect)
        let (x, y) = (Double(place.minX + 5), Double(place.minY + 5))
        pad.touch(.began, x, y)
        pad.touch(.moved, 1, 1)
        pad.touch(.ended, 1, 1)
        pad.touch(.began, x, y)
        pad.touch(.retired, x, y)
        pad.touch(.ended, x, y)
        #expect(pad.replies[call] == nil && pad.pad.page == .pairing)
        let states = pad.rendered.compactMap {
            if case .button(.accept, let state) = $0 { state.isPressed } else { nil }
        }
        #expect(states == [true, false, true, false])
    }

    @Test("a pairing does not interrupt somebody who draws on the sketch, nor the page after a capture")
    func drawing() throws {
        let tools = try #require(SketchTools(colors: [.black]))
        var pad = PadDriver(sketch: SketchSettings(tools: tools, clearsOnDoubleTap: false))
        pad.touch(.began, 300, 200)
        let early = pad.call(.pair(Self.request), .askedBy(.gateway))
        pad.touch(.ended, 300, 200)
        pad.now += .seconds(9)
        let late = pad.call(.pair(Self.request), .askedBy(.gateway))
        #expect(pad.replies[early] == [.failed(.busy(with: nil))] && pad.replies[late] == [.failed(.busy(with: nil))])
        #expect(pad.pad.page == .sketch)
        pad.now += .seconds(2)
        // Somebody begins to draw while the page is being laid out.
        pad.laysOut = false
        let meanwhile = pad.call(.pair(Self.request), .askedBy(.gateway))
        pad.touch(.began, 300, 200)
        pad.layOut()
        #expect(pad.replies[meanwhile] == [.failed(.busy(with: nil))] && pad.pad.page == .sketch)
        pad.laysOut = true
        pad.touch(.ended, 300, 200)
        pad.now += .microseconds(10_000_001)
        _ = pad.call(.pair(Self.request), .askedBy(.gateway))
        #expect(pad.pad.page == .pairing)
    }

    @Test("a finger that was on its way when the page appeared presses nothing")
    func surprise() {
        var pad = PadDriver()
        let call = pad.call(.pair(Self.request), .askedBy(.gateway))
        pad.press(.accept)
        #expect(pad.replies[call] == nil && pad.pad.page == .pairing)
        pad.now += .milliseconds(500)
        pad.press(.accept)
        #expect(pad.replies[call] == [.paired(true)])
    }

    @Test("after two minutes it counts as denied")
    func time() {
        var pad = PadDriver()
        let start = pad.now
        let call = ask(&pad)
        pad.now = start + .seconds(119)
        pad.handle(.time)
        #expect(pad.replies[call] == nil && pad.pad.deadline == start + .seconds(120))
        pad.now = start + .seconds(120)
        pad.handle(.time)
        #expect(pad.replies[call] == [.paired(false)] && pad.pad.page == .idle)
    }

    @Test("a capture comes first")
    func capture() {
        var pad = PadDriver()
        let call = ask(&pad)
        let capture = pad.capture()
        #expect(pad.replies[call] == [.paired(false)] && pad.pad.page == .signing)
        let late = ask(&pad)
        #expect(pad.last(late) == .failed(.busy(with: nil)))
        pad.call(.cancel(nil))
        #expect(pad.replies[capture]?.last?.isFinal == true)
    }

    @Test("the page goes with its program, its display and the end of the panel")
    func ends() {
        var pad = PadDriver()
        var call = ask(&pad)
        pad.handle(.hostGone(call))
        #expect(pad.pad.page == .idle && pad.replies[call] == nil)
        pad.laysOut = false
        call = ask(&pad)
        pad.handle(.hostGone(call))
        pad.laysOut = true
        pad.layOut()
        #expect(pad.pad.page == .idle && pad.replies[call] == nil)
        call = ask(&pad)
        pad.handle(.stop)
        #expect(pad.replies[call] == [.paired(false)])
    }

    @Test("a second one, a fourth in a minute, and one that the configuration does not allow are refused")
    func limits() {
        var pad = PadDriver()
        func isUnavailable(_ call: CallID) -> Bool {
            if case .failed(.unavailable) = pad.last(call) { true } else { false }
        }
        _ = ask(&pad)
        let second = ask(&pad)
        #expect(isUnavailable(second))
        pad.press(.cancel)
        for _ in 0..<2 {
            _ = ask(&pad)
            pad.press(.cancel)
        }
        let fourth = ask(&pad)
        #expect(isUnavailable(fourth) && pad.pad.page == .idle)
        pad.now += .seconds(60)
        _ = ask(&pad)
        #expect(pad.pad.page == .pairing)

        var settings = PadDriver.settings(policy: PadDriver.policy)
        settings.allowsPairing = false
        pad.pad = Pad(settings, screen: PadDriver.screen(PadDriver.size))
        pad.handle(.devices(["touch"], [PadDriver.device]))
        let other = ask(&pad)
        #expect(isUnavailable(other))
    }

    @Test("every language has a short page that fits the smallest screens")
    func languages() throws {
        for (_, messages) in MessageTable.shipped {
            var pad = PadDriver(messages: messages)
            pad.size = PixelSize(width: 320, height: 240)
            pad.handle(.display(PadDriver.screen(pad.size)))
            pad.handle(.displayShows)
            let call = ask(&pad)
            #expect(
                pad.pad.page == .pairing,
                "\(String(describing: messages.language)): \(String(describing: pad.last(call)))")
        }
    }
}

@Suite("The pad shows what identifies it")
struct IdentityPageTests {
    private static let fingerprint = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"
    private static let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func ask(_ pad: inout PadDriver, key: String? = nil) -> CallID {
        pad.tellsKey = false
        let call = pad.call(.identify(gatewayKey: key))
        pad.tellKey(Self.fingerprint)
        // Earlier touches are ignored.
        pad.now += .milliseconds(500)
        return call
    }

    @Test("the page has the name, the fingerprint in groups, the program and the gateway's key")
    func texts() throws {
        var pad = PadDriver()
        let call = ask(&pad, key: Self.key)
        #expect(pad.pad.page == .identity && pad.pad.isCapturing && pad.replies[call] == nil)
        let page = try #require(pad.layout)
        #expect(
            page.page.texts() == [
                "Identity of this device", "till-3",
                "\u{2066}SHA256: 47DE Qpj8 HBSa +/TI mW+5 JCeu QeRk m5NM pJWZ G3hS uFU\u{2069}",
                "\u{2066}inkpanel test\u{2069}",
                "\u{2066}SHA-256 47DE Qpj8 HBSa +/TI mW+5 JCeu QeRk m5NM pJWZ G3hS uFU=\u{2069}",
            ])
        #expect(page.buttons.count == 1)
        pad.press(.cancel)
        #expect(pad.replies[call] == [.done] && pad.pad.page == .idle && !pad.pad.isCapturing)
    }

    @Test("a page whose fonts lack a character of a name, or a face that tells its characters apart, is not shown")
    func missingGlyphs() throws {
        var pad = PadDriver()
        let missing = MissingGlyphs(text: MissingGlyphs.page, characters: ["U+1F600"])
        pad.missing = [missing, MissingGlyphs(text: "labels", characters: ["U+4E00"])]
        let identity = pad.call(.identify(gatewayKey: nil))
        let pairing = pad.call(.pair(PairingRequest(name: "till-3", digits: "012345")))
        for call in [identity, pairing] { #expect(pad.replies[call] == [.failed(.missingGlyphs([missing]))]) }
        #expect(pad.pad.page == .idle)
    }

    @Test("a panel without seals and a gateway shows its name and program")
    func withoutKeys() throws {
        var pad = PadDriver()
        _ = pad.call(.identify(gatewayKey: nil))
        #expect(
            pad.pad.page == .identity
                && pad.layout?.page.texts()
                    == ["Identity of this device", "till-3", "\u{2066}inkpanel test\u{2069}"]
        )
    }

    @Test("it goes after a minute, with its host, and for a capture")
    func ends() {
        var pad = PadDriver()
        let start = pad.now
        let call = ask(&pad)
        #expect(pad.pad.deadline == start + .seconds(60))
        pad.now = start + .seconds(60)
        pad.handle(.time)
        #expect(pad.replies[call] == [.done] && pad.pad.page == .idle)

        let gone = ask(&pad)
        pad.handle(.hostGone(gone))
        #expect(pad.pad.page == .idle && pad.replies[gone] == nil)

        let replaced = ask(&pad)
        let capture = pad.capture()
        #expect(pad.replies[replaced] == [.done] && pad.pad.page == .signing)
        let late = ask(&pad)
        #expect(pad.last(late) == .failed(.busy(with: nil)))
        pad.call(.cancel(nil))
        #expect(pad.replies[capture]?.last?.isFinal == true)
    }

    @Test("a key that is told too late, or for another call, shows nothing")
    func lateKey() {
        var pad = PadDriver()
        pad.tellsKey = false
        let call = pad.call(.identify(gatewayKey: nil))
        pad.handle(.stored(.key(CallID(99), fingerprint: Self.fingerprint)))
        #expect(pad.pad.page == .idle)
        pad.capture()
        #expect(pad.replies[call] == [.done] && pad.pad.page == .signing)
        pad.tellKey(Self.fingerprint)
        #expect(pad.pad.page == .signing && pad.replies[call] == [.done])
    }

    @Test("it and a pairing exclude each other")
    func pairing() {
        func isUnavailable(_ reply: PadReply?) -> Bool { if case .failed(.unavailable) = reply { true } else { false } }
        var pad = PadDriver()
        let request = PairingRequest(name: "till-3", digits: "012345")
        _ = ask(&pad)
        let refused = pad.call(.pair(request))
        #expect(isUnavailable(pad.last(refused)) && pad.pad.page == .identity)
        pad.press(.cancel)
        pad.call(.pair(request))
        let second = ask(&pad)
        #expect(isUnavailable(pad.last(second)) && pad.pad.page == .pairing)
    }

    @Test("the page fits the smallest screens in every language")
    func languages() {
        for (_, messages) in MessageTable.shipped {
            var pad = PadDriver(messages: messages)
            pad.size = PixelSize(width: 320, height: 240)
            pad.handle(.display(PadDriver.screen(pad.size)))
            pad.handle(.displayShows)
            let call = ask(&pad, key: Self.key)
            #expect(
                pad.pad.page == .identity,
                "\(String(describing: messages.language)): \(String(describing: pad.last(call)))")
        }
    }
}
