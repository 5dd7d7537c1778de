// SPDX-License-Identifier: Apache-2.0

/// Names one call of a host for as long as the program runs; no two calls have the same.
public struct CallID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}
