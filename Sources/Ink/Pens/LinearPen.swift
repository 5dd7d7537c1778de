// SPDX-License-Identifier: Apache-2.0

/// Straight lines between the samples: the first attempt of "Smooth Freehand Drawing on iOS" (A. Khan, Tuts+ 2012).
public struct LinearPen: StrokeModel {
    /// The tutorial's line width in pixels.
    public static let defaultWidth = 2.0

    private let width: Double
    private var writer = CenterlineWriter()

    /// - Parameter width: of the line in pixels, above 0.
    public init(width: Double = Self.defaultWidth) { self.width = width }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        let node = CenterlinePoint(microseconds: sample.microseconds, position: sample.position, width: width)
        writer.write(dry: CollectionOfOne(node), wet: EmptyCollection(), to: &ink)
    }
}
