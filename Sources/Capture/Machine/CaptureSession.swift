// SPDX-License-Identifier: Apache-2.0

/// The capture that runs.
struct CaptureSession {
    let order: CaptureOrder
    let start: Int64
    var lastTouch: Int64
    var ink = VisibleInk()
    var stroke: OpenStroke?
    let sampleLimit: Int
    /// Of strokes that have ended, also of those that were taken back: the record has them all.
    var sampleCount = 0
    var contacts: PageContacts<PageButton>
    var trail: InAirTrail

    init(order: CaptureOrder, start: Int64, sampleLimit: Int) {
        self.order = order
        self.sampleLimit = sampleLimit
        self.start = start
        lastTouch = start
        contacts = PageContacts(area: order.pad.signingArea)
        trail = InAirTrail(start: start)
    }
}
