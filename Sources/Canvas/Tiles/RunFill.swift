// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// Fills pieces of one stroke within a clip, handed over in the order they were drawn: those of a run together, as one
/// shape, and each run over those before.
struct RunFill {
    private let clip: PixelRect
    private let page: Surface
    private let colors: InkColors
    private var open: (run: Int, tone: Tone?)?

    init(clip: PixelRect, of page: Surface, colors: InkColors) {
        self.clip = clip
        self.page = page
        self.colors = colors
    }

    /// What is added from now on is of this run.
    @inline(__always)
    mutating func turn(to run: Int, tone: Tone?, _ rasterizer: inout Rasterizer) {
        if open?.run == run { return }
        finish(&rasterizer)
        rasterizer.begin(clip: clip)
        open = (run, tone)
    }

    /// Adds the pixels of the first of `inked` that are of runs up to this one, and takes those off the list.
    /// - Parameter tile: the pixels that they are bits of.
    mutating func add(
        _ inked: inout ArraySlice<InkedRun>, through run: Int, tile: PixelRect, _ rasterizer: inout Rasterizer
    ) {
        while let first = inked.first, first.run <= run {
            turn(to: first.run, tone: first.tone, &rasterizer)
            var path = Path()
            first.pixels.addContours(to: &path, tile: tile)
            rasterizer.add(path)
            inked.removeFirst()
        }
    }

    /// After the last piece.
    mutating func finish(_ rasterizer: inout Rasterizer) {
        if let open { rasterizer.fill(.nonZero, with: colors[open.tone], into: page) }
        open = nil
    }
}
