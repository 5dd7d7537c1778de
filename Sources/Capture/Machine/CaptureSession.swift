// SPDX-License-Identifier: Apache-2.0
import Touch

/// The capture that runs.
struct CaptureSession {
    /// Whom the page belongs to until the contact lifts.
    enum Owner {
        case button(PageButton, isPressed: Bool)
        /// `pieces`: strokes that it has finished by leaving the signing area.
        case ink(StrokeCutter, pieces: Int)
    }

    let order: CaptureOrder
    let start: Int64
    var lastTouch: Int64
    var ink = VisibleInk()
    var stroke: OpenStroke?
    var owner: (contact: Int32?, part: Owner)?
    /// Contacts that came down where nothing is to be touched, while none owned the page; where they were last. They
    /// may still come into the signing area.
    var waiting: [Int32?: StrokeCutter] = [:]
    /// Who drew last, if contacts have names: the only one that may go on after lost events.
    var lastDrawn: Int32?
    var ignoredContacts = 0

    init(order: CaptureOrder, start: Int64) {
        self.order = order
        self.start = start
        lastTouch = start
    }

    func button(at sample: TouchSample) -> PageButton? {
        order.pad.button(at: sample.position).flatMap { order.policy.buttons.contains($0) ? $0 : nil }
    }
}
