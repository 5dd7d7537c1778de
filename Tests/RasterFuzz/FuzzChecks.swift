// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport

/// What must hold for a fill whatever its input. A check that fails traps, which is how the fuzzer hears of it.
struct FuzzChecks: ~Copyable {
    private var rasterizer = Rasterizer()
    private static let canary: UInt32 = 0x5A5A_5A5A

    init() {}

    mutating func run(_ input: FuzzInput) {
        let whole = coverage(of: input.path, input.rule, clip: input.clip)
        checkPart(input, whole)
        checkPixels(input)
        if !input.hasCurves {
            let reversed = coverage(of: input.reversedPolygons, input.rule, clip: input.clip)
            precondition(reversed == whole, "walked the other way it is not the same")
        }
        if input.isPlain && input.clip.area < 1500 && input.path.points.count < 40 { checkAreas(input, whole) }
    }

    private mutating func coverage(of path: Path, _ rule: FillRule, clip: PixelRect) -> [UInt8] {
        let buffer = CoverageBuffer(bounds: clip)
        rasterizer.begin(clip: clip)
        rasterizer.add(path)
        rasterizer.fill(rule, into: buffer)
        return buffer.bytes
    }

    private mutating func checkPart(_ input: FuzzInput, _ whole: [UInt8]) {
        let part = input.part
        if part.isEmpty { return }
        let bytes = coverage(of: input.path, input.rule, clip: part)
        for y in part.minY..<part.maxY {
            let first = (y - input.clip.minY) * input.clip.width + part.minX - input.clip.minX
            let row = (y - part.minY) * part.width
            precondition(
                bytes[row..<(row + part.width)].elementsEqual(whole[first..<(first + part.width)]),
                "a part is not what the whole shows there")
        }
    }

    /// In bands of the clip and at once, on memory that ends with the last pixel, where the sanitizer watches.
    private mutating func checkPixels(_ input: FuzzInput) {
        let size = input.size
        let stride = size.width + input.padding
        let count = stride * (size.height - 1) + size.width
        let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        let inBands = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        defer {
            pixels.deallocate()
            inBands.deallocate()
        }
        pixels.initialize(repeating: Self.canary, count: count)
        inBands.initialize(repeating: Self.canary, count: count)
        draw(input, clip: input.clip, into: Surface(base: pixels, size: size, strideBytes: stride * 4))
        // Not ever so many: each is a fill.
        let bandHeight = 1 + max(input.part.height, input.clip.height / 8)
        for y in Swift.stride(from: input.clip.minY, to: input.clip.maxY, by: bandHeight) {
            let clip = PixelRect(
                minX: input.clip.minX, minY: y, maxX: input.clip.maxX, maxY: min(y + bandHeight, input.clip.maxY))
            draw(input, clip: clip, into: Surface(base: inBands, size: size, strideBytes: stride * 4))
        }
        precondition(memcmp(pixels, inBands, count * 4) == 0, "bands are not the whole")
        let inside = input.clip.intersection(PixelRect(size: size))
        for y in 0..<size.height {
            let row = pixels + y * stride
            let end = y + 1 < size.height ? stride : size.width
            let isRowInside = y >= inside.minY && y < inside.maxY
            for x in 0..<end where !(isRowInside && x >= inside.minX && x < inside.maxX) {
                precondition(row[x] == Self.canary, "a pixel outside the clip has changed")
            }
        }
    }

    private mutating func draw(_ input: FuzzInput, clip: PixelRect, into surface: Surface) {
        rasterizer.begin(clip: clip)
        rasterizer.add(input.path)
        rasterizer.fill(input.rule, with: input.color, into: surface)
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
