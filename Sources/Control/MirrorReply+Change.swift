// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Pad
import Raster
import Record

extension MirrorReply {
    init(_ change: MirrorChange) {
        self.init(
            page: change.page, capture: change.capture.map(Capture.init), restarts: change.restarts ? true : nil,
            strokes: change.strokes, cells: change.cells.isEmpty ? nil : change.cells,
            steps: change.steps.isEmpty ? nil : change.steps.map(Step.init))
    }
}

extension MirrorReply.Capture {
    fileprivate init(_ capture: MirroredCapture) {
        self.init(
            id: capture.id, size: capture.page.size, pixelsPerMillimetre: capture.density.pixelsPerMillimetre,
            field: MirrorReply.Rectangle(capture.page.inkField),
            buttons: capture.page.buttons.compactMap(MirrorReply.Button.init), pen: capture.pen.name.rawValue,
            width: capture.pen.width, pressureCurve: capture.pen.pressureCurve.rawValue,
            switches: capture.pen.switches.map(\.rawValue).sorted(), panelScatter: capture.pen.panelScatter,
            color: capture.color.hexText)
    }
}

extension MirrorReply.Rectangle {
    fileprivate init(_ rect: PixelRect) {
        self.init(x: rect.minX, y: rect.minY, width: rect.width, height: rect.height)
    }
}

extension MirrorReply.Button {
    fileprivate init?(_ element: PlacedElement) {
        guard case .button(let button, let label) = element.element else { return nil }
        let name: String
        switch button {
        case .accept: name = "accept"
        case .clear: name = "clear"
        case .cancel: name = "cancel"
        case .undo: name = "undo"
        default: return nil
        }
        self.init(button: name, label: label, rectangle: MirrorReply.Rectangle(element.rect))
    }
}

extension MirrorReply.Step {
    fileprivate init(_ step: MirrorChange.Step) {
        switch step {
        case .samples(let samples):
            self.init(
                samples: samples.map {
                    HostStroke.Sample(
                        microseconds: $0.microseconds, x: $0.position.x, y: $0.position.y, pressure: $0.pressure)
                })
        case .end: self.init(ends: true)
        case .cancel: self.init(cancels: true)
        }
    }
}
