// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Geometry

/// The effect that a key of a keyboard, a keypad or a switch has on the page.
public enum PageKey: Equatable, Sendable, CaseIterable {
    /// The next and the previous control.
    case next, previous
    /// Presses the control.
    case press
    /// Moves a document; on a page without one, goes to the next or the previous control.
    case up, down, left, right
    /// Moves a document.
    case pageUp, pageDown, start, end, larger, smaller
    /// Has pages read aloud, or ends that.
    case speech
}

/// The keys that operate pages.
public enum KeyUse: String, Sendable, CaseIterable {
    /// Those of keyboards and keypads.
    case keys
    /// Enter presses a control, and each other key goes to the next one.
    case twoSwitches = "two-switches"
    /// The pad goes from control to control, and each key presses the one that it shows.
    case oneSwitch = "one-switch"
    case none
}

/// How keyboards operate pages.
public struct KeySettings: Equatable, Sendable {
    public var use = KeyUse.keys
    /// The least time between two keys that count. Scanners of bar codes leave 0 to 20 ms, and people who type fast
    /// leave 100.
    public var pause = Duration.milliseconds(40)
    /// The time for which each control can be pressed, for one switch.
    public var step = Duration.milliseconds(1500)

    public init() {}
}

/// Determines the effects of a device's keys on the page. A value without I/O.
///
/// A scanner of bar codes is a keyboard, too: it types a code and Enter faster than a person can. So a key that comes
/// soon after the one before has no effect, and the end of a code presses nothing. A key that is held counts once:
/// people who cannot release it quickly must not press the next control, too (EN 301 549, 5.7 and 5.8).
package struct PageKeys {
    private let settings: KeySettings
    private var last = Timestamp.distantPast

    package init(_ settings: KeySettings) { self.settings = settings }

    /// - Parameters:
    ///   - event: an event of a keyboard.
    ///   - isShifted: whether a Shift key of it is down.
    /// - Returns: nil if the event has no effect.
    package mutating func key(_ event: InputEvent, isShifted: Bool) -> PageKey? {
        // 0 is a release, and 2 a repetition by the kernel (linux/input.h).
        guard event.type == EventCode.typeKey, event.value == 1, !Self.modifiers.contains(CInt(event.code)) else {
            return nil
        }
        let isSoon = event.time - last < settings.pause
        last = event.time
        if isSoon { return nil }
        return switch settings.use {
        case .none: nil
        case .keys: Self.key(CInt(event.code), isShifted: isShifted)
        case .twoSwitches: Self.presses(CInt(event.code)) ? .press : .next
        case .oneSwitch: .press
        }
    }

    /// The keys that only change the meaning of another key. They have no effect of their own.
    private static let modifiers: Set<CInt> = [
        KEY_LEFTSHIFT, KEY_RIGHTSHIFT, KEY_LEFTCTRL, KEY_RIGHTCTRL, KEY_LEFTALT, KEY_RIGHTALT, KEY_LEFTMETA,
        KEY_RIGHTMETA, KEY_CAPSLOCK, KEY_NUMLOCK,
    ]

    private static func presses(_ code: CInt) -> Bool { [KEY_ENTER, KEY_KPENTER].contains(code) }

    /// The digits of a keypad have the meanings that are printed on them, whether NumLock is on or not: with these keys
    /// only, a page is operated, too.
    private static func key(_ code: CInt, isShifted: Bool) -> PageKey? {
        switch code {
        case KEY_TAB: isShifted ? .previous : .next
        case KEY_ENTER, KEY_KPENTER, KEY_SPACE, KEY_SELECT, KEY_OK: .press
        case KEY_UP, KEY_KP8: .up
        case KEY_DOWN, KEY_KP2: .down
        case KEY_LEFT, KEY_KP4: .left
        case KEY_RIGHT, KEY_KP6: .right
        case KEY_PAGEUP, KEY_KP9: .pageUp
        case KEY_PAGEDOWN, KEY_KP3: .pageDown
        case KEY_HOME, KEY_KP7: .start
        case KEY_END, KEY_KP1: .end
        // The keys of + and - on keyboards of the United States and of Germany.
        case KEY_KPPLUS, KEY_EQUAL, KEY_RIGHTBRACE: .larger
        case KEY_KPMINUS, KEY_MINUS, KEY_SLASH: .smaller
        case KEY_F1, KEY_HELP: .speech
        default: nil
        }
    }
}

extension DeviceDescription {
    /// Whether the device has keys that operate pages: a keyboard, a keypad, a switch that types, a remote control. A
    /// power button or a tablet's row of buttons has none of them.
    package var isKeyboard: Bool {
        guard case .unusable = kind else { return false }
        let operating = [KEY_ENTER, KEY_KPENTER, KEY_SPACE, KEY_TAB, KEY_OK].map { UInt16($0) }
        return !keys.isDisjoint(with: operating)
    }

    /// The Shift keys of a keyboard.
    static let shiftKeys = [UInt16(KEY_LEFTSHIFT), UInt16(KEY_RIGHTSHIFT)]
}
