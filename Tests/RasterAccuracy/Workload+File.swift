// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster

extension Workload {
    /// The polygons of a `.rpw` file, a plain list of fills for comparing rasterizers. In little-endian words: "RPW1",
    /// version 1, width, height, fills, contours, points, rule (1 is non-zero); for each fill its first contour, its
    /// contours and a colour; for each contour its first point and its points; for each point x and y as floats.
    /// - Returns: nil for anything else.
    init?(file: String) {
        guard let words = Self.words(of: file), words.count >= 8, words[0] == 0x3157_5052, words[1] == 1 else {
            return nil
        }
        let (fills, contours, points) = (Int(words[4]), Int(words[5]), Int(words[6]))
        guard words.count == 8 + fills * 3 + contours * 2 + points * 2 else { return nil }
        let firstContour = 8 + fills * 3
        let firstPoint = firstContour + contours * 2
        for fill in 0..<fills where Int(words[8 + fill * 3]) + Int(words[9 + fill * 3]) > contours { return nil }
        for contour in 0..<contours {
            let place = firstContour + contour * 2
            if Int(words[place]) + Int(words[place + 1]) > points { return nil }
        }

        var fill = 0
        self.init(
            name: String(file.split(separator: "/").last ?? "file"),
            page: PixelSize(width: Int(words[2]), height: Int(words[3])), rule: words[7] == 1 ? .nonZero : .evenOdd,
            fillCount: fills
        ) {
            let contour = Int(words[8 + fill * 3])
            let count = Int(words[9 + fill * 3])
            fill += 1
            return (contour..<(contour + count)).map { contour in
                let start = Int(words[firstContour + contour * 2])
                return (start..<(start + Int(words[firstContour + contour * 2 + 1]))).map { point in
                    let place = firstPoint + point * 2
                    return Point(
                        x: Double(Float(bitPattern: words[place])), y: Double(Float(bitPattern: words[place + 1])))
                }
            }
        }
    }

    private static func words(of path: String) -> [UInt32]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var words: [UInt32] = []
        var part = [UInt32](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 4, part.count, file)
            if count == 0 { return words.map(UInt32.init(littleEndian:)) }
            words += part[..<count]
        }
    }
}
