// SPDX-License-Identifier: Apache-2.0
import Geometry
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
        pad.now += 500_000
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
            let line = try #require(pad.layout?.page.texts { $0.role == .detail }.first)
            #expect(line == "\u{2066}SHA-256 47DE Qpj8 HBSa +/TI mW+5 JCeu QeRk m5NM pJWZ G3hS uFU=\u{2069}")
        }
        var pad = PadDriver()
        _ = pad.call(.pair(PairingRequest(name: "till-3", digits: "012345")), .askedBy(.gateway))
        let page = try #require(pad.layout?.page)
        #expect(pad.pad.page == .pairing && page.texts { $0.role == .detail }.isEmpty)
    }

    @Test("a contact that leaves the button, or is lost, answers nothing")
    func slips() throws {
        var pad = PadDriver()
        let call = ask(&pad)
        let place = try #require(pad.layout?.element(of: .accept)?.rect)
        let (x, y) = (Double(place.minX + 5), Double(place.minY + 5))
        pad.touch({ .down($0) }, x, y)
        pad.touch({ .motion($0) }, 1, 1)
        pad.touch({ .up($0) }, 1, 1)
        pad.touch({ .down($0) }, x, y)
        pad.handle(.touchesEnded)
        pad.touch({ .up($0) }, x, y)
        #expect(pad.replies[call] == nil && pad.pad.page == .pairing)
        let states = pad.rendered.compactMap {
            if case .button(.accept, let state) = $0 { state.isPressed } else { nil }
        }
        #expect(states == [true, false, true, false])
    }

    @Test("a finger that was on its way when the page appeared presses nothing")
    func surprise() {
        var pad = PadDriver()
        let call = pad.call(.pair(Self.request), .askedBy(.gateway))
        pad.press(.accept)
        #expect(pad.replies[call] == nil && pad.pad.page == .pairing)
        pad.now += 500_000
        pad.press(.accept)
        #expect(pad.replies[call] == [.paired(true)])
    }

    @Test("after two minutes it counts as denied")
    func time() {
        var pad = PadDriver()
        let start = pad.now
        let call = ask(&pad)
        pad.now = start + 119_000_000
        pad.handle(.time)
        #expect(pad.replies[call] == nil && pad.pad.deadline == start + 120_000_000)
        pad.now = start + 120_000_000
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
        pad.now += 60_000_000
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
