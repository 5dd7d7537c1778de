// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Linux

/// Why there is no picture. The description says what to do about it.
public enum ScreenError: Error, Equatable, Sendable {
    /// No `/dev/dri/card*` exists (yet).
    case noCard
    /// No card can show a picture now; the reasons for each card and connector.
    case noDisplay(reasons: [String])
    /// The requested card or connector does not exist (yet). `known` lists those that do.
    case noSuchDisplay(String, known: [String])
    /// This process may not open the node of the card or framebuffer device (yet).
    case refused(card: String, NodeRefusal)
    case cannotOpen(card: String, Errno)
    /// Another program is master of the card, so the kernel refuses our frames (EACCES). Without privileges a
    /// descriptor opened meanwhile never becomes master (drm_auth.c, `drm_master_check_perm`): open the card again.
    case lostMaster(card: String)
    /// The card was unplugged or its driver was unbound (ENODEV).
    case cardGone(card: String)
    case noBuffers(card: String, size: PixelSize, call: String, Errno)
    /// The driver described a buffer with impossible values, e.g. a pitch shorter than a row.
    case badBuffer(card: String, description: String)
    case modesetFailed(card: String, connector: String, mode: String, Errno)
    /// Another call failed.
    case callFailed(card: String, connector: String, call: String, Errno)
    /// The driver does not complete frames, and setting the mode again does not help.
    case flipTimedOut(card: String, connector: String)
    /// The screen was unplugged from the connector.
    case disconnected(card: String, connector: String)
    /// Another screen was plugged in, whose best mode has another size.
    case modeGone(card: String, connector: String, mode: String)
    /// Training the link to the screen failed; the mode must be set again.
    case linkFailed(card: String, connector: String)
    /// The user has switched to another virtual terminal.
    case otherTerminalShown
    /// The framebuffer device does not exist (yet). `known` lists those that do.
    case noFramebuffer(path: String, known: [String])
    /// The framebuffer device cannot be drawn on (any more); the reason, for people.
    case unusableFramebuffer(path: String, reason: String)
    case closed(name: String)
}

extension ScreenError {
    /// The error for an `errno` that is about the card rather than the call; nil for others.
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
            "no usable screen: " + reasons.joined(separator: "; ")
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
            "\(card): the driver returned unusable values: \(description)"
        case .modesetFailed(let card, let connector, let mode, let error):
            "\(connector) on \(card): cannot set \(mode): \(error); choose another mode with video=\(connector):WxH on "
                + "the kernel command line"
        case .callFailed(let card, let connector, let call, let error):
            "\(connector) on \(card): \(call): \(error)"
        case .flipTimedOut(let card, let connector):
            "\(connector) on \(card): the driver does not complete page flips; see the kernel log for \"flip_done\""
        case .disconnected(let card, let connector):
            "\(connector) on \(card): the screen was disconnected; check the cable, and whether the screen is on"
        case .modeGone(let card, let connector, let mode):
            "\(connector) on \(card): the screen that is connected now does not support \(mode)"
        case .linkFailed(let card, let connector):
            "\(connector) on \(card): the link to the screen failed, and is set up again; if it stays dark, try a "
                + "shorter cable, or a smaller mode with video=\(connector):WxH on the kernel command line"
        case .otherTerminalShown:
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
