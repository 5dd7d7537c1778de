// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport
import Testing

/// Pictures, checked by eye once, that must be the same to the bit on every machine. After an intended change, write
/// them again with `INKPANEL_WRITE_GOLDEN=1 swift test --filter GoldenTests` and look at them.
@Suite("Golden pictures")
struct GoldenTests {
    enum Picture: String, CaseIterable, Sendable {
        case loops, starNonZero, starEvenOdd, hairlines, strokes, letter
    }

    private static let bounds = PixelRect(0, 0, 96, 96)

    @Test("A golden picture is drawn to the bit", arguments: Picture.allCases)
    func picture(_ picture: Picture) throws {
        let rule: FillRule = picture == .starEvenOdd ? .evenOdd : .nonZero
        let actual = GrayImage(
            size: PixelSize(width: 96, height: 96),
            bytes: coverage(of: Self.path(of: picture), rule, clip: Self.bounds))
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let file = "\(folder)/Golden/\(picture.rawValue).pgm"
        if getenv("INKPANEL_WRITE_GOLDEN") != nil {
            try #require(actual.write(to: file))
            return
        }
        let expected = try #require(GrayImage(path: file), "\(file) is missing or not a PGM")
        if actual == expected { return }
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let actualFile = "\(temporary)/inkpanel-\(picture.rawValue)-actual.pgm"
        _ = actual.write(to: actualFile)
        var difference = actual
        difference.bytes = zip(actual.bytes, expected.bytes).map { $0 > $1 ? $0 - $1 : $1 - $0 }
        _ = difference.write(to: "\(temporary)/inkpanel-\(picture.rawValue)-difference.pgm")
        let first = difference.bytes.firstIndex { $0 != 0 } ?? 0
        Issue.record(
            """
            \(picture.rawValue) differs first at (\(first % 96), \(first / 96)): \(actual.bytes[first]) for \
            \(expected.bytes[first]); see \(actualFile) and the -difference beside it
            """)
    }

    private static func path(of picture: Picture) -> Path {
        var path = Path()
        var shapes = Shapes(seed: 20)
        switch picture {
        case .loops:
            // One band that crosses itself twice and turns sharply.
            path.move(to: Point(x: 6, y: 70))
            path.addCubic(
                control1: Point(x: 70, y: -40), control2: Point(x: 110, y: 100), end: Point(x: 40, y: 60))
            path.addCubic(control1: Point(x: 0, y: 30), control2: Point(x: 90, y: 10), end: Point(x: 92, y: 88))
            path.addLine(to: Point(x: 87, y: 90))
            path.addCubic(control1: Point(x: 84, y: 20), control2: Point(x: 8, y: 36), end: Point(x: 36, y: 66))
            path.addCubic(
                control1: Point(x: 118, y: 112), control2: Point(x: 66, y: -30), end: Point(x: 11, y: 73))
        case .starNonZero, .starEvenOdd:
            path.addPolygon([
                Point(x: 48, y: 3.5), Point(x: 76.3, y: 90.25), Point(x: 2.5, y: 36.6), Point(x: 93.5, y: 36.6),
                Point(x: 19.7, y: 90.25),
            ])
        case .hairlines:
            for index in 0..<16 {
                let y = Double(index) * 5.7 + 4
                path.addPolygon([
                    Point(x: 3, y: y), Point(x: 93, y: 95 - y), Point(x: 93, y: 95.7 - y), Point(x: 3, y: y + 0.7),
                ])
            }
        case .strokes:
            for _ in 0..<5 { path.addPolygon(shapes.strokeOutline(width: 1...5, in: 8...88, steps: 60)) }
        case .letter:
            // A ring, its hole walked the other way, and a stem across it.
            for (radius, sign) in [(34.0, 1.0), (24.5, -1.0)] {
                let k = radius * 0.5523
                func point(_ x: Double, _ y: Double) -> Point { Point(x: 44 + x, y: 50 + sign * y) }
                path.move(to: point(radius, 0))
                path.addCubic(control1: point(radius, k), control2: point(k, radius), end: point(0, radius))
                path.addCubic(control1: point(-k, radius), control2: point(-radius, k), end: point(-radius, 0))
                path.addCubic(control1: point(-radius, -k), control2: point(-k, -radius), end: point(0, -radius))
                path.addCubic(control1: point(k, -radius), control2: point(radius, -k), end: point(radius, 0))
            }
            path.move(to: Point(x: 66.3, y: 6))
            path.addQuadratic(control: Point(x: 76, y: 4), end: Point(x: 77.3, y: 8))
            path.addLine(to: Point(x: 79, y: 91.5))
            path.addLine(to: Point(x: 68, y: 91.5))
        }
        return path
    }
}

/// An 8-bit picture as a binary PGM file (P5), which needs no decoder.
struct GrayImage: Equatable {
    var size: PixelSize
    var bytes: [UInt8]

    init(size: PixelSize, bytes: [UInt8]) {
        self.size = size
        self.bytes = bytes
    }

    /// Reads a file written by ``write(to:)``; nil for any other.
    init?(path: String) {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var content = [UInt8](repeating: 0, count: 1 << 20)
        content.removeLast(content.count - fread(&content, 1, content.count, file))
        // "P5", width, height and 255, each ended by one white-space character.
        var fields: [Int] = []
        var index = 3
        while fields.count < 3, index < content.count {
            var number = 0
            while index < content.count, let digit = Character(UnicodeScalar(content[index])).wholeNumberValue {
                number = number * 10 + digit
                index += 1
            }
            fields.append(number)
            index += 1
        }
        guard content.starts(with: Array("P5".utf8)), fields.count == 3, fields[2] == 255,
            content.count - index == fields[0] * fields[1]
        else { return nil }
        size = PixelSize(width: fields[0], height: fields[1])
        bytes = Array(content[index...])
    }

    /// Whether the file was written.
    func write(to path: String) -> Bool {
        guard let file = fopen(path, "wb") else { return false }
        let content = Array("P5\n\(size.width) \(size.height)\n255\n".utf8) + bytes
        let written = fwrite(content, 1, content.count, file)
        return fclose(file) == 0 && written == content.count
    }
}
