// SPDX-License-Identifier: Apache-2.0
import Capture
public import Record
import Store

/// An error that a call is answered with, as the interfaces have it.
public enum CallError: Error, Equatable, Sendable {
    // Of org.varlink.service.
    case interfaceNotFound(String)
    case methodNotFound(String)
    case methodNotImplemented(String)
    /// - Parameter expected: what is taken, for people, as "0 to 1000"; nil when there is nothing to say.
    case invalidParameter(String, expected: String? = nil)
    case permissionDenied
    case expectedMore

    // Of org.inkpanel.Panel.
    case busy(with: CaptureID)
    case notRunning
    case beingStored
    case noSuchCapture(String)
    case storeFailed(reason: String, isFull: Bool)
    case unreadableCapture(CaptureID, reason: String)
    case notExportable(reason: String)
    /// - Parameter field: the text that is to be shorter, as ``PageTexts/Field``; nil when no text is.
    case tooSmallScreen(field: String?)
    case unavailable(reason: String)
    case malformedMessage(reason: String)
    case tooManyConnections

    /// - Parameter unit: of the range's bounds, such as `millimetres`.
    static func outOfRange<Value>(_ name: String, _ range: ClosedRange<Value>, _ unit: String) -> CallError {
        // Whole bounds of a number that may have a fraction are told without one.
        let bounds = [range.lowerBound, range.upperBound].map { bound in
            let text = "\(bound)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        return .invalidParameter(name, expected: "\(bounds[0]) to \(bounds[1]) \(unit)")
    }

    init(_ refusal: PanelRefusal) {
        switch refusal {
        case .busy(let id): self = .busy(with: id)
        case .notRunning: self = .notRunning
        case .beingStored: self = .beingStored
        case .pageTooSmall(let field): self = .tooSmallScreen(field: field?.rawValue)
        case .invalid(let parameter): self = .invalidParameter(parameter)
        case .storeFailed(let error): self.init(error)
        case .unavailable(let reason): self = .unavailable(reason: reason)
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .missing(let id): self = .noSuchCapture(id.description)
        case .unreadable(let id, let reason): self = .unreadableCapture(id, reason: reason.description)
        case .renamed(let id, _): self = .unreadableCapture(id, reason: error.description)
        case .diskFull: self = .storeFailed(reason: error.description, isFull: true)
        case .failed, .exists, .inUse, .refused, .fullDirectory:
            self = .storeFailed(reason: error.description, isFull: false)
        }
    }
}
