// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Linux

/// Why there is no picture, and what the person in front of the panel can do about it.
public enum ScreenError: Error, Equatable, Sendable {
    /// No `/dev/dri/card*` exists (yet).
    case noCard
    /// There are cards, but nothing on them that can show a picture now; why, for each card and connector.
    case noDisplay(reasons: [String])
    /// The card or connector asked for does not exist (yet); what there is instead.
    case noSuchDisplay(String, known: [String])
    /// The node of the card or the framebuffer device may not be opened, now or ever.
    case refused(card: String, NodeRefusal)
    /// It could not be opened for another reason.
    case cannotOpen(card: String, Errno)
    /// Somebody else is master of the card, so the kernel refuses to show our frames (EACCES). Without privileges a
    /// descriptor opened meanwhile never becomes master (drm_auth.c, `drm_master_check_perm`): the card must be opened
    /// again.
    case lostMaster(card: String)
    /// The card was unplugged or its driver was unbound (ENODEV).
    case cardGone(card: String)
    /// No memory to scan out from.
    case noBuffers(card: String, size: PixelSize, call: String, Errno)
    /// What the driver said about a buffer cannot be true, e.g. a pitch shorter than a row.
    case badBuffer(card: String, description: String)
    /// The mode could not be set.
    case modesetFailed(card: String, connector: String, mode: String, Errno)
    /// Any other call failed.
    case callFailed(card: String, connector: String, call: String, Errno)
    /// The kernel does not complete flips and setting the mode again does not help.
    case flipTimedOut(card: String, connector: String)
    /// Nothing is plugged to the connector any more.
    case disconnected(card: String, connector: String)
    /// The screen does not take the mode any more that is set: another one was plugged in.
    case modeGone(card: String, connector: String, mode: String)
    /// Training the link to the screen failed; the mode is to be set again.
    case linkFailed(card: String, connector: String)
    /// The terminal that the picture belongs to is not shown: somebody has switched to another one.
    case away
    /// There is no such framebuffer device (yet); those that there are.
    case noFramebuffer(path: String, known: [String])
    /// A framebuffer device that cannot be drawn on, or not any more; why, for people.
    case unusableFramebuffer(path: String, reason: String)
    /// The display was closed.
    case closed(name: String)
}

extension ScreenError {
    /// The errors that say something about the card rather than about the call.
    static func state(_ error: Errno, card: String) -> ScreenError? {
        switch error {
        case .permissionDenied: .lostMaster(card: card)
        case .noSuchDevice: .cardGone(card: card)
        default: nil
        }
    }
}

extension ScreenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noCard:
            "no graphics card: /dev/dri has no card*; is the display driver loaded and enabled in the device tree?"
        case .noDisplay(let reasons):
            "nothing to show a picture on: " + reasons.joined(separator: "; ")
        case .noSuchDisplay(let name, let known):
            "there is no \(name)"
                + (known.isEmpty ? "; no card has a connector" : "; there is " + known.joined(separator: ", "))
        case .refused(let card, let refusal):
            "\(card): \(refusal)"
        case .cannotOpen(let card, let error):
            "\(card): cannot open: \(error)"
        case .lostMaster(let card):
            "\(card): another program (a desktop, a splash screen, a second panel) holds the display; stop it or wait"
        case .cardGone(let card):
            "\(card): the graphics card is gone (unplugged or its driver unbound)"
        case .noBuffers(let card, let size, let call, let error):
            "\(card): no memory for a \(size) screen (\(call): \(error)); on a Raspberry Pi raise cma= on the kernel "
                + "command line"
        case .badBuffer(let card, let description):
            "\(card): the driver's answer cannot be used: \(description)"
        case .modesetFailed(let card, let connector, let mode, let error):
            "\(connector) on \(card): cannot set \(mode): \(error); choose another mode with video=\(connector):WxH on "
                + "the kernel command line"
        case .callFailed(let card, let connector, let call, let error):
            "\(connector) on \(card): \(call): \(error)"
        case .flipTimedOut(let card, let connector):
            "\(connector) on \(card): the driver does not complete page flips; see the kernel log for \"flip_done\""
        case .disconnected(let card, let connector):
            "\(connector) on \(card): nothing is connected any more; check the cable, and whether the screen is on"
        case .modeGone(let card, let connector, let mode):
            "\(connector) on \(card): what is connected now does not take \(mode)"
        case .linkFailed(let card, let connector):
            "\(connector) on \(card): the link to the screen failed, and is set up again; if it stays dark, try a "
                + "shorter cable, or a smaller mode with video=\(connector):WxH on the kernel command line"
        case .away:
            "another terminal is shown; switch back to the panel's (chvt)"
        case .noFramebuffer(let path, let known):
            "there is no framebuffer device \(path)"
                + (known.isEmpty
                    ? ", nor any other; is the screen's driver loaded?" : "; there is " + known.joined(separator: ", "))
        case .unusableFramebuffer(let path, let reason):
            "\(path) cannot be drawn on: \(reason)"
        case .closed(let name):
            "\(name): the display was closed"
        }
    }
}
