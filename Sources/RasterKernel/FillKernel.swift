// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The rasterizer itself. It is compiled for every processor and, from the same sources, for x86-64-v3; both builds
/// draw the same bytes, and `Rasterizer` picks one when the program runs.
///
/// A fill is `begin`, any number of `add`, and one of the `fill` calls. One thread at a time.
public final class FillKernel {
    /// Maximum distance between a curve and its chords, in pixels. At the edge of a round stroke it changes coverage by
    /// one level of 255 on average and by five at most. Half the distance would make 1.4 times as many edges.
    public static let flatteningTolerance = 0.02

    // A pointer avoids the run-time exclusivity checks of class properties.
    private let state: UnsafeMutablePointer<Fill>

    public init() {
        state = .allocate(capacity: 1)
        state.initialize(to: Fill())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    public func begin(clip: PixelRect) { state.pointee.begin(clip: clip) }

    public func add(_ path: borrowing Path, from start: Path.Mark, to end: Path.Mark?) {
        state.pointee.contours.add(path, from: start, to: end)
    }

    public func add(polygon: UnsafeBufferPointer<Point>) { state.pointee.contours.add(polygon: polygon) }

    /// Blends ink over XRGB8888 pixels.
    public func fillXRGB8888(_ rule: FillRule, with ink: (pixel: UInt32, alpha: UInt8), _ memory: PixelMemory) {
        let ink = Ink(pixel: ink.pixel, alpha: ink.alpha)
        // Constant arguments, so that the compiler specializes the fill for each rule.
        switch rule {
        case .nonZero:
            state.pointee.sweep(.nonZero, bounds: memory.bounds) { XRGB8888Sink(ink: ink, memory: memory, left: $0) }
        case .evenOdd:
            state.pointee.sweep(.evenOdd, bounds: memory.bounds) { XRGB8888Sink(ink: ink, memory: memory, left: $0) }
        }
    }

    /// Stores coverage, one byte a pixel. Pixels without ink keep their value.
    public func fillCoverage(_ rule: FillRule, _ memory: PixelMemory) {
        state.pointee.sweep(rule, bounds: memory.bounds) { CoverageSink(memory: memory, left: $0) }
    }
}

/// The state of one fill, reused by the next.
///
/// The fill proceeds from top to bottom in bands of a few rows. For each band, the chains that cross it are walked and
/// leave edge parts and boundaries in its rows; the parts are added to the cells; and the rows are swept. See
/// docs/raster.md.
struct Fill: ~Copyable {
    /// Maximum height of an edge, in rows, for which the error of its slope (2^-25 per unit of height) cannot move the
    /// edge beyond its ends.
    private static let mostRows = 32_768

    private var clip = PixelRect.empty
    var contours = Contours()
    private var active = ActiveChains()
    private var band = Band()
    private var sweep = RowSweep()

    /// - Parameter clip: of any size, but nothing is drawn outside the square in which ``FixedPoint`` is exact.
    mutating func begin(clip: PixelRect) {
        contours.removeAll()
        let limit = FixedPoint.limitPixels
        self.clip = clip.intersection(PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit))
    }

    /// Draws the contours within the clip and `bounds`, and removes them.
    /// - Parameter makeSink: receives the column of the picture that the sink calls x = 0.
    @inline(__always)
    mutating func sweep<Sink: RowSink>(_ rule: FillRule, bounds: PixelRect, _ makeSink: (Int) -> Sink) {
        defer { contours.removeAll() }
        if contours.isEmpty { return }
        let target = clip.intersection(bounds)
        let box = contours.box
        let area = box.intersection(target)
        if area.isEmpty { return }
        let sink = makeSink(area.minX)
        let limit = target.maxX &- area.minX
        let window = Window(area)
        let isClipped = box != area || box.height > Self.mostRows
        band.begin(width: area.width, chains: contours.chainCount)
        active.begin(contours, window, bandBits: band.rowBits)
        var top = 0
        while top < area.height {
            let rows = min(area.height &- top, band.rows)
            let pixels = sink.prefetchTarget(area.minY &+ top)
            if isClipped {
                walkClipped(window, top: top, rows: rows, pixels)
            } else {
                walkInside(window, top: top, rows: rows, pixels)
            }
            sweep.sweep(band, rows: rows, top: area.minY &+ top, width: window.width, rule, limit: limit, sink)
            top &+= rows
        }
    }

    @inline(never)
    private mutating func walkInside(_ window: Window, top: Int, rows: Int, _ pixels: PrefetchTarget) {
        walk(window, top: top, rows: rows, isClipped: false, pixels)
    }

    @inline(never)
    private mutating func walkClipped(_ window: Window, top: Int, rows: Int, _ pixels: PrefetchTarget) {
        walk(window, top: top, rows: rows, isClipped: true, pixels)
    }

    /// Walks the chains through the next rows and adds their areas to the cells.
    @inline(__always)
    private mutating func walk(_ window: Window, top: Int, rows: Int, isClipped: Bool, _ pixels: PrefetchTarget) {
        active.begin(band: top &>> band.rowBits, contours, window, isClipped: isClipped)
        band.clear(active.count, rows: rows, pixels)
        active.walk(&band, contours, window, top: top, rows: rows, isClipped: isClipped)
        band.deposit(width: window.width, isClipped: isClipped)
    }
}
