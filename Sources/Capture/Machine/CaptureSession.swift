// SPDX-License-Identifier: Apache-2.0

/// The capture that runs.
struct CaptureSession {
    let order: CaptureOrder
    let start: Int64
    var lastTouch: Int64
    var ink = VisibleInk()
    var stroke: OpenStroke?
    var contacts: PageContacts<PageButton>
    var trail: InAirTrail

    init(order: CaptureOrder, start: Int64) {
        self.order = order
        self.start = start
        lastTouch = start
        contacts = PageContacts(area: order.pad.signingArea)
        trail = InAirTrail(start: start)
    }
}
