// SPDX-License-Identifier: Apache-2.0

/// One event as the kernel reports it (`struct input_event`), with the time in one number.
public struct InputEvent: Equatable, Hashable, Sendable {
    /// When the kernel saw it, in microseconds of the device's clock. May repeat or run backwards in recordings.
    public var microseconds: Int64
    /// ``EventCode/typeSyn`` and its like; unknown ones are harmless.
    public var type: UInt16
    public var code: UInt16
    public var value: Int32

    public init(microseconds: Int64, type: UInt16, code: UInt16, value: Int32) {
        self.microseconds = microseconds
        self.type = type
        self.code = code
        self.value = value
    }

    /// Whether this ends a report: everything since the one before belongs together.
    public var isSynReport: Bool { type == EventCode.typeSyn && code == EventCode.synReport }
    /// Whether the kernel's buffer overran: what follows, up to the next report's end, is incomplete.
    public var isSynDropped: Bool { type == EventCode.typeSyn && code == EventCode.synDropped }
}
