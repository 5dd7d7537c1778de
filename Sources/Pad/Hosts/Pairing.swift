// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Record
import Touch

/// The page on which a person allows a pairing, or compares the pad's identity, while it is shown.
struct Pairing {
    enum Kind { case pairing, identity }

    let call: CallID
    let kind: Kind
    let page: PlacedPage
    /// The time from which touches count. Earlier ones were meant for the page before.
    let from: Timestamp
    /// The time at which the pairing counts as denied, and the identity is hidden.
    let until: Timestamp
    private var contacts: PageContacts
    private var buttons = ShownButtons()

    init(call: CallID, kind: Kind, page: PlacedPage, from: Timestamp, until: Timestamp) {
        self.call = call
        self.kind = kind
        self.page = page
        self.from = from
        self.until = until
        contacts = PageContacts(page: page)
    }

    /// - Returns: the button that was pressed.
    mutating func receive(_ event: TouchEvent, _ actions: inout [PadAction]) -> PageButton? {
        var effects: [PageContacts.Effect] = []
        _ = contacts.receive(event, &effects)
        return apply(effects, &actions)
    }

    private mutating func apply(_ effects: [PageContacts.Effect], _ actions: inout [PadAction]) -> PageButton? {
        var activated: PageButton?
        for effect in effects {
            switch effect {
            case .button(let button, let isPressed):
                buttons.show(button, ButtonState(isPressed: isPressed), &actions)
            case .pressed(let button): activated = button
            // The page has no ink field.
            case .ink, .undo: break
            }
        }
        return activated
    }
}

/// A page that is not shown yet.
struct PreparedPairing {
    let call: CallID
    let kind: Pairing.Kind
    /// nil for an identity until the record thread has sent the key.
    var layout: LayoutID?
    /// The gateway's key, as in ``PairingRequest/key``.
    var gatewayKey: String?
}

extension Pad {
    private static let pairingTime = Duration.seconds(120)
    private static let identityTime = Duration.seconds(60)
    /// The time in which a touch that was meant for the page before may still come.
    private static let reactionTime = Duration.milliseconds(500)
    /// The time without a touch until nobody draws on the sketch any more.
    private static let sketchPause = Duration.seconds(10)
    /// Pairings in a minute: each shows a page.
    private static let pairingLimit = 3
    private static let minute = Duration.seconds(60)

    mutating func pair(_ request: PairingRequest, _ call: CallID, _ actions: inout [PadAction]) {
        func fail(_ error: PanelError) { actions.append(.reply(call, .failed(error))) }
        guard settings.allowsPairing else {
            return fail(
                .unavailable(reason: "this panel allows no pairing; pairing in [control] of its configuration does"))
        }
        if let obstacle = pairingObstacle { return fail(obstacle) }
        if isInUse { return fail(.busy(with: nil)) }
        pairingTimes = pairingTimes.filter { now < $0 + Self.minute }
        guard pairingTimes.count < Self.pairingLimit else {
            return fail(.unavailable(reason: "too many programs ask to be paired; try again in a minute"))
        }
        pairingTimes.append(now)
        let messages = settings.messages
        // Isolated from left to right (LRI, PDI): otherwise a page from right to left would swap the two groups.
        let digits = "\u{2066}\(request.digits.prefix(3)) \(request.digits.dropFirst(3))\u{2069}"
        var elements: [PageElement] = [
            .text(PageText(messages.text(.pair, of: request.name), .heading)),
            .text(PageText(digits, .digits)), .text(PageText(messages[.pairLine], .body)),
        ]
        // Last: a page that is too small for all texts is cut there.
        if let key = request.key { elements.append(Self.line(ofKey: key)) }
        elements += [.button(.cancel, label: messages[.cancel]), .button(.accept, label: messages[.allow])]
        let page = Page(elements, direction: messages.direction)
        layOut(page, of: PreparedPairing(call: call, kind: .pairing), &actions)
    }

    /// Shows the identity of this pad: its name and its keys, which a person compares with those that a host knows.
    /// - Parameter gatewayKey: as in ``PairingRequest/key``.
    mutating func identify(_ gatewayKey: String?, _ call: CallID, _ actions: inout [PadAction]) {
        let use = isInUse ? PanelError.unavailable(reason: "somebody uses the pad; try again in a few seconds") : nil
        if let obstacle = pairingObstacle ?? use { return actions.append(.reply(call, .failed(obstacle))) }
        preparedPairing = PreparedPairing(call: call, kind: .identity, gatewayKey: gatewayKey)
        actions.append(.store(.readKey(call)))
    }

