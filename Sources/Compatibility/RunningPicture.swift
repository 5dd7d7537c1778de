// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI
import PNG
import Raster

/// A picture of the ink while somebody signs, for pages that fetch one before the end: black outlines of the mirror.
struct RunningPicture {
    /// Pixels. Pages fetch several a second.
    static let areaLimit = 1 << 20
    /// The size of a picture whose page names none.
    static let usualSize = PixelSize(width: 500, height: 100)

    let size: PixelSize
    let isTransparent: Bool
    /// The outlines, in pixels of the picture.
    private let contours: [[Point]]

    /// A picture without ink.
    init(size: PixelSize, isTransparent: Bool) { (self.size, self.isTransparent, contours) = (size, isTransparent, []) }

    /// - Parameter field: the part of the page that the picture shows whole, in its middle.
    init(of outlines: [String], in field: MirrorReply.Rectangle, size: PixelSize, isTransparent: Bool) {
        let (width, height) = (Double(max(1, field.width)), Double(max(1, field.height)))
        let scale = min(Double(size.width) / width, Double(size.height) / height)
        let move = Point(
            x: (Double(size.width) - scale * width) / 2 - scale * Double(field.x),
            y: (Double(size.height) - scale * height) / 2 - scale * Double(field.y))
        (self.size, self.isTransparent) = (size, isTransparent)
        contours = outlines.flatMap { MirrorPath($0).contours.map { $0.map { $0 * scale + move } } }
    }

    /// - Throws: ``PNGError``.
    func png() throws(PNGError) -> Data {
        let buffer = PixelBuffer(size: size)
        let surface = buffer.surface
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: surface.bounds)
        for contour in contours { contour.withUnsafeBufferPointer { rasterizer.add(polygon: $0) } }
        if isTransparent {
            let coverage = CoverageBuffer(bounds: surface.bounds)
            rasterizer.fill(.nonZero, into: coverage)
            for y in 0..<size.height {
                let row = surface.row(y)
                for x in 0..<size.width { row[x] = UInt32(coverage[x, y]) << 24 }
            }
        } else {
            surface.fill(surface.bounds, with: .white)
            rasterizer.fill(.nonZero, with: .black, into: surface)
        }
        return Data(try PNGEncoder.encode(surface, hasAlpha: isTransparent))
    }
}

extension CompatiblePad {
    /// The ink of a running capture as PNG; without ink where the mirror shows none of it.
    /// - Throws: ``Problem`` for a wrong size.
    func runningPicture(
        of id: CaptureID, width: Int?, height: Int?, transparent: Bool, for bearer: Token
    ) async throws -> Data {
        let size = try Self.size(width, height) ?? RunningPicture.usualSize
        guard size.width * size.height <= RunningPicture.areaLimit else {
            throw Problem.invalid("size", "at most a million pixels while somebody signs")
        }
        let ink = bearer.allows(.mirrorInk) ? await mirror[.ink].ink(of: id) : nil
        let picture =
            ink.map { RunningPicture(of: $0.outlines, in: $0.field, size: size, isTransparent: transparent) }
            ?? RunningPicture(size: size, isTransparent: transparent)
        return try picture.png()
    }
}
