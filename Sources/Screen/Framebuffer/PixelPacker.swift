// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Turns rows of our XRGB8888 into rows of a framebuffer's format.
struct PixelPacker: Sendable {
    let format: FramebufferFormat
    private let five = OrderedDither(bits: 5)
    private let six = OrderedDither(bits: 6)

    init(_ format: FramebufferFormat) { self.format = format }

    /// - Parameters:
    ///   - row: the first pixel of row `y` of a surface.
    ///   - columns: those to pack, of the row and of the screen.
    ///   - output: room for them.
    func pack(
        _ row: UnsafePointer<UInt32>, _ columns: Range<Int>, y: Int, into output: UnsafeMutableRawPointer
    ) {
        if format.bytesPerPixel == 2 {
            pack16(row, columns, y: y, into: output)
        } else if format.isXRGB8888, format.opaque == 0 {
            memcpy(output, row + columns.lowerBound, columns.count * 4)
        } else {
            pack32(row, columns, into: output)
        }
    }

    private func pack16(
        _ row: UnsafePointer<UInt32>, _ columns: Range<Int>, y: Int, into output: UnsafeMutableRawPointer
    ) {
        let format = self.format
        five.withRow(y) { five in
            six.withRow(y) { six in
                var output = output
                for x in columns {
                    let pixel = row[x]
                    let place = (x & (OrderedDither.side - 1)) << 8
                    let red = UInt32(five[place | Int(pixel >> 16 & 0xFF)])
                    let green = UInt32(six[place | Int(pixel >> 8 & 0xFF)])
                    let blue = UInt32(five[place | Int(pixel & 0xFF)])
                    let packed = red << format.red | green << format.green | blue << format.blue
                    output.storeBytes(of: UInt16(truncatingIfNeeded: packed), as: UInt16.self)
                    output += 2
                }
            }
        }
    }

    private func pack32(_ row: UnsafePointer<UInt32>, _ columns: Range<Int>, into output: UnsafeMutableRawPointer) {
        var output = output
        for x in columns {
            let pixel = row[x]
            let red = (pixel >> 16 & 0xFF) << format.red
            let green = (pixel >> 8 & 0xFF) << format.green
            let blue = (pixel & 0xFF) << format.blue
            output.storeBytes(of: red | green | blue | format.opaque, as: UInt32.self)
            output += 4
        }
    }
}
