// SPDX-License-Identifier: Apache-2.0

/// Where the swept rows go: pixels or coverage. Concrete types only, so that the sweep is compiled for each of them.
protocol RowSink {
    /// Begins row `y` of the clip; x below counts from the clip's left side.
    mutating func beginRow(_ y: Int)
    /// One pixel with `area`, 0...``Coverage/full``, of it inked.
    mutating func put(_ area: Int32, x: Int)
    /// `count` pixels of the same area.
    mutating func putRun(_ area: Int32, x: Int, count: Int)
}
