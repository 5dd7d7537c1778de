// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
import Ink
import Pad
import Record

extension MirrorReply {
    /// - Parameter ink: what the host has of the capture's ink; nil before it has a capture.
    init(_ change: MirrorChange, _ ink: inout MirrorInk?) {
        if let capture = change.capture { ink = MirrorInk(pen: capture.pen, density: capture.density) }
        if change.restarts { ink?.clear() }
        let steps = ink?.steps(for: change.steps) ?? []
        self.init(
            page: change.page, capture: change.capture.map(Capture.init), restarts: change.restarts ? true : nil,
            strokes: change.strokes, document: change.document, cells: change.cells.isEmpty ? nil : change.cells,
            steps: steps.isEmpty ? nil : steps)
    }
}

extension MirrorInk {
    fileprivate mutating func steps(for changes: [MirrorChange.Step]) -> [MirrorReply.Step] {
        var steps: [MirrorReply.Step] = []
        for change in changes {
            switch change {
            case .samples(let samples): add(samples)
            case .end: if let final = finish() { steps.append(MirrorReply.Step(final: final, ends: true)) }
            case .cancel:
                cancel()
                steps.append(MirrorReply.Step(cancels: true))
            }
        }
        if case .samples? = changes.last, let change = change() {
            steps.append(MirrorReply.Step(final: change.final, tail: change.tail))
        }
        return steps
    }
}

extension MirrorReply.Capture {
    fileprivate init(_ capture: MirroredCapture) {
        self.init(
            id: capture.id, size: capture.page.size, pixelsPerMillimetre: capture.density.pixelsPerMillimetre,
            field: MirrorReply.Rectangle(capture.page.inkArea.bounds),
            buttons: capture.page.buttons.compactMap(MirrorReply.Button.init), color: capture.color.hexText,
            texts: capture.texts, language: capture.language)
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
