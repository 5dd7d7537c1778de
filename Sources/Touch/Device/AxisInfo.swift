// SPDX-License-Identifier: Apache-2.0

/// What a device says about one absolute axis (`struct input_absinfo`), in device units.
public struct AxisInfo: Equatable, Hashable, Sendable {
    /// Smallest and largest value the driver promises. Devices do send values outside.
    public var minimum: Int32
    public var maximum: Int32
    /// Noise the kernel filters before reporting.
    public var fuzz: Int32
    public var flat: Int32
    /// Units per millimetre; 0 when the driver does not know, which most panels do not.
    public var resolution: Int32
    /// The value when the device was asked.
    public var value: Int32

    public init(
        minimum: Int32, maximum: Int32, fuzz: Int32 = 0, flat: Int32 = 0, resolution: Int32 = 0, value: Int32 = 0
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.fuzz = fuzz
        self.flat = flat
        self.resolution = resolution
        self.value = value
    }

    /// Whether the axis can tell one place from another.
    public var hasRange: Bool { maximum > minimum }

    /// The middle of the cell that `value` stands for, in 0...1 of the axis; values outside count as its ends.
    ///
    /// Each of the `maximum - minimum + 1` values is a cell of equal width, so that on a digitizer with one unit per
    /// pixel value v is the centre of pixel v, and one with another number of units still spans the panel exactly.
    public func cellCentre(of value: Int32) -> Double {
        guard hasRange else { return 0.5 }
        // In floating point: maximum - minimum may not fit into 32 bits.
        let clamped = min(max(value, minimum), maximum)
        return (Double(clamped) - Double(minimum) + 0.5) / (Double(maximum) - Double(minimum) + 1)
    }

    /// How wide such a cell is, in 0...1 of the axis.
    public var cellWidth: Double { hasRange ? 1 / (Double(maximum) - Double(minimum) + 1) : 1 }

    /// `value` in 0...1 from minimum to maximum, both ends reached; for quantities such as pressure.
    public func fraction(of value: Int32) -> Double {
        guard hasRange else { return 0 }
        let clamped = min(max(value, minimum), maximum)
        return (Double(clamped) - Double(minimum)) / (Double(maximum) - Double(minimum))
    }
}
