// SPDX-License-Identifier: Apache-2.0
import CLibevdev
public import Geometry

/// An event as the kernel reports it (`struct input_event`), with the time as one number.
public struct InputEvent: Equatable, Hashable, Sendable {
    /// The kernel's time on the device's clock. May repeat or run backwards in recordings.
    public var time: Timestamp
    /// ``EventCode/typeSyn`` etc.; unknown types are ignored.
    public var type: UInt16
    public var code: UInt16
    public var value: Int32

    public init(time: Timestamp, type: UInt16, code: UInt16, value: Int32) {
        self.time = time
        self.type = type
        self.code = code
        self.value = value
    }

    init(_ raw: input_event) {
        self.init(
            time: Timestamp(microseconds: Int64(raw.time.tv_sec) &* 1_000_000 &+ Int64(raw.time.tv_usec)),
            type: raw.type,
            code: raw.code, value: raw.value)
    }

    /// Whether the event ends a report: all events since the report before belong together.
    public var isSynReport: Bool { type == EventCode.typeSyn && code == EventCode.synReport }
    /// Whether the kernel's buffer overran: events up to the end of the next report are incomplete.
    public var isSynDropped: Bool { type == EventCode.typeSyn && code == EventCode.synDropped }
}

/// The kernel's event types, codes and values used here (linux/input-event-codes.h), in the width of the events.
public enum EventCode {
    public static let typeSyn = UInt16(EV_SYN)
    public static let typeKey = UInt16(EV_KEY)
    public static let typeAbs = UInt16(EV_ABS)
    public static let typeMsc = UInt16(EV_MSC)

    public static let synReport = UInt16(SYN_REPORT)
    public static let synMTReport = UInt16(SYN_MT_REPORT)
    public static let synDropped = UInt16(SYN_DROPPED)

    public static let buttonLeft = UInt16(BTN_LEFT)
    public static let toolPen = UInt16(BTN_TOOL_PEN)
    public static let toolRubber = UInt16(BTN_TOOL_RUBBER)
    public static let toolBrush = UInt16(BTN_TOOL_BRUSH)
    public static let toolPencil = UInt16(BTN_TOOL_PENCIL)
    public static let toolAirbrush = UInt16(BTN_TOOL_AIRBRUSH)
    public static let toolFinger = UInt16(BTN_TOOL_FINGER)
    public static let toolMouse = UInt16(BTN_TOOL_MOUSE)
    public static let toolLens = UInt16(BTN_TOOL_LENS)
    public static let touch = UInt16(BTN_TOUCH)
    public static let stylus = UInt16(BTN_STYLUS)

    public static let absX = UInt16(ABS_X)
    public static let absY = UInt16(ABS_Y)
    public static let absZ = UInt16(ABS_Z)
    public static let absRX = UInt16(ABS_RX)
    public static let absPressure = UInt16(ABS_PRESSURE)
    public static let absDistance = UInt16(ABS_DISTANCE)
    /// ABS_MT_SLOT - 1. No touch device has it, but a gamepad that claims the whole range of axes does: libevdev's test
    /// for a device that only resembles multitouch.
    public static let absReserved = UInt16(ABS_MT_SLOT) - 1
    public static let mtSlot = UInt16(ABS_MT_SLOT)
    public static let mtTouchMajor = UInt16(ABS_MT_TOUCH_MAJOR)
    public static let mtTouchMinor = UInt16(ABS_MT_TOUCH_MINOR)
    public static let mtWidthMajor = UInt16(ABS_MT_WIDTH_MAJOR)
    public static let mtWidthMinor = UInt16(ABS_MT_WIDTH_MINOR)
    public static let mtPositionX = UInt16(ABS_MT_POSITION_X)
    public static let mtPositionY = UInt16(ABS_MT_POSITION_Y)
    public static let mtToolType = UInt16(ABS_MT_TOOL_TYPE)
    public static let mtTrackingID = UInt16(ABS_MT_TRACKING_ID)
    public static let mtPressure = UInt16(ABS_MT_PRESSURE)
    public static let mtDistance = UInt16(ABS_MT_DISTANCE)
    public static let lastKey = UInt16(KEY_MAX)
    public static let lastAbs = UInt16(ABS_MAX)

    public static let mscSerial = UInt16(MSC_SERIAL)

    public static let toolTypeFinger = Int32(MT_TOOL_FINGER)
    public static let toolTypePen = Int32(MT_TOOL_PEN)
    public static let toolTypePalm = Int32(MT_TOOL_PALM)

    public static let propertyPointer = UInt16(INPUT_PROP_POINTER)
    public static let propertyDirect = UInt16(INPUT_PROP_DIRECT)
    public static let propertyAccelerometer = UInt16(INPUT_PROP_ACCELEROMETER)
    public static let lastProperty = UInt16(INPUT_PROP_MAX)
}
