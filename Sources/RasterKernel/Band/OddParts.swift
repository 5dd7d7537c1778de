// SPDX-License-Identifier: Apache-2.0

/// Those of eight parts that are added one by one.
struct OddParts {
    /// The first of the eight in ``EdgePartList``.
    let first: Int32
    /// A bit for each lane, the first one's lowest; ``DepositBlock/part(ofLane:)`` tells whose.
    let lanes: UInt32
}
