// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The text forms of a calibration matrix: udev's LIBINPUT_CALIBRATION_MATRIX, which integrators already have.
public enum Calibration {
    /// Reads six numbers separated by spaces, the first two rows of a matrix on 0...1 of the panel. `1 0 0 0 1 0`
    /// changes nothing, `0 -1 1 1 0 0` turns by 90 degrees clockwise. The third row may follow: it is 0 0 1.
    public static func matrix(_ text: String) throws(CalibrationError) -> Transform {
        let words = text.split(whereSeparator: \.isWhitespace)
        var numbers: [Double] = []
        for word in words {
            guard let number = Double(word) else { throw .notANumber(String(word)) }
            guard abs(number) <= CalibrationError.limit else { throw .outOfRange(String(word)) }
            numbers.append(number)
        }
        guard numbers.count == 6 || numbers.count == 9 else { throw .count(numbers.count) }
        if numbers.count == 9, numbers[6...] != [0, 0, 1] { throw .lastRow(words[6...].joined(separator: " ")) }
        let transform = Transform(
            a: numbers[0], b: numbers[1], tx: numbers[2], c: numbers[3], d: numbers[4], ty: numbers[5])
        guard transform.inverted != nil else { throw .notInvertible }
        return transform
    }

    /// The text that ``matrix(_:)`` reads, with six decimals: a hundredth of a pixel of the largest screens.
    public static func text(_ matrix: Transform) -> String {
        [matrix.a, matrix.b, matrix.tx, matrix.c, matrix.d, matrix.ty].map { value in
            let rounded = (value * 1e6).rounded()
            // Without exponents, which not every reader of the property accepts.
            let digits = String(Int64(rounded.magnitude))
            let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
            let decimals = String(padded.suffix(6).reversed().drop { $0 == "0" }.reversed())
            let sign = rounded < 0 ? "-" : ""
            return sign + padded.dropLast(6) + (decimals.isEmpty ? "" : "." + decimals)
        }.joined(separator: " ")
    }

    /// A file with a udev rule that sets a device's matrix, for every program that reads the property: libinput, and so
    /// desktops, and inkpanel. It matches the device by name and numbers, not by event number or socket, which change.
    public static func udevRule(for device: DeviceDescription, matrix: Transform) -> String {
        let comment = String(String.UnicodeScalarView(device.name.unicodeScalars.filter { $0 != "\n" }))
        return """
            # Calibration of "\(comment)", by inkpanel calibrate. It holds from the next start of the machine, or:
            # udevadm control --reload && udevadm trigger --subsystem-match=input --action=change
            ACTION!="remove", SUBSYSTEM=="input", KERNEL=="event[0-9]*", ATTRS{name}=="\(pattern(device.name))", \
            ATTRS{id/vendor}=="\(hexadecimal(device.vendor))", \
            ATTRS{id/product}=="\(hexadecimal(device.product))", \
            ENV{LIBINPUT_CALIBRATION_MATRIX}="\(text(matrix))"

            """
    }

