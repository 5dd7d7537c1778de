// SPDX-License-Identifier: Apache-2.0

/// Those of eight parts that are added one by one.
struct OddParts {
    /// The first of the eight in ``EdgePartList``.
    let first: Int32
    /// A bit for each of them, the first one's lowest.
    let lanes: UInt32
}
