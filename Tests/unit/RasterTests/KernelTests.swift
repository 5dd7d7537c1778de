// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry
import Glibc
import RasterKernel
import TestSupport
import Testing

#if arch(x86_64)
    import RasterKernelV3

    /// The kernel is built twice from the same sources.
    @Suite("Both builds of the kernel draw the same bytes", .enabled(if: inkpanel_has_x86_64_v3()))
    struct KernelTests {
        private static let size = PixelSize(width: 61, height: 47)
        /// Wide enough for groups that are resolved line by line.
        private static let wideSize = PixelSize(width: 200, height: 8)

        /// The memory of a picture, filled with random bytes.
        private func memory(_ size: PixelSize, bytesPerPixel: Int, seed: UInt64) -> PixelMemory {
            let stride = size.width * bytesPerPixel + 3 * bytesPerPixel
            let base = UnsafeMutableRawPointer.allocate(byteCount: stride * size.height, alignment: 64)
            var random = SeededGenerator(seed: seed)
            for index in 0..<(stride * size.height) {
                base.storeBytes(of: UInt8.random(in: 0...255, using: &random), toByteOffset: index, as: UInt8.self)
            }
            return PixelMemory(base: base, bounds: PixelRect(size: size), strideBytes: stride)
        }

        private func bytes(_ memory: PixelMemory) -> [UInt8] {
            Array(UnsafeRawBufferPointer(start: memory.base, count: memory.strideBytes * memory.bounds.height))
        }

        private func paths(seed: UInt64) -> Path {
            var shapes = Shapes(seed: seed)
            switch seed % 4 {
            case 0: return Path(polygon: shapes.strokeOutline(width: 0.5...6, in: -4...60, steps: 60))
            case 1: return shapes.path(in: -12...70)
            case 2: return Path(polygon: shapes.polygon(corners: 3...40, in: -12...70))
            default: return Path(polygon: shapes.smallPolygon(corners: 3...8, side: 3...40, in: Self.size))
            }
        }

        /// Dozens of strips across each other in a few rows, and flat triangles, longer than a picture is wide.
        private func crowd(seed: UInt64) -> Path {
            var shapes = Shapes(seed: seed)
            var path = Path()
            for _ in 0..<shapes.integer(20...60) {
                let upper = Point(x: shapes.number(0...190), y: shapes.number(-1...2))
                let lower = Point(x: shapes.number(0...190), y: shapes.number(5...9))
                let across = Point(x: shapes.number(0.1...9), y: 0)
                path.addPolygon([upper, upper + across, lower + across, lower])
            }
            for _ in 0..<3 {
                let corner = Point(x: shapes.number(-20...100), y: shapes.number(0...7))
                let end = Point(x: shapes.number(100...220), y: shapes.number(0...8))
                path.addPolygon([corner, end, Point(x: corner.x, y: end.y)])
            }
            return path
        }

        @Test("Dozens of overlapping boundaries, whole and in a clip", arguments: Breadth.seeds(10, long: 60))
        func crowded(seed: UInt64) {
            let path = crowd(seed: seed)
            let portable = RasterKernel.FillKernel()
            let wide = RasterKernelV3.FillKernel()
            for rule in [FillRule.nonZero, .evenOdd] {
                for clip in [PixelRect(size: Self.wideSize), PixelRect(minX: 7, minY: 1, maxX: 190, maxY: 7)] {
                    let first = memory(Self.wideSize, bytesPerPixel: 1, seed: seed)
                    let second = memory(Self.wideSize, bytesPerPixel: 1, seed: seed)
                    defer {
                        first.base.deallocate()
                        second.base.deallocate()
                    }
                    portable.begin(clip: clip)
                    portable.add(path, from: .start, to: nil)
                    portable.fillCoverage(rule, first)
                    wide.begin(clip: clip)
                    wide.add(path, from: .start, to: nil)
                    wide.fillCoverage(rule, second)
                    #expect(bytes(first) == bytes(second), "seed \(seed), \(rule), \(clip)")
                }
            }
        }

        @Test("Pixels and coverage, opaque and translucent", arguments: Breadth.seeds(66, long: 400))
        func builds(seed: UInt64) {
            let path = paths(seed: seed)
            let rule: FillRule = seed % 3 == 0 ? .evenOdd : .nonZero
            let ink = (pixel: UInt32(0xFF12_C8F0), alpha: UInt8([255, 255, 128, 3][Int(seed % 4)]))
            let portable = RasterKernel.FillKernel()
            let wide = RasterKernelV3.FillKernel()
            for bytesPerPixel in [4, 1] {
                let first = memory(Self.size, bytesPerPixel: bytesPerPixel, seed: seed)
                let second = memory(Self.size, bytesPerPixel: bytesPerPixel, seed: seed)
                defer {
                    first.base.deallocate()
                    second.base.deallocate()
                }
                portable.begin(clip: first.bounds)
                portable.add(path, from: .start, to: nil)
                wide.begin(clip: first.bounds)
                wide.add(path, from: .start, to: nil)
                if bytesPerPixel == 4 {
                    portable.fillXRGB8888(rule, with: ink, first)
                    wide.fillXRGB8888(rule, with: ink, second)
                } else {
                    portable.fillCoverage(rule, first)
                    wide.fillCoverage(rule, second)
                }
                #expect(bytes(first) == bytes(second), "seed \(seed), \(bytesPerPixel) bytes a pixel")
            }
        }

        /// ``BlendTests`` checks the formula, with the build for this processor.
        @Test("Every weight over every level", arguments: [0, 1, 21, 42, 63] as [UInt32])
        func weights(level: UInt32) {
            let ink = (pixel: level << 24 | (level + 64) << 16 | (level + 128) << 8 | (level + 192), alpha: UInt8(255))
            let size = PixelSize(width: 16, height: 256)
            let pictures = (0..<2).map { _ in UnsafeMutablePointer<UInt32>.allocate(capacity: size.width * size.height)
            }
            for picture in pictures { picture.initialize(repeating: 0, count: size.width * size.height) }
            defer { for picture in pictures { picture.deallocate() } }
            let targets = pictures.map {
                PixelMemory(base: $0, bounds: PixelRect(size: size), strideBytes: size.width * 4)
            }
            let portable = RasterKernel.FillKernel()
            let wide = RasterKernelV3.FillKernel()
            var different = 0
            for weight in 0...256 {
                for picture in pictures {
                    for y in 0..<size.height { picture[y * size.width + 4] = UInt32(y) &* 0x0101_0101 }
                }
                let right = 4 + Double(weight) / 256
                let path = Path(polygon: [
                    Point(x: 4, y: 0), Point(x: right, y: 0), Point(x: right, y: 256), Point(x: 4, y: 256),
                ])
                portable.begin(clip: PixelRect(size: size))
                portable.add(path, from: .start, to: nil)
                portable.fillXRGB8888(.nonZero, with: ink, targets[0])
                wide.begin(clip: PixelRect(size: size))
                wide.add(path, from: .start, to: nil)
                wide.fillXRGB8888(.nonZero, with: ink, targets[1])
                if memcmp(pictures[0], pictures[1], size.width * size.height * 4) != 0 { different += 1 }
            }
            #expect(different == 0)
        }
    }
#endif
