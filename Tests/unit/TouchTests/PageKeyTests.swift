// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Geometry
import Testing

@testable import Touch

@Suite("Keys of keyboards, keypads and switches")
struct PageKeyTests {
    private static let pressed: Int32 = 1
    private static let repeated: Int32 = 2

    /// Presses keys one after another.
    private struct Typist {
        var keys: PageKeys
        var now = Timestamp(microseconds: 1_000_000)

        init(_ use: KeyUse = .keys, pause: Duration? = nil) {
            var settings = KeySettings()
            settings.use = use
            settings.pause = pause ?? settings.pause
            keys = PageKeys(settings)
        }

        mutating func type(
            _ code: Int32, after pause: Duration = .milliseconds(150), value: Int32 = pressed, isShifted: Bool = false
        ) -> PageKey? {
            now += pause
            let event = InputEvent(time: now, type: EventCode.typeKey, code: UInt16(code), value: value)
            return keys.key(event, isShifted: isShifted)
        }
    }

    @Test(
        "keys have the meanings that are printed on them",
        arguments: [
            (KEY_TAB, PageKey.next), (KEY_ENTER, .press), (KEY_KPENTER, .press), (KEY_SPACE, .press), (KEY_UP, .up),
            (KEY_KP8, .up), (KEY_KP2, .down), (KEY_KP4, .left), (KEY_RIGHT, .right), (KEY_PAGEDOWN, .pageDown),
            (KEY_HOME, .start), (KEY_KP1, .end), (KEY_KPPLUS, .larger), (KEY_MINUS, .smaller),
            (KEY_RIGHTBRACE, .larger), (KEY_F1, .speech), (KEY_HELP, .speech),
        ])
    func meanings(code: Int32, key: PageKey) {
        var typist = Typist()
        #expect(typist.type(code) == key)
        #expect(typist.type(code, value: 0) == nil)
    }

    @Test("letters and digits do nothing, and Shift turns Tab round")
    func others() {
        var typist = Typist()
        for code in [KEY_A, KEY_5, KEY_KP5, KEY_ESC, KEY_LEFTSHIFT, KEY_F2] { #expect(typist.type(code) == nil) }
        #expect(typist.type(KEY_LEFTSHIFT) == nil)
        #expect(typist.type(KEY_TAB, after: .zero, isShifted: true) == .previous)
    }

    @Test("a key that is held counts once", arguments: [KeyUse.keys, .twoSwitches, .oneSwitch])
    func held(use: KeyUse) {
        var typist = Typist(use)
        #expect(typist.type(KEY_DOWN) != nil)
        for _ in 0..<9 { #expect(typist.type(KEY_DOWN, value: Self.repeated) == nil) }
    }

    @Test("a longer pause keeps a hand that shakes from pressing twice")
    func pause() {
        var typist = Typist(pause: .milliseconds(500))
        #expect(typist.type(KEY_TAB, after: .seconds(1)) == .next)
        #expect(typist.type(KEY_TAB, after: .milliseconds(499)) == nil)
        #expect(typist.type(KEY_TAB, after: .milliseconds(500)) == .next)
    }

    @Test("a scanner's code with Enter presses nothing", arguments: [0, 1, 8, 20])
    func scanner(milliseconds: Int) {
        for code in [[KEY_4, KEY_0, KEY_0], [KEY_KP4, KEY_KP8, KEY_TAB]] {
            var typist = Typist()
            _ = typist.type(code[0])
            for key in code.dropFirst() + [KEY_ENTER] {
                #expect(typist.type(key, after: .milliseconds(milliseconds)) == nil)
            }
            #expect(typist.type(KEY_ENTER) == .press)
        }
    }

    @Test("with two switches Enter presses and any other key goes on, with one any key presses, without none does")
    func switches() {
        var two = Typist(.twoSwitches)
        #expect(two.type(KEY_SPACE) == .next && two.type(KEY_A) == .next && two.type(KEY_ENTER) == .press)
        var one = Typist(.oneSwitch)
        #expect(one.type(KEY_SPACE) == .press && one.type(KEY_A) == .press)
        var none = Typist(.none)
        #expect(none.type(KEY_ENTER) == nil)
    }

    @Test("a switch that bounces counts once")
    func bounces() {
        var typist = Typist(.oneSwitch)
        #expect(typist.type(KEY_SPACE) == .press)
        #expect(typist.type(KEY_SPACE, after: .milliseconds(3)) == nil)
        #expect(typist.type(KEY_SPACE, after: .milliseconds(3)) == nil)
        #expect(typist.type(KEY_SPACE, after: .milliseconds(300)) == .press)
    }

    @Test("a keyboard or a keypad has the keys; a power button, a mouse or a touch screen is none")
    func devices() {
        func device(_ keys: Int32...) -> DeviceDescription { DeviceDescription(keys: Set(keys.map { UInt16($0) })) }
        #expect(device(KEY_ENTER, KEY_A, KEY_TAB).isKeyboard && device(KEY_KP1, KEY_KPENTER).isKeyboard)
        #expect(device(KEY_SPACE).isKeyboard)
        #expect(!device(KEY_POWER).isKeyboard && !device(BTN_LEFT, BTN_RIGHT).isKeyboard)
        var screen = DeviceDescription.multitouch(slots: 5)
        screen.keys.insert(UInt16(KEY_ENTER))
        #expect(!screen.isKeyboard)
    }
}