    /// - Parameter fingerprint: of the key of the seals.
    mutating func identify(by fingerprint: String?, _ call: CallID, _ actions: inout [PadAction]) {
        guard let prepared = preparedPairing, prepared.call == call, prepared.layout == nil else { return }
        let messages = settings.messages
        var elements: [PageElement] = [.text(PageText(messages[.identity], .heading))]
        elements.append(.text(PageText(settings.panel ?? settings.program, .body)))
        if let fingerprint { elements.append(Self.line(ofFingerprint: fingerprint)) }
        elements.append(.text(PageText("\u{2066}\(settings.program)\u{2069}", .detail)))
        if let key = prepared.gatewayKey { elements.append(Self.line(ofKey: key)) }
        elements.append(.button(.cancel, label: messages[.cancel]))
        layOut(Page(elements, direction: messages.direction), of: prepared, &actions)
    }

    private mutating func layOut(_ page: Page, of prepared: PreparedPairing, _ actions: inout [PadAction]) {
        layoutCount += 1
        preparedPairing = prepared
        preparedPairing?.layout = LayoutID(layoutCount)
        actions.append(.render(.layOut(LayoutID(layoutCount), page)))
    }

    /// Why neither a pairing nor the identity can be shown; nil if they can.
    private var pairingObstacle: PanelError? {
        if isStopping { return .unavailable(reason: "the panel is shutting down") }
        if running != nil || preparing != nil || !waiting.isEmpty { return .busy(with: nil) }
        if pairingCall != nil {
            return .unavailable(reason: "another pairing, or the panel's identity, is shown; try again when it is gone")
        }
        if devices.isEmpty { return .unavailable(reason: "the panel has no touch device") }
        if let displayFault { return .unavailable(reason: "the panel has no display: \(displayFault)") }
        return nil
    }

    /// Whether somebody draws on the sketch, or reads the last page of a capture. Neither is interrupted.
    private var isInUse: Bool {
        if case .closing = state { return true }
        return page == .sketch && sketchTouch.map { now < $0 + Self.sketchPause } ?? false
    }

    /// The fingerprint as `ssh-keygen -lf` prints it, in groups.
    private static func line(ofFingerprint fingerprint: String) -> PageElement {
        let name = "SHA256:"
        return code(name, fingerprint.dropFirst(fingerprint.hasPrefix(name) ? name.count : 0))
    }

    /// The digest of a certificate's key, under the name that programs give it.
    private static func line(ofKey key: String) -> PageElement { code("SHA-256", key[...]) }

    /// Groups of four, which a person can keep apart.
    private static func code(_ name: String, _ key: Substring) -> PageElement {
        var rest = key
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        let line = ([Substring(name)] + groups).joined(separator: " ")
        return .text(PageText("\u{2066}\(line)\u{2069}", .code))
    }

    /// The call whose page is shown or prepared.
    var pairingCall: CallID? { askedPairing?.call }

    private var askedPairing: (call: CallID, kind: Pairing.Kind)? {
        if case .pairing(let pairing) = state { return (pairing.call, pairing.kind) }
        return preparedPairing.map { ($0.call, $0.kind) }
    }

    /// - Returns: false if the layout is not that of a pairing or an identity.
    mutating func pairingLaidOut(
        _ id: LayoutID, _ result: Result<PlacedPage, PageTooSmall>, _ actions: inout [PadAction]
    ) -> Bool {
        guard let prepared = preparedPairing, prepared.layout == id else { return false }
        preparedPairing = nil
        switch result {
        // Somebody has begun to draw meanwhile.
        case .success where isInUse: actions.append(.reply(prepared.call, .failed(.busy(with: nil))))
        case .success(let page):
            // People compare these characters, so none may be missing.
            let missing = page.missingGlyphs.filter { $0.text == MissingGlyphs.page }
            guard missing.isEmpty else {
                actions.append(.reply(prepared.call, .failed(.missingGlyphs(missing))))
                break
            }
            let until = after(prepared.kind == .pairing ? Self.pairingTime : Self.identityTime)
            let pairing = Pairing(
                call: prepared.call, kind: prepared.kind, page: page, from: after(Self.reactionTime), until: until)
            enter(.pairing(pairing), &actions)
        case .failure: actions.append(.reply(prepared.call, .failed(.tooSmallScreen(field: nil))))
        }
        return true
    }

    /// Ends the pairing or the identity, if there is one, and shows the idle page.
    /// - Parameter isAllowed: nil if nobody waits for the answer any more.
    mutating func endPairing(allowed isAllowed: Bool?, _ actions: inout [PadAction]) {
        guard let (call, kind) = askedPairing else { return }
        preparedPairing = nil
        if let isAllowed { actions.append(.reply(call, kind == .pairing ? .paired(isAllowed) : .done)) }
        if case .pairing = state { enter(.idle, &actions) }
    }

    mutating func touchPairing(_ pairing: Pairing, _ event: TouchEvent, _ actions: inout [PadAction]) {
        if now < pairing.from { return }
        var pairing = pairing
        let pressed = pairing.receive(event, &actions)
        state = .pairing(pairing)
        if let pressed { endPairing(allowed: pressed == .accept, &actions) }
    }
}
