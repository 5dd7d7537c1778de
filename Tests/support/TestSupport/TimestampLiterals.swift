// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// In tests a number is an instant, in microseconds.
extension Timestamp: ExpressibleByIntegerLiteral {
    public init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }
}
