// SPDX-License-Identifier: Apache-2.0

/// Property changes that the kernel makes all together or not at all.
public struct AtomicRequest: Equatable, Sendable {
    public struct Assignment: Equatable, Sendable {
        public let object: UInt32
        public let property: UInt32
        public let value: UInt64
    }

    public private(set) var assignments: [Assignment] = []

    public init() {}

    public mutating func set(_ property: UInt32, of object: UInt32, to value: UInt64) {
        assignments.append(Assignment(object: object, property: property, value: value))
    }
}

/// How a request is carried out (`DRM_MODE_ATOMIC_*`, `DRM_MODE_PAGE_FLIP_EVENT`).
public struct CommitFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Send a completion event.
    public static let event = CommitFlags(rawValue: 0x01)
    /// Only say whether it would work.
    public static let testOnly = CommitFlags(rawValue: 0x0100)
    /// Return before it is on screen; EBUSY while an earlier one is not.
    public static let nonblocking = CommitFlags(rawValue: 0x0200)
    /// The screen may go black for a moment.
    public static let allowModeset = CommitFlags(rawValue: 0x0400)
}
