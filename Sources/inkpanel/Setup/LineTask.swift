// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import Pad
import Record
import Touch

/// Lines to draw along, one after the other, for ``LineTest``.
struct LineTask: TouchTask {
    static let name = "self-test"
    static let complaint = "no line was drawn"

    /// Lines, in pixels of the picture.
    private let lines: [LineTest.Line]
    private var test: LineTest
    private var refusal: LineTest.Refusal?

    init(mapping: PanelMapping, density: PixelDensity) {
        let (width, height) = (Double(mapping.map.picture.width), Double(mapping.map.picture.height))
        func pixel(_ place: Point) -> Point { Point(x: place.x * width, y: place.y * height) }
        lines = LineTest.places.map { LineTest.Line(start: pixel($0.start), end: pixel($0.end)) }
        test = LineTest(lines, mapping: mapping, density: density)
    }

    var page: Page {
        let number = min(test.line, lines.count - 1)
        let task =
            "Draw along the line from the dot to its end, with a ruler, and lift (\(number + 1) of \(lines.count))"
        let text = refusal.map { Self.reason($0) + "\n" + task } ?? task
        return Page([.line(from: lines[number].start, to: lines[number].end), .text(PageText(text, .headline))])
    }

    var place: String { "line \(min(test.line + 1, lines.count)) of \(lines.count)" }

    mutating func update(with frame: TouchFrame) throws(CommandError) -> TouchTaskStep<DigitizerTest> {
        switch test.update(with: frame) {
        case .wait: return .wait
        case .next:
            refusal = nil
            return .shows
        case .again(let refusal):
            self.refusal = refusal
            return .again(reason: Self.reason(refusal))
        case .finished:
            guard let result = test.result(at: WallClock.microseconds, program: Inkpanel.program) else {
                throw CommandError.unusableInput("a line was not drawn along in four attempts; nothing was written")
            }
            return .finished(result)
        }
    }

    /// The reason for people who install a panel. It is not among the translated messages.
    private static func reason(_ refusal: LineTest.Refusal) -> String {
        switch refusal {
        case .several: "Touch with one finger only."
        case .lifted: "Draw the whole line without lifting."
        case .elsewhere: "That was not along the line."
        }
    }
}
