// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Ink
import Record

/// The changes of a mirror. Members that are nil have not changed.
public struct MirrorChange: Equatable, Sendable {
    /// A step of the ink.
    public enum Step: Equatable, Sendable {
        /// Reports of the stroke that is being drawn, or the first ones of a new stroke.
        case samples([Sample])
        case end
        /// The stroke was no ink after all.
        case cancel
    }

    public var page: PanelStatus.Page
    /// The capture that is shown from now on, in place of everything before.
    public var capture: MirroredCapture?
    /// All ink sent before is gone: it was undone or cleared, or the page has changed. The rest of this change has the
    /// ink that is left.
    public var restarts = false
    public var strokes: Int?
    /// The page of the document that the person reads.
    public var document: MirrorReply.Document?
    public var cells: [MirrorReply.Cell] = []
    public var steps: [Step] = []
}

/// The page of a mirrored capture.
public struct MirroredCapture: Equatable, Sendable {
    public var id: CaptureID
    public var page: PlacedPage
    /// The texts of the page and its answers, from top to bottom, for people who do not see its picture; nil if the
    /// mirror shows no texts.
    public var texts: [String]?
    /// A BCP 47 tag; nil if the texts are of no language that the program includes.
    public var language: String?
    public var pen: Pen
    public var color: Color
    /// The pixel density of the screen, for the ink.
    public var density: PixelDensity
}

/// A program that watches captures in a mirror.
struct Mirror {
    /// The time from the first new ink to the change that sends it, with all ink that was drawn meanwhile. Ink has at
    /// most 15 changes a second, because a message for each report would cost more than the report; squares have 5. A
    /// clock sets their pace, because the pen's would reveal the speed of writing.
    private var interval: Duration { .milliseconds(level == .ink ? 66 : 200) }

    let call: CallID
    let reach: CaptureReach
    let level: MirrorLevel
    /// The page that was sent last.
    private var page: PanelStatus.Page?
    private var shown: Shown?
    private var strokes = 0
    private var document: MirrorReply.Document?
    private var cells: Set<MirrorReply.Cell> = []
    private var unsentCells: [MirrorReply.Cell] = []
    private var unsentSteps: [MirrorChange.Step] = []
    /// When to send the unsent ink; nil if all is sent.
    private var inkDeadline: Timestamp?
    /// When to send the picture of a page without ink, such as that of a document; nil if nothing on it has changed.
    private var pictureDeadline: Timestamp?

    /// A page of a capture.
    private struct Shown: Equatable {
        var id: CaptureID
        var page: Int
        var takesInk: Bool
    }

    init(call: CallID, reach: CaptureReach, level: MirrorLevel) {
        self.call = call
        self.reach = reach
        self.level = level
    }

    var deadline: Timestamp? { [inkDeadline, pictureDeadline].compactMap(\.self).min() }

    /// Whether it shows the page to sign on.
    private var showsSheet: Bool { level > .state && shown?.takesInk == true }

    /// Whether it shows pages without ink, too. A document has the ink that was accepted.
    private var showsDocument: Bool { level == .ink && shown?.takesInk == false }

    /// Pages that somebody scrolls are sent twice a second: each picture is a large message.
    private static let pictureInterval = Duration.milliseconds(500)

    /// Whether to send the picture of the page now.
    /// - Parameter change: what has changed on the page.
    mutating func sendsPicture(after change: PictureChange, at now: Timestamp) -> Bool {
        guard showsDocument else {
            pictureDeadline = nil
            return showsSheet && change != .nothing && change != .document
        }
        // Send a new page at once, because the last picture shows another page.
        if change == .page { pictureDeadline = now }
        if change != .nothing { pictureDeadline = pictureDeadline ?? now + Self.pictureInterval }
        guard let deadline = pictureDeadline, now >= deadline else { return false }
        pictureDeadline = nil
        return true
    }

    /// The change of a page's picture, apart from ink that is not accepted and a banner over it.
    enum PictureChange {
        case nothing, document, button, page
    }

    /// - Parameters:
    ///   - capture: the running one, if any.
    ///   - steps: the ink of this event; nil if ink was undone or cleared.
    /// - Returns: nil if nothing of what this mirror shows has changed.
    mutating func change(
        to page: PanelStatus.Page, _ capture: Capture?, _ pad: Pad, steps: [MirrorChange.Step]?
    ) -> MirrorChange? {
        let capture = capture.flatMap { $0.requested.isWithin(reach) ? $0 : nil }
        let next = capture.map { Shown(id: $0.requested.id, page: $0.pageCount, takesInk: $0.takesInk) }
        var change = MirrorChange(page: page)
        let isOther = shown != next
        let isFirst = self.page == nil
        change.restarts = isOther || capture != nil && steps == nil
        if isOther, let capture {
            let showsTexts = capture.takesInk ? level > .state : level == .ink
            change.capture = MirroredCapture(
                id: capture.requested.id, page: capture.page, texts: showsTexts ? capture.page.page.words : nil,
                language: capture.requested.messages.language?.rawValue, pen: capture.pen, color: pad.settings.color,
                density: pad.screen.density)
        }
        if change.restarts { (cells, unsentCells, unsentSteps, inkDeadline, strokes) = ([], [], [], nil, 0) }
        if let capture {
            if strokes != capture.strokeCount || change.restarts { change.strokes = capture.strokeCount }
            add(
                change.restarts ? capture.allSteps : steps ?? [], on: capture.page, pad.screen.density, pad.now, &change
            )
        }
        let document = capture?.mirroredDocument
        if document != self.document || change.restarts { change.document = document }
        defer { (self.page, shown, strokes, self.document) = (page, next, capture?.strokeCount ?? 0, document) }
        let isSame = self.page == page && !change.restarts && change.strokes == nil && change.document == nil
        return isSame && !isFirst && change.cells.isEmpty && change.steps.isEmpty ? nil : change
    }

