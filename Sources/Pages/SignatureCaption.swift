// SPDX-License-Identifier: Apache-2.0

/// The line of text below a signature, in its field: as the page shows it, and as the signed document has it.
package struct SignatureCaption: Equatable {
    /// The usual em, in points. ISO 19005 and DIN 1450 have no rule for it; contracts are set in 8 points or more.
    package static let usualEm = 8.0
    /// The smallest em that can be read on paper, in points.
    package static let smallestEm = 5.0
    /// The largest share of the field's height for the line and the space below it.
    private static let share = 0.5
    /// The space below the line, in points: fields often stand on a line of the form.
    private static let usualLift = 2.0

    /// The size in points.
    package let em: Double
    package let lift: Double

    /// - Parameters:
    ///   - width: of the text in the usual em, as `height`; in the unit of the sides of the field.
    ///   - point: one, in that unit.
    package init(width: Double, height: Double, fieldWidth: Double, fieldHeight: Double, point: Double = 1) {
        lift = min(Self.usualLift, fieldHeight / point * 0.05)
        // Widths grow in proportion to the em.
        let factor = min(1, fieldWidth / width, (fieldHeight * Self.share - lift * point) / height)
        em = Self.usualEm * factor
    }
}
