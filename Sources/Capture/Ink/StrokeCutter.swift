// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// The strokes that one contact draws: what of its way lies in the signing area. Leaving it ends a stroke where the
/// edge is crossed, and coming back begins another there, so that no line joins the two places.
///
/// Each stroke has a report in it: a way that crosses a corner between two reports leaves nothing.
struct StrokeCutter {
    enum Piece: Equatable {
        case begin(InkPoint)
        case extend(InkPoint)
        case end
    }

    private let area: Rect
    private var last: TouchSample?
    private(set) var isDrawing = false

    init(area: PixelRect) { self.area = area.rect }

    /// Whether a contact here draws.
    func takes(_ sample: TouchSample) -> Bool { area.contains(sample.position) }

    mutating func move(to sample: TouchSample) -> [Piece] {
        // An overflow would make the crossing no number.
        guard sample.position.isFinite, abs(sample.position.x) < 1e6, abs(sample.position.y) < 1e6 else { return [] }
        let wasDrawing = isDrawing
        isDrawing = takes(sample)
        defer { last = sample }
        switch (wasDrawing, isDrawing, last) {
        case (true, true, _): return [.extend(InkPoint(sample))]
        case (true, false, let last?):
            let edge = crossing(from: last, to: sample)
            return edge.position == last.position ? [.end] : [.extend(edge), .end]
        case (false, true, let last?):
            let edge = crossing(from: sample, to: last)
            return edge.position == sample.position
                ? [.begin(InkPoint(sample))] : [.begin(edge), .extend(InkPoint(sample))]
        case (false, true, nil): return [.begin(InkPoint(sample))]
        case (_, false, _): return []
        }
    }

    /// Where the edge is on the way from a report inside to one outside.
    private func crossing(from inside: TouchSample, to outside: TouchSample) -> InkPoint {
        let fraction = area.crossing(from: inside.position, to: outside.position)
        // Rounding may put it a hair outside.
        let place = area.clamped(inside.position.interpolated(to: outside.position, fraction))
        return InkPoint(between: inside, outside, fraction, position: place)
    }
}
