// SPDX-License-Identifier: Apache-2.0
package import Geometry

/// The contours of the mirror's outlines: SVG path data `M x y l dx dy … z` in 1/16 pixel of the page.
package struct MirrorPath {
    /// Units of a pixel.
    static let unit = 16.0
    /// Numbers of a contour that are read.
    private static let numberLimit = 4096
    /// The largest number, in units: pages are smaller.
    private static let mostUnits = 1 << 30

    /// Corners in pixels.
    package let contours: [[Point]]

    package init(_ data: String) {
        contours = data.utf8.split(separator: UInt8(ascii: "M")).map(Self.corners)
    }

    private static func corners(of contour: Substring.UTF8View) -> [Point] {
        var numbers: [Int] = []
        var number: Int?
        var isNegative = false
        func close() {
            if let value = number { numbers.append(isNegative ? -value : value) }
            (number, isNegative) = (nil, false)
        }
        for byte in contour where numbers.count < numberLimit {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), mostUnits)
            case UInt8(ascii: "-"):
                close()
                isNegative = true
            default: close()
            }
        }
        close()
        var corners: [Point] = []
        var (x, y) = (0, 0)
        for index in stride(from: 0, to: numbers.count - 1, by: 2) {
            (x, y) = (x + numbers[index], y + numbers[index + 1])
            corners.append(Point(x: Double(x) / unit, y: Double(y) / unit))
        }
        return corners
    }
}
