// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Ink
public import Touch

/// Decides what contacts do on a page: one of them presses a button or draws in the ink field.
///
/// The first contact that comes down on a button or enters the ink field owns the page until it lifts. All contacts
/// that are down at that time or come down meanwhile are ignored as long as they last. A contact that rests elsewhere,
/// such as a hand at the edge, owns nothing. ``ContactGate`` retires an owner that rests when another contact comes
/// down.
public struct PageContacts: Sendable {
    enum Effect: Equatable {
        case button(PageButton, isPressed: Bool)
        /// The contact came down on the button and lifted from it.
        case pressed(PageButton)
        /// - Parameter reading: of the report; nil for an end, and for a point between two reports, where the edge of
        ///   the field cuts a stroke.
        case ink(StrokeEvent, DeviceReading?)
        /// The contact was a palm: the strokes that it has finished by leaving the field are undone.
        case undo(strokes: Int)
    }

    private enum Part {
        case button(PageButton, isPressed: Bool)
        /// `finished`: strokes that it has finished by leaving the field.
        case ink(StrokeCutter, finished: Int)
    }

    private let inkArea: InkArea
    private let buttons: [PlacedElement]
    private var owner: (contact: Int32, part: Part)?
    /// Contacts that came down elsewhere while there was no owner, and where they were last. They may still enter the
    /// ink field.
    private var waiting: [Int32: StrokeCutter] = [:]
    /// The contact that drew last: the only one that may resume after dropped reports.
    private var lastDrawn: Int32?
    private(set) var ignoredContacts = 0

    init(page: PlacedPage) {
        inkArea = page.inkArea
        buttons = page.buttons
    }

    /// Contacts on a bare sheet: it has no buttons, and all of it takes ink.
    public init() {
        // No display is larger than the area.
        inkArea = InkArea(PixelRect(minX: 0, minY: 0, maxX: 1_000_000, maxY: 1_000_000))
        buttons = []
    }

    /// Whether a contact presses a button or draws.
    public var isOwned: Bool { owner != nil }

    /// - Returns: the strokes on a bare sheet.
    public mutating func strokes(of events: [TouchEvent]) -> [StrokeEvent] {
        var effects: [Effect] = []
        for event in events { _ = receive(event, &effects) }
        return effects.compactMap { if case .ink(let event, _) = $0 { event } else { nil } }
    }

    /// - Returns: whether the event counts as use of the page.
    mutating func receive(_ event: TouchEvent, _ effects: inout [Effect]) -> Bool {
        let contact = event.contact
        switch event.phase {
        case .began: return begin(event, mayPress: true, &effects)
        case .resumed:
            if isOwner(contact) { release(keepingInk: true, &effects) }
            // Others were counted when they came down. This one came down for ink, wherever it is now.
            return contact == lastDrawn && begin(event, mayPress: false, &effects)
        case .moved, .ended, .retired, .cancelled: break
        }
        guard isOwner(contact) else { return wait(event, &effects) }
        switch owner?.part {
        case .button(let button, let isPressed): press(button, isPressed, event, &effects)
        case .ink(let cutter, let finished): draw(cutter, finished, event, &effects)
        case nil: break
        }
        switch event.phase {
        case .moved: return !event.isResting
        case .retired: return false
        case .began, .resumed, .ended, .cancelled: return true
        }
    }

    /// Ends what the owner does. Its further reports are ignored.
    mutating func release(keepingInk: Bool, _ effects: inout [Effect]) {
        switch owner?.part {
        case .button(let button, let isPressed): if isPressed { effects.append(.button(button, isPressed: false)) }
        case .ink: effects.append(.ink(keepingInk ? .end : .cancel, nil))
        case nil: break
        }
        owner = nil
        waiting = [:]
    }

    private func isOwner(_ contact: Int32) -> Bool { owner.map { $0.contact == contact } ?? false }

    private mutating func begin(_ event: TouchEvent, mayPress: Bool, _ effects: inout [Effect]) -> Bool {
        // The lift of this contact was lost. Release it without pressing its button.
        if isOwner(event.contact) { release(keepingInk: true, &effects) }
        waiting[event.contact] = nil
        if owner != nil {
            ignoredContacts += 1
            return false
        }
        if mayPress, let button = buttons.first(where: { $0.rect.contains(event.sample.position) })?.button {
            own(.button(button, isPressed: true), event.contact)
            effects.append(.button(button, isPressed: true))
        } else {
            draw(with: StrokeCutter(area: inkArea), to: event, &effects)
        }
        return true
    }

    private mutating func draw(with cutter: StrokeCutter, to event: TouchEvent, _ effects: inout [Effect]) {
        var cutter = cutter
        let next = cutter.move(to: event)
        if cutter.isDrawing {
            own(.ink(cutter, finished: 0), event.contact)
            effects += next
        } else {
            waiting[event.contact] = cutter
        }
    }

    private mutating func own(_ part: Part, _ contact: Int32) {
        owner = (contact, part)
        lastDrawn = if case .ink = part { contact } else { nil }
        ignoredContacts += waiting.count
        waiting = [:]
    }

    /// A contact that came down elsewhere may enter the ink field. A contact that came down beside noise may own the
    /// page. It presses no button: it was meant for the page as it was then.
    private mutating func wait(_ event: TouchEvent, _ effects: inout [Effect]) -> Bool {
        if owner == nil, event.mayTakeOver, event.phase == .moved, waiting[event.contact] == nil {
            return begin(event, mayPress: false, &effects)
        }
        guard let cutter = waiting.removeValue(forKey: event.contact), event.phase == .moved else { return false }
        draw(with: cutter, to: event, &effects)
        return isOwner(event.contact)
    }

    private mutating func press(
        _ button: PageButton, _ isPressed: Bool, _ event: TouchEvent, _ effects: inout [Effect]
    ) {
        switch event.phase {
        case .began, .resumed: break
        case .moved:
            let rect = buttons.first { $0.button == button }?.rect
            let isInside = rect?.contains(event.sample.position) ?? false
            owner?.part = .button(button, isPressed: isInside)
            if isInside != isPressed { effects.append(.button(button, isPressed: isInside)) }
        case .ended:
            release(keepingInk: true, &effects)
            // The last position counts: a lifted contact measures nothing more.
            if isPressed { effects.append(.pressed(button)) }
        case .retired: release(keepingInk: true, &effects)
        case .cancelled:
            release(keepingInk: false, &effects)
            ignoredContacts += 1
        }
    }

    private mutating func draw(_ cutter: StrokeCutter, _ finished: Int, _ event: TouchEvent, _ effects: inout [Effect])
    {
        switch event.phase {
        case .began, .resumed: break
        case .moved:
            var cutter = cutter
            let next = cutter.move(to: event)
            owner?.part = .ink(cutter, finished: finished + next.count(where: { $0 == .ink(.end, nil) }))
            effects += next
        case .ended, .retired: release(keepingInk: true, &effects)
        case .cancelled:
            release(keepingInk: false, &effects)
            ignoredContacts += 1
            if finished > 0 { effects.append(.undo(strokes: finished)) }
        }
    }
}