    /// A device's name as a pattern of udev. Characters with a meaning in rules match any character. Trailing blanks
    /// are omitted: sysfs ends a name with a line feed, and udev ignores blanks at the end of a value.
    private static func pattern(_ deviceName: String) -> String {
        var name = String.UnicodeScalarView()
        for scalar in deviceName.unicodeScalars {
            let isPlain = scalar.isASCII && scalar.value >= 0x20 && !"\"\\*?[]|$%".unicodeScalars.contains(scalar)
            // A character beyond ASCII is several bytes for udev; * matches any number.
            name.append(isPlain ? scalar : scalar.isASCII ? "?" : "*")
        }
        while name.last == " " { name.removeLast() }
        return String(name)
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// Why a text is no calibration matrix.
public enum CalibrationError: Error, Equatable, Sendable {
    case notANumber(String)
    /// NaN, too, or beyond ``limit``.
    case outOfRange(String)
    case count(Int)
    case lastRow(String)
    case notInvertible

    /// Larger numbers, positive and negative, are not from a calibration.
    static let limit = 1e6
}

extension CalibrationError: CustomStringConvertible {
    /// Continues a sentence about the text.
    public var description: String {
        switch self {
        case .notANumber(let word):
            "\(Self.shown(word)) is not a number: separate numbers by spaces, and write decimals with a point"
        case .outOfRange(let word): "\(Self.shown(word)) is not between -1000000 and 1000000"
        case .count(let count): "it has \(count) \(count == 1 ? "number" : "numbers"), not 6, nor 9 with the row 0 0 1"
        case .lastRow(let row): "its last row is \(Self.shown(row)), not 0 0 1"
        case .notInvertible: "it cannot be inverted: it maps the panel to a line or a point"
        }
    }

    /// A part of the text, quoted and shortened for a terminal.
    private static func shown(_ text: String) -> String {
        (text.unicodeScalars.count > 40 ? String(text.prefix(40)) + "…" : text).debugDescription
    }
}

/// The calibration matrix that maps touches to their targets: the affine map with the least sum of squared distances.
public struct CalibrationFit: Equatable, Sendable {
    /// A target and the position that the digitizer reported for it, both in 0...1 of the panel.
    struct Pair: Equatable, Sendable {
        var target: Point
        var reading: Point
    }

    enum Verdict: Equatable, Sendable {
        case fits(CalibrationFit)
        /// The touch with this number does not agree with the others.
        case outlier(Int)
        /// No map brings them all to their targets, and the wrong one cannot be identified.
        case contradiction
    }

    public let matrix: Transform
    /// The distance of the worst touch from its target with this matrix, in millimetres.
    public let worst: Double

    /// The greatest accepted ``worst``, in millimetres. Five touches of a finger, each a millimetre or two from its
    /// target, stay below it; a touch that missed by 8 mm shows, although the map adapts to it.
    public static let tolerance = 2.0
    /// The stated area of the digitizer relative to the panel's. A digitizer may cover a border, or only a corner, and
    /// a driver may state ranges that are too small or too large by some bits.
    private static let areaRange = 1e-4...1e3
    /// Touches with less spread, relative to that of each coordinate, are on one line and have no map.
    private static let smallestSpread = 1e-3

    /// - Parameters:
    ///   - pairs: at least three, not on one line.
    ///   - millimetres: the panel's size.
    /// - Returns: nil if there is no such map, or none that a digitizer on a panel could have.
    init?(_ pairs: [Pair], millimetres: Point) {
        guard pairs.count >= 3 else { return nil }
        let share = 1 / Double(pairs.count)
        let from = pairs.reduce(Point.zero) { $0 + $1.reading } * share
        let to = pairs.reduce(Point.zero) { $0 + $1.target } * share
        // The normal equations about the means: a matrix of two rows, the same for x and y.
        var xx = 0.0
        var xy = 0.0
        var yy = 0.0
        var right = Point.zero
        var down = Point.zero
        for pair in pairs {
            let reading = pair.reading - from
            let target = pair.target - to
            xx += reading.x * reading.x
            xy += reading.x * reading.y
            yy += reading.y * reading.y
            right = right + target * reading.x
            down = down + target * reading.y
        }
        let spread = xx * yy - xy * xy
        guard spread.isFinite, spread > Self.smallestSpread * xx * yy else { return nil }
        let x = (right * yy - down * xy) * (1 / spread)
        let y = (down * xx - right * xy) * (1 / spread)
        let matrix = Transform(
            a: x.x, b: y.x, tx: to.x - x.x * from.x - y.x * from.y, c: x.y, d: y.y,
            ty: to.y - x.y * from.x - y.y * from.y)
        guard Self.areaRange.contains(abs(matrix.a * matrix.d - matrix.b * matrix.c)) else { return nil }
        self.matrix = matrix
        worst = pairs.reduce(0) { max($0, Self.distance($1, matrix, millimetres)) }
    }

    /// Checks whether the touches agree. The outlier is the touch without which the others agree best, and far better
    /// than without any other.
    static func judge(_ pairs: [Pair], millimetres: Point) -> Verdict {
        if let all = CalibrationFit(pairs, millimetres: millimetres), all.worst <= tolerance { return .fits(all) }
        var best: (number: Int, worst: Double)?
        var second = Double.infinity
        for number in pairs.indices where pairs.count > 4 {
            var others = pairs
            others.remove(at: number)
            guard let fit = CalibrationFit(others, millimetres: millimetres) else { continue }
            if best.map({ fit.worst < $0.worst }) ?? true {
                second = best?.worst ?? .infinity
                best = (number, fit.worst)
            } else {
                second = min(second, fit.worst)
            }
        }
        guard let best, best.worst <= tolerance, best.worst * 2 < second else { return .contradiction }
        return .outlier(best.number)
    }

    private static func distance(_ pair: Pair, _ matrix: Transform, _ millimetres: Point) -> Double {
        let miss = matrix.apply(pair.reading) - pair.target
        return Point(x: miss.x * millimetres.x, y: miss.y * millimetres.y).length
    }
}
