// SPDX-License-Identifier: Apache-2.0

/// Why the ink on the pad is not taken for a signature: what there is, and what there must be.
public enum Refusal: Equatable, Sendable {
    case noInk
    case fewStrokes(Int, minimum: Int)
    /// Reports of the device.
    case fewSamples(Int, minimum: Int)
    /// Millimetres of line.
    case short(Double, minimum: Double)
    /// Millimetres of the diagonal of the box around it.
    case small(Double, minimum: Double)
    /// Millimetres across the direction in which it runs.
    case straight(Double, minimum: Double)
    /// Microseconds.
    case quick(Int64, minimum: Int64)

    /// What the pad says.
    public var message: Message {
        switch self {
        case .noInk: .refusedNoInk
        case .fewStrokes: .refusedFewStrokes
        case .fewSamples, .quick: .refusedQuick
        case .short, .small: .refusedSmall
        case .straight: .refusedStraight
        }
    }
}
