// SPDX-License-Identifier: Apache-2.0

/// Where the swept rows go: pixels or coverage. Concrete types only, so that the sweep is compiled for each of them.
protocol RowSink {
    associatedtype Row: PixelRow

    /// Row `y` of the picture.
    func row(_ y: Int) -> Row
    /// Where row `y` of the picture and those below it lie.
    func prefetchTarget(_ y: Int) -> PrefetchTarget
}

/// One row: few enough words that it is handed on in registers. x counts from the left of the window, an area is
/// 0...``Coverage/full``.
protocol PixelRow {
    func put(_ area: Int32, x: Int)
    /// Eight pixels.
    func put(_ areas: SIMD8<Int32>, x: Int)
    /// The first `count` of eight pixels. All eight may be written, those beyond with what they are.
    func put(_ areas: SIMD8<Int32>, count: Int, x: Int)
    /// `count` pixels of the same area.
    func putRun(_ area: Int32, x: Int, count: Int)
    /// Goes on to the row below.
    mutating func advance()
}
