// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The calibration matrix as integrators already have it: udev's LIBINPUT_CALIBRATION_MATRIX.
public enum Calibration {
    /// Reads six numbers separated by spaces, the first two rows of a matrix on 0...1 of the panel; `1 0 0 0 1 0`
    /// changes nothing, `0 -1 1 1 0 0` turns by 90 degrees clockwise.
    /// - Returns: nil for anything but six finite numbers of a map that can be undone.
    public static func matrix(_ text: String) -> Transform? {
        let words = text.split(whereSeparator: \.isWhitespace)
        let numbers = words.compactMap { Double($0) }
        guard words.count == 6, numbers.count == 6, numbers.allSatisfy({ $0.isFinite && abs($0) <= 1e6 }) else {
            return nil
        }
        let transform = Transform(
            a: numbers[0], b: numbers[1], tx: numbers[2], c: numbers[3], d: numbers[4], ty: numbers[5])
        return transform.inverted == nil ? nil : transform
    }

    /// As ``matrix(_:)`` takes it, with six decimals: a hundredth of a pixel of the largest screens.
    public static func text(_ matrix: Transform) -> String {
        [matrix.a, matrix.b, matrix.tx, matrix.c, matrix.d, matrix.ty].map { value in
            let rounded = (value * 1e6).rounded()
            // Small numbers would be written with an exponent, which not every reader of the property takes.
            let digits = String(Int64(rounded.magnitude))
            let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
            let decimals = String(padded.suffix(6).reversed().drop { $0 == "0" }.reversed())
            let sign = rounded < 0 ? "-" : ""
            return sign + padded.dropLast(6) + (decimals.isEmpty ? "" : "." + decimals)
        }.joined(separator: " ")
    }
}
