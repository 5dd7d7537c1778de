// SPDX-License-Identifier: Apache-2.0

/// Maps the units of a digitizer to pixels of the picture. Screen, records and exports share it, so that a file shows
/// the ink that the person saw.
///
/// Only the result is clamped: a driver may state exchanged or too small ranges, and the calibration, which is part of
/// the transform, repairs them.
public struct PictureMap: Equatable, Sendable {
    /// The map from device units to pixels, with calibration and rotation.
    public let transform: Transform
    public let picture: PixelSize
    /// The ranges of the axes to which readings are clamped before the transform; nil for all but older records.
    private let ranges: (x: ClosedRange<Int32>, y: ClosedRange<Int32>)?

    /// - Parameters:
    ///   - transform: from device units to pixels.
    ///   - picture: the size in pixels.
    ///   - ranges: of the axes, for records of programs that clamped readings before the transform.
    public init(
        transform: Transform, picture: PixelSize, ranges: (x: ClosedRange<Int32>, y: ClosedRange<Int32>)? = nil
    ) {
        self.transform = transform
        self.picture = picture
        self.ranges = ranges
    }

    /// The pixels at which the screen showed a reading: `0 <= x < width`, `0 <= y < height`, whatever the transform.
    public func position(x: Int32, y: Int32) -> Point {
        let x = ranges.map { min(max(x, $0.x.lowerBound), $0.x.upperBound) } ?? x
        let y = ranges.map { min(max(y, $0.y.lowerBound), $0.y.upperBound) } ?? y
        let place = transform.apply(Point(x: Double(x), y: Double(y)))
        return Point(x: Self.clamped(place.x, picture.width), y: Self.clamped(place.y, picture.height))
    }

    /// Less than `size`, so that rounding down always gives a pixel; 0 for NaN.
    private static func clamped(_ value: Double, _ size: Int) -> Double {
        value > 0 ? min(value, Double(max(size, 1)).nextDown) : 0
    }

    public static func == (a: PictureMap, b: PictureMap) -> Bool {
        a.transform == b.transform && a.picture == b.picture && a.ranges?.x == b.ranges?.x
            && a.ranges?.y == b.ranges?.y
    }
}