    private mutating func add(
        _ steps: [MirrorChange.Step], on page: PlacedPage, _ density: PixelDensity, _ now: Timestamp,
        _ change: inout MirrorChange
    ) {
        var hasEnded = change.restarts
        switch level {
        case .state: break
        case .ink:
            for step in steps {
                if case .samples(let samples) = step {
                    if case .samples(let before)? = unsentSteps.last {
                        unsentSteps[unsentSteps.count - 1] = .samples(before + samples)
                    } else {
                        unsentSteps.append(step)
                    }
                } else {
                    hasEnded = true
                    unsentSteps.append(step)
                }
            }
        case .presence:
            let side = MirrorReply.Cell.side * density.pixelsPerMillimetre
            for step in steps {
                guard case .samples(let samples) = step else {
                    hasEnded = true
                    continue
                }
                for sample in samples {
                    let x = (sample.position.x - Double(page.inkArea.bounds.minX)) / side
                    let y = (sample.position.y - Double(page.inkArea.bounds.minY)) / side
                    let cell = MirrorReply.Cell(x: Int(x.rounded(.down)), y: Int(y.rounded(.down)))
                    if cells.insert(cell).inserted { unsentCells.append(cell) }
                }
            }
        }
        if unsentCells.isEmpty, unsentSteps.isEmpty {
            inkDeadline = nil
            return
        }
        let deadline = inkDeadline ?? now + interval
        inkDeadline = deadline
        guard hasEnded || now >= deadline else { return }
        (change.cells, change.steps, unsentCells, unsentSteps, inkDeadline) = (unsentCells, unsentSteps, [], [], nil)
    }
}

extension Pad {
    /// Programs that may watch at once.
    private static let mirrorLimit = 8

    mutating func addMirror(_ level: MirrorLevel?, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction])
    {
        guard let most = settings.mirror else {
            let reason = "this panel has no mirror; mirror in [control] of its configuration allows one"
            return actions.append(.reply(call, .failed(.unavailable(reason: reason))))
        }
        guard level ?? most <= most else {
            let allowed = MirrorLevel.allCases.filter { $0 <= most }.map(\.rawValue).joined(separator: " or ")
            return actions.append(.reply(call, .failed(.invalidParameter("level", expected: allowed))))
        }
        guard mirrors.count < Self.mirrorLimit else {
            let reason = "\(Self.mirrorLimit) programs already watch"
            return actions.append(.reply(call, .failed(.unavailable(reason: reason))))
        }
        let wasWatched = isWatched
        mirrors.append(Mirror(call: call, reach: reach, level: level ?? most))
        if isWatched != wasWatched { actions.append(.render(.sign(.watched, isShown: true))) }
    }

    mutating func removeMirror(_ call: CallID, _ actions: inout [PadAction]) {
        guard let index = mirrors.firstIndex(where: { $0.call == call }) else { return }
        let wasWatched = isWatched
        mirrors.remove(at: index)
        if isWatched != wasWatched { actions.append(.render(.sign(.watched, isShown: false))) }
    }

    /// Whether a mirror shows ink, or its places. The level below shows no more than a status, and the page has no sign
    /// for hosts that watch the status either.
    private var isWatched: Bool { mirrors.contains { $0.level > .state } }

    /// Sends the changes that the actions make to the mirrors.
    mutating func replyToMirrors(_ actions: inout [PadAction]) {
        let steps = MirrorChange.Step.steps(in: actions)
        let changes = actions.compactMap { action in
            if case .render(let action) = action { action.pictureChange } else { nil }
        }
        let drawn: Mirror.PictureChange =
            changes.contains(.button) ? .button : changes.contains(.document) ? .document : .nothing
        let (page, capture) = (page, running)
        for index in mirrors.indices {
            let change = mirrors[index].change(to: page, capture, self, steps: steps)
            let call = mirrors[index].call
            if let change { actions.append(.reply(call, .mirrored(change))) }
            if mirrors[index].sendsPicture(after: change?.capture == nil ? drawn : .page, at: now) {
                actions.append(.render(.backdrop(call)))
            }
        }
    }
}

extension RenderAction {
    fileprivate var pictureChange: Mirror.PictureChange {
        switch self {
        case .button, .hint: .button
        case .document, .label: .document
        default: .nothing
        }
    }
}

extension MirrorChange.Step {
    /// - Returns: nil if the actions undo or clear ink.
    fileprivate static func steps(in actions: [PadAction]) -> [Self]? {
        var steps: [Self] = []
        var samples: [Sample] = []
        func flush() {
            if !samples.isEmpty { steps.append(.samples(samples)) }
            samples = []
        }
        for case .render(let action) in actions {
            switch action {
            case .ink(.begin(let sample), _), .ink(.move(let sample), _): samples.append(sample)
            case .ink(.end, _):
                flush()
                steps.append(.end)
            case .ink(.cancel, _):
                samples = []
                steps.append(.cancel)
            case .undo, .redo, .clear: return nil
            default: break
            }
        }
        flush()
        return steps
    }
}
