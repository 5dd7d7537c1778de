// SPDX-License-Identifier: Apache-2.0
import Store
import Pad
import Record

/// The parameters of all errors, as far as they have some.
struct ErrorParameters: Codable, Equatable, Sendable {
    var interface, method, parameter, expected, id, reason, field: String?
    var isFull: Bool?
}

extension PanelError {
    /// As the interfaces have it.
    var wire: (name: String, parameters: ErrorParameters) {
        func service(_ name: String, _ parameters: ErrorParameters = ErrorParameters()) -> (String, ErrorParameters) {
            (InterfaceText.service + "." + name, parameters)
        }
        func panel(_ name: String, _ parameters: ErrorParameters = ErrorParameters()) -> (String, ErrorParameters) {
            (InterfaceText.panel + "." + name, parameters)
        }
        return switch self {
        case .interfaceNotFound(let name): service("InterfaceNotFound", ErrorParameters(interface: name))
        case .methodNotFound(let name): service("MethodNotFound", ErrorParameters(method: name))
        case .methodNotImplemented(let name): service("MethodNotImplemented", ErrorParameters(method: name))
        case .invalidParameter(let name, let expected):
            service("InvalidParameter", ErrorParameters(parameter: name, expected: expected))
        case .permissionDenied: service("PermissionDenied")
        case .expectedMore: service("ExpectedMore")
        case .busy(let id): panel("Busy", ErrorParameters(id: id.description))
        case .notRunning: panel("NotRunning")
        case .beingStored: panel("BeingStored")
        case .noSuchCapture(let id): panel("NoSuchCapture", ErrorParameters(id: id))
        case .storeFailed(let reason, let isFull): panel("StoreFailed", ErrorParameters(reason: reason, isFull: isFull))
        case .unreadableCapture(let id, let reason):
            panel("UnreadableCapture", ErrorParameters(id: id.description, reason: reason))
        case .notExportable(let reason): panel("NotExportable", ErrorParameters(reason: reason))
        case .tooSmallScreen(let field): panel("TooSmallScreen", ErrorParameters(field: field))
        case .unavailable(let reason): panel("Unavailable", ErrorParameters(reason: reason))
        case .malformedMessage(let reason): panel("MalformedMessage", ErrorParameters(reason: reason))
        case .tooManyConnections: panel("TooManyConnections")
        }
    }

    /// Nil for an error that this program does not know.
    init?(name: String, parameters: ErrorParameters) {
        let text = { (value: String?) in value ?? "" }
        switch name {
        case InterfaceText.service + ".InterfaceNotFound": self = .interfaceNotFound(text(parameters.interface))
        case InterfaceText.service + ".MethodNotFound": self = .methodNotFound(text(parameters.method))
        case InterfaceText.service + ".MethodNotImplemented": self = .methodNotImplemented(text(parameters.method))
        case InterfaceText.service + ".InvalidParameter":
            self = .invalidParameter(text(parameters.parameter), expected: parameters.expected)
        case InterfaceText.service + ".PermissionDenied": self = .permissionDenied
        case InterfaceText.service + ".ExpectedMore": self = .expectedMore
        case InterfaceText.panel + ".Busy":
            guard let id = CaptureID(text(parameters.id)) else { return nil }
            self = .busy(with: id)
        case InterfaceText.panel + ".NotRunning": self = .notRunning
        case InterfaceText.panel + ".BeingStored": self = .beingStored
        case InterfaceText.panel + ".NoSuchCapture": self = .noSuchCapture(text(parameters.id))
        case InterfaceText.panel + ".StoreFailed":
            self = .storeFailed(reason: text(parameters.reason), isFull: parameters.isFull ?? false)
        case InterfaceText.panel + ".UnreadableCapture":
            guard let id = CaptureID(text(parameters.id)) else { return nil }
            self = .unreadableCapture(id, reason: text(parameters.reason))
        case InterfaceText.panel + ".NotExportable": self = .notExportable(reason: text(parameters.reason))
        case InterfaceText.panel + ".TooSmallScreen": self = .tooSmallScreen(field: parameters.field)
        case InterfaceText.panel + ".Unavailable": self = .unavailable(reason: text(parameters.reason))
        case InterfaceText.panel + ".MalformedMessage": self = .malformedMessage(reason: text(parameters.reason))
        case InterfaceText.panel + ".TooManyConnections": self = .tooManyConnections
        default: return nil
        }
    }
}

extension PanelError {
    /// - Parameter unit: of the range's bounds, such as `millimetres`.
    static func outOfRange<Value>(_ name: String, _ range: ClosedRange<Value>, _ unit: String) -> PanelError {
        // Whole bounds of a number that may have a fraction are written without one.
        let bounds = [range.lowerBound, range.upperBound].map { bound in
            let text = "\(bound)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        return .invalidParameter(name, expected: "\(bounds[0]) to \(bounds[1]) \(unit)")
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
