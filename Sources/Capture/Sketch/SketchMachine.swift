// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Record
import Touch

/// The sketch page, as a machine that is told what happens and says what is to be done; it waits for nothing, so it
/// needs no time but that of the reports.
///
/// What it holds to, whatever it is told and in whatever order: ink begins and ends in the drawing area; a contact that
/// began on a button draws nothing; what is recorded leads to what stands on the page.
public struct SketchMachine: Sendable {
    typealias Contacts = PageContacts<SketchButton>

    /// Reports that can be undone. A canvas has 64 MiB for them, more than 1.6 KiB for each; 0.4 KiB are usual.
    public static let standardUndoReach = 40_000

    private let pad: SketchPad
    private let tools: SketchTools
    private let clearsOnDoubleTap: Bool
    private var contacts: Contacts
    private var history: SketchHistory
    private var taps = DoubleTap()
    private var pressed: SketchButton?
    private var color = 0
    private var width = 0
    /// What is being drawn.
    private var stroke: (start: Int64, entry: SketchStroke)?
    /// What the caller was last told of buttons.
    private var told: [SketchButton: SketchButtonState] = [:]

    /// - Parameters:
    ///   - pad: of the page as it is laid out.
    ///   - undoReach: how many reports can be undone: no more than the canvas has memory for.
    public init(
        pad: SketchPad, tools: SketchTools, clearsOnDoubleTap: Bool = false, undoReach: Int = Self.standardUndoReach
    ) {
        self.pad = pad
        self.tools = tools
        self.clearsOnDoubleTap = clearsOnDoubleTap
        contacts = Contacts(area: pad.drawingArea)
        history = SketchHistory(reach: undoReach)
        for placed in pad.buttons { told[placed.button] = state(of: placed.button) }
    }

    public var canUndo: Bool { history.canUndo }
    public var canRedo: Bool { history.canRedo }
    /// Contacts that came down while another used the page, or were down when it began to.
    public var ignoredContacts: Int { contacts.ignoredContacts }

    /// How a button of the page looks: for drawing all of it.
    public func state(of button: SketchButton) -> SketchButtonState {
        var state = SketchButtonState(isPressed: pressed == button)
        switch button {
        case .undo: state.isEnabled = canUndo
        case .redo: state.isEnabled = canRedo
        case .clear, .save: state.isEnabled = !history.isBlank
        case .color(let index): (state.isChosen, state.tool) = (index == color, index)
        case .width(let index): (state.isChosen, state.tool) = (index == width, index)
        case .nextColor: state.tool = color
        case .nextWidth: state.tool = width
        }
        return state
    }

    public mutating func handle(_ input: SketchInput) -> [SketchEffect] {
        var effects: [SketchEffect] = []
        var steps: [Contacts.Step] = []
        switch input {
        case .restored(let entries): for entry in entries { history.apply(entry) }
        case .leave:
            contacts.letGo(keepingInk: true, &steps)
            follow(steps, lifted: nil, &effects)
            taps.reset()
        case .touch(let event, let contact):
            let pad = pad
            let hits = Contacts.Hits(button: { pad.button(at: $0.position) }, isInside: pad.isInside)
            _ = contacts.take(event, contact, hits, &steps)
            var lifted: Int64?
            if case .up(let sample) = event { lifted = sample.microseconds }
            follow(steps, lifted: lifted, &effects)
        }
        for placed in pad.buttons {
            let state = state(of: placed.button)
            if told[placed.button] != state { effects.append(.button(placed.button, state)) }
            told[placed.button] = state
        }
        return effects
    }

    /// - Parameter lifted: when the contact that uses the page did, if that is why.
    private mutating func follow(_ steps: [Contacts.Step], lifted: Int64?, _ effects: inout [SketchEffect]) {
        for step in steps {
            switch step {
            case .button(let button, let isPressed):
                pressed = isPressed ? button : nil
                taps.reset()
            case .pressed(let button): press(button, &effects)
            case .ink(.begin(let point)): begin(point.roundedForSketch, &effects)
            case .ink(.extend(let point)): extend(point.roundedForSketch, &effects)
            case .ink(.end): end(lifted: lifted, &effects)
            case .takeBack(let strokes):
                cancel(&effects)
                for _ in 0..<strokes { undo(&effects) }
                taps.reset()
            }
        }
    }

    private mutating func press(_ button: SketchButton, _ effects: inout [SketchEffect]) {
        switch button {
        case .undo: undo(&effects)
        case .redo: if history.redo() { effects += [.redo, .record(.redo)] }
        case .clear: clear(&effects)
        case .save: if !history.isBlank { effects.append(.save) }
        case .color(let index): if tools.colors.indices ~= index { color = index }
        case .width(let index): if tools.widths.indices ~= index { width = index }
        case .nextColor: color = (color + 1) % tools.colors.count
        case .nextWidth: width = (width + 1) % tools.widths.count
        }
    }

    // MARK: strokes

    private var corner: Point { Point(x: Double(pad.drawingArea.minX), y: Double(pad.drawingArea.minY)) }

    private mutating func begin(_ point: InkPoint, _ effects: inout [SketchEffect]) {
        let (pen, color) = (tools.pen(width: width), tools.colors[color])
        let sample = point.sketchSample(from: corner, since: point.microseconds)
        stroke = (point.microseconds, SketchStroke(pen: pen, color: color, samples: [sample]))
        taps.begin(point, pixelsPerMillimetre: pad.density.pixelsPerMillimetre)
        effects.append(.beginStroke(point, pen, color))
    }

    private mutating func extend(_ point: InkPoint, _ effects: inout [SketchEffect]) {
        guard let start = stroke?.start else { return }
        let sample = point.sketchSample(from: corner, since: start)
        stroke?.entry.samples.append(sample)
        taps.move(point, pixelsPerMillimetre: pad.density.pixelsPerMillimetre)
        effects.append(.extendStroke(point))
    }

    private mutating func end(lifted: Int64?, _ effects: inout [SketchEffect]) {
        guard let finished = stroke?.entry else { return }
        if clearsOnDoubleTap, let lifted, taps.end(at: lifted) {
            // Neither dot was meant.
            cancel(&effects)
            undo(&effects)
            clear(&effects)
            return
        }
        // Over the edge is no tap.
        if lifted == nil { taps.reset() }
        stroke = nil
        history.add(reports: finished.samples.count)
        effects += [.endStroke, .record(.stroke(finished))]
    }

    private mutating func cancel(_ effects: inout [SketchEffect]) {
        guard stroke != nil else { return }
        stroke = nil
        effects.append(.cancelStroke)
    }

    private mutating func undo(_ effects: inout [SketchEffect]) {
        if history.undo() { effects += [.undo, .record(.undo)] }
    }

    private mutating func clear(_ effects: inout [SketchEffect]) {
        if history.clear() { effects += [.clear, .record(.clear)] }
    }
}
