// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Reads path data as SVG 1.1 defines it, of the commands that need no angles.
struct PathDataReader {
    private var rest: Substring
    private(set) var path = Path()

    /// Nil for what is not path data.
    init?(_ text: some StringProtocol) {
        rest = Substring(text)
        var (start, last) = (Point.zero, Point.zero)
        var command: Character = "z"
        while !rest.isEmpty {
            if let letter = rest.first, letter.isLetter {
                rest.removeFirst()
                command = letter
            } else if command == "z" {
                return nil
            }
            switch command {
            case "m":
                guard let way = point() else { return nil }
                start = start + way
                last = start
                path.move(to: start)
                command = "l"
            case "l":
                guard let way = point() else { return nil }
                last = last + way
                path.addLine(to: last)
            case "c":
                guard let first = point(), let second = point(), let way = point() else { return nil }
                path.addCubic(control1: last + first, control2: last + second, end: last + way)
                last = last + way
            case "z": last = start
            default: return nil
            }
        }
        guard command == "z" else { return nil }
    }

    private mutating func point() -> Point? {
        guard let x = number(), let y = number() else { return nil }
        return Point(x: x, y: y)
    }

    private mutating func number() -> Double? {
        while rest.first == " " { rest.removeFirst() }
        var text = ""
        while let character = rest.first, character.isNumber || character == "." || character == "-" && text.isEmpty {
            text.append(rest.removeFirst())
        }
        return Double(text)
    }
}
