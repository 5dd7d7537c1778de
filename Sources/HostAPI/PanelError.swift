// SPDX-License-Identifier: Apache-2.0

/// Why a host's call fails: the errors of org.varlink.service and org.inkpanel.Panel.
public enum PanelError: Error, Equatable, Sendable {
    // Errors of org.varlink.service.
    case interfaceNotFound(String)
    case methodNotFound(String)
    case methodNotImplemented(String)
    /// - Parameter expected: the accepted values, for people, such as "0 to 1000".
    case invalidParameter(String, expected: String? = nil)
    case permissionDenied
    case expectedMore

    // Errors of org.inkpanel.Panel.
    /// Another capture runs, and the call does not wait. nil if the host may not know which.
    case busy(with: CaptureID?)
    case notRunning
    /// The capture was accepted and is being stored.
    case beingStored
    /// The person reads, answers or passes the pad on: the page has no ink to accept or clear.
    case notSigning
    case noSuchCapture(String)
    case storeFailed(reason: String, isFull: Bool)
    case unreadableCapture(CaptureID, reason: String)
    /// Only its recipients can read this record.
    case encrypted(CaptureID)
    case notExportable(reason: String)
    /// - Parameters:
    ///   - field: what to shorten (such as `prompt`); nil if no text is too long.
    ///   - fits: the number of rows or characters of `field` that fit; nil if not only that field is too long.
    case tooSmallScreen(field: String?, fits: Int? = nil)
    /// The document cannot be shown or signed, or was not handed over whole.
    /// - Parameter fault: the name of the fault, such as `encrypted`, `damaged`, `noField` or `incomplete`.
    case documentRefused(fault: String, reason: String)
    /// No document with this name is open on this connection.
    case noSuchDocument(String)
    /// No font of the panel has characters of these texts.
    case missingGlyphs([MissingGlyphs])
    case unavailable(reason: String)
    case malformedMessage(reason: String)
    case tooManyConnections
}

extension PanelError: CustomStringConvertible {
    /// The error and its remedy, for people at a command line.
    public var description: String {
        switch self {
        case .interfaceNotFound(let name):
            "the panel does not have the interface \(name): its program has another version"
        case .methodNotFound(let name), .methodNotImplemented(let name):
            "the panel does not have the method \(name): its program is older than this one"
        case .invalidParameter(let name, let expected):
            "invalid parameter \(name)" + (expected.map { "; expected \($0)" } ?? "")
        case .permissionDenied:
            "this user may not use the panel, or not in this way: join its group (usermod -aG) and log in again; the "
                + "gateway's user never has full access"
        case .expectedMore: "this method requires the flag more"
        case .busy(let id):
            "another capture is running\(id.map { " (\($0))" } ?? ""); try again later, or wait for it (--wait)"
        case .notRunning: "no such capture is running"
        case .beingStored: "the signature was accepted and is being stored"
        case .notSigning: "the page of the capture takes no ink: wait until its state is signing"
        case .noSuchCapture(let id): "there is no capture \(id); inkpanel list shows all captures"
        case .documentRefused(_, let reason): "the document is refused: \(reason)"
        case .noSuchDocument(let id): "no document \(id) is open on this connection"
        case .storeFailed(let reason, _), .unavailable(let reason), .notExportable(let reason): reason
        case .encrypted(let id):
            "capture \(id) is encrypted; export it with --format encrypted, and open it with age -d"
        case .unreadableCapture(let id, let reason): "capture \(id) cannot be read: \(reason)"
        case .tooSmallScreen(nil, _): "the page does not fit on the panel's screen"
        case .tooSmallScreen("labels"?, _):
            "the buttons' labels do not fit on the panel's screen: shorten them in the messages file"
        case .tooSmallScreen("date"?, _):
            "the page does not fit on the panel's screen: the date is too long; shorten date in [pad]"
        case .tooSmallScreen("rows"?, let fits):
            "the page does not fit on the panel's screen: "
                + (fits.map { "of its rows only \($0) fit" } ?? "several texts are too long") + "; "
                + "send fewer rows, or shorter ones"
        case .tooSmallScreen(let field?, let fits?):
            "the page does not fit on the panel's screen: of the \(field) only \(fits) characters fit; shorten the "
                + "\(field), or do not show it"
        case .tooSmallScreen(let field?, nil):
            "the page does not fit on the panel's screen: several texts are too long; shorten them, the \(field) most"
        case .missingGlyphs(let missing):
            "no font of the panel has \(missing.map(\.description).joined(separator: "; ")): write it otherwise, "
                + "install a font that has it (the packages fonts-noto-core and fonts-noto-cjk have most), or set "
                + "missingGlyphs in the policy of the call"
        case .malformedMessage(let reason): "the panel did not understand the message: \(reason)"
        case .tooManyConnections: "the panel has too many connections; try again later"
        }
    }
}
