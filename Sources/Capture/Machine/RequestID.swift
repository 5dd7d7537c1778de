// SPDX-License-Identifier: Apache-2.0

/// Names a host's request. Whoever takes requests from hosts gives each its own and never one twice.
public struct RequestID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}
