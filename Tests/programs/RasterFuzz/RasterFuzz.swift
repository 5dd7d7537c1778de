// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

/// The entry point for libFuzzer, which brings the main function.
/// - Returns: 0, as libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // A new rasterizer for each input, so that a finding does not depend on earlier fills.
    var checks = FuzzChecks()
    checks.run(FuzzInput(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Properties that must hold for any fill. A check that fails traps, which the fuzzer reports.
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
            precondition(path == whole, "polygons and the path with the same lines differ")
        }
        if !input.hasCurves {
            let reversed = coverage(input.rule, clip: input.clip) { $0.add(input.reversedPath) }
            precondition(reversed == whole, "the reversed path differs")
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
                "a part is not a crop of the whole")
        }
    }

    /// Compares fills of the whole clip, in bands, and of a part.
    private mutating func checkPixels<Pixel>(
        _ input: FuzzInput, padding: Int, _ fill: (inout Rasterizer, FuzzInput, borrowing FuzzPixels<Pixel>) -> Void
    ) {
        let whole = FuzzPixels<Pixel>(size: input.size, padding: padding)
        draw(input, clip: input.clip, into: whole, fill)
        precondition(whole.isCrop(of: whole, to: input.clip), "a pixel outside the clip has changed")

        let inBands = FuzzPixels<Pixel>(size: input.size, padding: padding)
        // About eight bands, because each is a fill.
        let bandHeight = 1 + max(input.part.height, input.clip.height / 8)
        for y in stride(from: input.clip.minY, to: input.clip.maxY, by: bandHeight) {
            let clip = PixelRect(
                minX: input.clip.minX, minY: y, maxX: input.clip.maxX, maxY: min(y + bandHeight, input.clip.maxY))
            draw(input, clip: clip, into: inBands, fill)
        }
        precondition(inBands.isCrop(of: whole, to: input.clip), "bands differ from the whole")

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

    /// A coverage buffer has its own memory, which also ends with the last pixel.
    private static func fillCoverage(
        _ rasterizer: inout Rasterizer, _ input: FuzzInput, _ pixels: borrowing FuzzPixels<UInt8>
    ) {
        let buffer = CoverageBuffer(bounds: PixelRect(size: pixels.size))
        let (base, count) = (pixels.base, pixels.count)
        buffer.withUnsafeMutableBytes { $0.update(from: base, count: count) }
        rasterizer.fill(input.rule, into: buffer)
        buffer.withUnsafeMutableBytes { base.update(from: $0, count: count) }
    }

    /// A single pixel may be well off where many edges cross, because overlaps are sampled on a few lines. The mean of
    /// a fill may not.
    private func checkAreas(_ input: FuzzInput, _ whole: [UInt8]) {
        var error = CoverageError()
        error.compare(
            whole,
            ReferenceRasterizer.coverage(
                of: input.path.polygons(tolerance: 1), rule: input.rule, bounds: input.clip))
        precondition(error.worst < 100, "a pixel is far from its area")
        precondition(error.count < 40 || error.mean < 8, "the coverage of the fill is far from the area")
    }
}

/// Rows of pixels, all of one value at first. The memory ends with the last pixel, so the sanitizer sees writes beyond.
struct FuzzPixels<Pixel: FixedWidthInteger>: ~Copyable {
    let base: UnsafeMutablePointer<Pixel>
    let size: PixelSize
    /// Pixels from one row to the next.
    let stride: Int
    let count: Int
    private let untouched: Pixel

    /// - Parameter padding: pixels beyond the width in each row except the last.
    init(size: PixelSize, padding: Int) {
        self.size = size
        stride = size.width + padding
        count = stride * (size.height - 1) + size.width
        untouched = Pixel(truncatingIfNeeded: 0x5A5A_5A5A)
        base = .allocate(capacity: count)
        base.initialize(repeating: untouched, count: count)
    }

    deinit { base.deallocate() }

    var strideBytes: Int { stride * MemoryLayout<Pixel>.stride }

    /// Whether these are the pixels of `whole` in a rectangle, and untouched elsewhere, padding included.
    func isCrop(of whole: borrowing FuzzPixels, to rect: PixelRect) -> Bool {
        let inside = rect.intersection(PixelRect(size: size))
        for index in 0..<count {
            let (y, x) = index.quotientAndRemainder(dividingBy: stride)
            let isInside = y >= inside.minY && y < inside.maxY && x >= inside.minX && x < inside.maxX
            if base[index] != (isInside ? whole.base[index] : untouched) { return false }
        }
        return true
    }
}
