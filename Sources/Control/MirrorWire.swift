// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import Raster
import Record

/// A reply to `Mirror`. Names are those of org.inkpanel.Panel.varlink. Members that have not changed are left out.
struct MirrorReply: Encodable {
    struct Rectangle: Encodable {
        var x, y, width, height: Int

        init(_ rect: PixelRect) {
            (x, y, width, height) = (rect.minX, rect.minY, rect.width, rect.height)
        }
    }

    struct Button: Encodable {
        var button: String
        var label: String?
        var rectangle: Rectangle

        init?(_ element: PlacedElement) {
            guard case .button(let button, let label) = element.element else { return nil }
            switch button {
            case .accept: self.button = "accept"
            case .clear: self.button = "clear"
            case .cancel: self.button = "cancel"
            case .undo: self.button = "undo"
            default: return nil
            }
            self.label = label
            rectangle = Rectangle(element.rect)
        }
    }

    struct Capture: Encodable {
        var id: String
        var size: PixelSize
        var pixelsPerMillimetre: Double
        var field: Rectangle
        var buttons: [Button]
        var pen: String
        var width: Double?
        var pressureCurve: String
        var switches: [String]
        var panelScatter: Double?
        var color: String
    }

    struct Cell: Encodable { var x, y: Int }

    struct InkSample: Encodable {
        var time: Int64
        var x, y: Double
        var pressure: Double?
    }

    struct Step: Encodable {
        var samples: [InkSample]?
        var ends: Bool?
        var cancels: Bool?
    }

    var page: String
    var capture: Capture?
    var restarts: Bool?
    var strokes: Int?
    var cells: [Cell]?
    var steps: [Step]?

    init(_ change: MirrorChange) {
        page = change.page.rawValue
        capture = change.capture.map { capture in
            Capture(
                id: capture.id.description, size: capture.page.size,
                pixelsPerMillimetre: capture.density.pixelsPerMillimetre, field: Rectangle(capture.page.inkField),
                buttons: capture.page.buttons.compactMap(Button.init), pen: capture.pen.name.rawValue,
                width: capture.pen.width, pressureCurve: capture.pen.pressureCurve.rawValue,
                switches: capture.pen.switches.map(\.rawValue).sorted(),
                panelScatter: capture.pen.panelScatter, color: capture.color.hexText)
        }
        restarts = change.restarts ? true : nil
        strokes = change.strokes
        cells = change.cells.isEmpty ? nil : change.cells.map { Cell(x: $0.x, y: $0.y) }
        steps = change.steps.isEmpty ? nil : change.steps.map(Self.step)
    }

    private static func step(_ step: MirrorChange.Step) -> Step {
        switch step {
        case .samples(let samples):
            Step(
                samples: samples.map {
                    InkSample(
                        time: $0.microseconds, x: $0.position.x, y: $0.position.y, pressure: $0.pressure)
                })
        case .end: Step(ends: true)
        case .cancel: Step(cancels: true)
        }
    }
}

/// The reply to `Mirror` that has the page.
struct MirrorBackdrop: Encodable {
    /// PNG in Base64.
    var backdrop: String
}
