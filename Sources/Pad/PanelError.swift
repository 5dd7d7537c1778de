// SPDX-License-Identifier: Apache-2.0
public import Record

/// Why a host's call fails. `Control` maps it to the errors of the interfaces.
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
    /// Another capture runs, and the call does not wait.
    case busy(with: CaptureID)
    case notRunning
    /// The capture was accepted and is being stored.
    case beingStored
    case noSuchCapture(String)
    case storeFailed(reason: String, isFull: Bool)
    case unreadableCapture(CaptureID, reason: String)
    case notExportable(reason: String)
    /// - Parameter field: the text to shorten (``PageTexts/Field``); nil if no text is too long.
    case tooSmallScreen(field: String?)
    case unavailable(reason: String)
    case malformedMessage(reason: String)
    case tooManyConnections
}

extension PanelError: CustomStringConvertible {
    /// The error and its remedy, for people at a command line.
    public var description: String {
        switch self {
        case .interfaceNotFound(let name): "the panel does not know the interface \(name): its program is another one"
        case .methodNotFound(let name), .methodNotImplemented(let name):
            "the panel's program does not know \(name): it is older than this one"
        case .invalidParameter(let name, let expected):
            "the panel does not take what was said for \(name)" + (expected.map { "; expected \($0)" } ?? "")
        case .permissionDenied:
            "the panel does not answer this user: become a member of its group (usermod -aG) and log in again"
        case .expectedMore: "the panel wants to answer this more than once"
        case .busy(let id): "a signature is being asked for already (\(id)); try again later, or wait for it (--wait)"
        case .notRunning: "that capture does not run"
        case .beingStored: "the signature was accepted and is being stored"
        case .noSuchCapture(let id): "there is no capture \(id); inkpanel list names those that there are"
        case .storeFailed(let reason, _), .unavailable(let reason), .notExportable(let reason): reason
        case .unreadableCapture(let id, let reason): "capture \(id) cannot be read: \(reason)"
        case .tooSmallScreen(nil): "the page does not fit on the panel's screen"
        case .tooSmallScreen("labels"?):
            "the buttons' labels do not fit on the panel's screen: shorten them in its file of messages"
        case .tooSmallScreen("date"?):
            "the page does not fit on the panel's screen: its date is too long, as [pad] date has it"
        case .tooSmallScreen(let field?):
            "the page does not fit on the panel's screen: shorten the \(field), or do not show it"
        case .malformedMessage(let reason): "the panel did not understand: \(reason)"
        case .tooManyConnections: "the panel has too many connections; try again later"
        }
    }
}
