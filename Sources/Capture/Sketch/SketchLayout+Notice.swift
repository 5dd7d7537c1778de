// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension SketchLayout {
    /// Millimetres: two lines of letters that read well from where a person stands.
    private static let noticeHeight = 14.0
    /// Of the drawing area's height, that a notice takes at most.
    private static let noticeShare = 0.25

    /// Where a notice stands for a while, and hides what is drawn: along the top of the drawing area.
    public var noticeArea: PixelRect {
        let height = min(Self.noticeHeight * unit, Double(drawingArea.height) * Self.noticeShare)
        return PixelRect(
            minX: drawingArea.minX, minY: drawingArea.minY, maxX: drawingArea.maxX,
            maxY: drawingArea.minY + max(1, Int(height.rounded())))
    }

    /// A notice's words, from the upper left corner of ``noticeArea``.
    public func notice(
        _ text: String, measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) -> PlacedText {
        let area = noticeArea
        let margin = max(1, Int(unit.rounded()))
        return PlacedText(
            message: text,
            in: PixelRect(minX: margin, minY: 0, maxX: max(margin, area.width - margin), maxY: area.height),
            largestEm: LayoutScale(unit: unit, size: size).readableEm, isInMiddle: true, measure: measure,
            pieces: pieces)
    }
}
