// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// Decodes bytes into events of two devices, mostly plausible ones.
///
/// The first byte is the kind of the first device (`EventChecks`). Each step then has a byte with the kind of the step
/// (low nibble) and the milliseconds since the previous step (high nibble), followed by the bytes of its numbers.
struct EventStream {
    enum Step {
        /// An event of this device.
        case event(InputEvent, device: Int)
        /// The device is queried for its state.
        case resynchronise(DeviceState, device: Int, ignoringContactsDown: Bool)
        /// The device is unplugged and plugged in again.
        case replugged(device: Int)
    }

    private static let axes: [UInt16] = [
        EventCode.mtSlot, EventCode.mtTrackingID, EventCode.mtPositionX, EventCode.mtPositionY, EventCode.mtToolType,
        EventCode.mtDistance, EventCode.mtTouchMajor, EventCode.mtTouchMinor, EventCode.mtPressure, EventCode.absX,
        EventCode.absY, EventCode.absPressure, EventCode.absDistance,
    ]
    private static let keys: [UInt16] = [EventCode.touch, EventCode.toolPen, EventCode.toolRubber, EventCode.stylus]

    private var rest: ArraySlice<UInt8>
    private var now: Int64 = 1_000_000

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    private mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    private mutating func word() -> Int32 {
        (0..<4).reduce(0) { number, _ in number << 8 | Int32(byte()) }
    }

    private mutating func long() -> Int64 { Int64(word()) << 32 | Int64(UInt32(bitPattern: word())) }

    /// The next step; nil at the end.
    mutating func next() -> Step? {
        guard let code = rest.popFirst() else { return nil }
        now &+= Int64(code >> 4) * 1000
        func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> InputEvent {
            InputEvent(time: Timestamp(microseconds: now), type: type, code: code, value: value)
        }
        switch code & 0xF {
        case 0, 1: return .event(event(EventCode.typeSyn, EventCode.synReport, 0), device: Int(code & 1))
        case 2:
            let what = byte()
            let number = what & 2 == 0 ? EventCode.synDropped : EventCode.synMTReport
            return .event(event(EventCode.typeSyn, number, 0), device: Int(what & 1))
        case 3, 4:
            let key = byte()
            let number = Self.keys[Int(key >> 1) % Self.keys.count]
            return .event(event(EventCode.typeKey, number, Int32(key & 1)), device: Int(code & 0xF) - 3)
        case 5, 6:
            let axis = Self.axes[Int(byte()) % Self.axes.count]
            return .event(event(EventCode.typeAbs, axis, Int32(Int8(bitPattern: byte()))), device: Int(code & 0xF) - 5)
        case 7, 8:
            let axis = Self.axes[Int(byte()) % Self.axes.count]
            let value = Int32(byte()) << 8 | Int32(byte())
            return .event(event(EventCode.typeAbs, axis, value), device: Int(code & 0xF) - 7)
        case 9:
            let axis = Self.axes[Int(byte()) % Self.axes.count]
            return .event(event(EventCode.typeAbs, axis, word()), device: 0)
        case 10:
            now = long()
            return next()
        case 11:
            let (type, code) = (UInt16(byte()), UInt16(truncatingIfNeeded: word()))
            return .event(event(type, code, word()), device: Int(byte() & 1))
        case 12, 13:
            let flags = byte()
            let slots = (0..<Int(flags & 7)).map { _ in
                let id = byte()
                return DeviceState.Slot(
                    trackingID: id < 8 ? Int32(id) : nil, x: Int32(byte()), y: Int32(byte()),
                    distance: Int32(id & 3), toolType: Int32(byte() & 3))
            }
            let state = DeviceState(
                slots: slots, currentSlot: Int(Int8(bitPattern: byte())), isTouching: flags & 8 != 0,
                isPenNear: flags & 16 != 0, isRubberNear: flags & 32 != 0,
                otherPen: flags & 128 != 0 ? .brush : nil)
            return .resynchronise(state, device: Int(code & 1), ignoringContactsDown: flags & 64 != 0)
        case 14: return .replugged(device: Int(byte() & 1))
        default:
            now &+= Int64(word())
            return next()
        }
    }
}
