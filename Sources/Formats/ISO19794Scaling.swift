// SPDX-License-Identifier: Apache-2.0

/// A scaling value of ISO/IEC 19794-7:2007: 5 bits of exponent E + 16, 11 bits of fraction F; (1 + F/2048) 2^E.
///
/// What a channel counts is its value divided by this: units per metre for places, per second for times.
struct ISO19794Scaling: Equatable {
    static let range = 0x1p-16...65_520

    let word: UInt16

    /// The nearest one; nil outside ``range``.
    init?(_ value: Double) {
        guard Self.range.contains(value) else { return nil }
        var exponent = Int(value.exponent)
        var fraction = Int(((value.significand - 1) * 2048).rounded())
        if fraction == 2048 { (exponent, fraction) = (exponent + 1, 0) }
        word = UInt16((exponent + 16) << 11 | fraction)
    }
}
