// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

/// What must hold for a fill whatever its input. A check that fails traps, which is how the fuzzer hears of it.
struct FuzzChecks: ~Copyable {
    private var rasterizer = Rasterizer()

    init() {}

    mutating func run(_ input: FuzzInput) {
        let whole = coverage(input.rule, clip: input.clip) { input.add(to: &$0) }
        checkPart(input, whole)
        switch input.target {
        case .xrgb8888: checkPixels(input, padding: input.padding, Self.fillXRGB8888)
        case .coverage: checkPixels(input, padding: 0, Self.fillCoverage)
        }
        if input.isPolygons {
            let path = coverage(input.rule, clip: input.clip) { $0.add(input.path) }
            precondition(path == whole, "polygons are not the path with the same lines")
        }
        if !input.hasCurves {
            let reversed = coverage(input.rule, clip: input.clip) { $0.add(input.reversedPath) }
            precondition(reversed == whole, "walked the other way it is not the same")
        }
        if input.isPlain && input.clip.area < 1500 && input.path.points.count < 40 { checkAreas(input, whole) }
    }

    private mutating func coverage(
        _ rule: FillRule, clip: PixelRect, add: (inout Rasterizer) -> Void
    ) -> [UInt8] {
        let buffer = CoverageBuffer(bounds: clip)
        rasterizer.begin(clip: clip)
        add(&rasterizer)
        rasterizer.fill(rule, into: buffer)
        return buffer.bytes
    }

    private mutating func checkPart(_ input: FuzzInput, _ whole: [UInt8]) {
        let part = input.part
        if part.isEmpty { return }
        let bytes = coverage(input.rule, clip: part) { input.add(to: &$0) }
        for y in part.minY..<part.maxY {
            let first = (y - input.clip.minY) * input.clip.width + part.minX - input.clip.minX
            let row = (y - part.minY) * part.width
            precondition(
                bytes[row..<(row + part.width)].elementsEqual(whole[first..<(first + part.width)]),
                "a part is not what the whole shows there")
        }
    }

    /// Of the clip at once, in bands, and a part of it.
    private mutating func checkPixels<Pixel>(
        _ input: FuzzInput, padding: Int, _ fill: (inout Rasterizer, FuzzInput, borrowing FuzzPixels<Pixel>) -> Void
    ) {
        let whole = FuzzPixels<Pixel>(size: input.size, padding: padding)
        draw(input, clip: input.clip, into: whole, fill)
        precondition(whole.isCrop(of: whole, to: input.clip), "a pixel outside the clip has changed")

        let inBands = FuzzPixels<Pixel>(size: input.size, padding: padding)
        // Not ever so many: each is a fill.
        let bandHeight = 1 + max(input.part.height, input.clip.height / 8)
        for y in stride(from: input.clip.minY, to: input.clip.maxY, by: bandHeight) {
            let clip = PixelRect(
                minX: input.clip.minX, minY: y, maxX: input.clip.maxX, maxY: min(y + bandHeight, input.clip.maxY))
            draw(input, clip: clip, into: inBands, fill)
        }
        precondition(inBands.isCrop(of: whole, to: input.clip), "bands are not the whole")

        let part = FuzzPixels<Pixel>(size: input.size, padding: padding)
        draw(input, clip: input.part, into: part, fill)
        precondition(part.isCrop(of: whole, to: input.part), "a part is not a crop of the whole")
    }

    private mutating func draw<Pixel>(
        _ input: FuzzInput, clip: PixelRect, into pixels: borrowing FuzzPixels<Pixel>,
        _ fill: (inout Rasterizer, FuzzInput, borrowing FuzzPixels<Pixel>) -> Void
    ) {
        rasterizer.begin(clip: clip)
        input.add(to: &rasterizer)
        fill(&rasterizer, input, pixels)
    }

    private static func fillXRGB8888(
        _ rasterizer: inout Rasterizer, _ input: FuzzInput, _ pixels: borrowing FuzzPixels<UInt32>
    ) {
        let surface = Surface(base: pixels.base, size: pixels.size, strideBytes: pixels.strideBytes)
        rasterizer.fill(input.rule, with: input.color, into: surface)
    }

    /// A buffer has memory of its own, which ends with its last pixel, too.
    private static func fillCoverage(
        _ rasterizer: inout Rasterizer, _ input: FuzzInput, _ pixels: borrowing FuzzPixels<UInt8>
    ) {
        let buffer = CoverageBuffer(bounds: PixelRect(size: pixels.size))
        let (base, count) = (pixels.base, pixels.count)
        buffer.withUnsafeMutableBytes { $0.update(from: base, count: count) }
        rasterizer.fill(input.rule, into: buffer)
        buffer.withUnsafeMutableBytes { base.update(from: $0, count: count) }
    }

    /// Overlaps are told on a few lines through a pixel, so a single pixel may be well off where many edges cross; a
    /// fill as a whole must not be.
    private func checkAreas(_ input: FuzzInput, _ whole: [UInt8]) {
        var error = CoverageError()
        error.compare(
            whole,
            ReferenceRasterizer.coverage(
                of: input.path.polygons(tolerance: 1), rule: input.rule, bounds: input.clip))
        precondition(error.worst < 100, "a pixel is far from its area")
        precondition(error.count < 40 || error.mean < 8, "the coverage is far from the area")
    }
}
