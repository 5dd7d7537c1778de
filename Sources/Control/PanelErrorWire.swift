// SPDX-License-Identifier: Apache-2.0
import Pad
import Record
import Store

/// The parameters of all errors; each error has some of them.
struct ErrorParameters: Codable, Equatable, Sendable {
    var interface, method, parameter, expected, id, reason, field: String?
    var isFull: Bool?
    var fits: Int?
    var missingGlyphs: [MissingGlyphs]?
}

extension PanelError {
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
        case .busy(let id): panel("Busy", ErrorParameters(id: id?.description))
        case .notRunning: panel("NotRunning")
        case .beingStored: panel("BeingStored")
        case .noSuchCapture(let id): panel("NoSuchCapture", ErrorParameters(id: id))
        case .storeFailed(let reason, let isFull): panel("StoreFailed", ErrorParameters(reason: reason, isFull: isFull))
        case .unreadableCapture(let id, let reason):
            panel("UnreadableCapture", ErrorParameters(id: id.description, reason: reason))
        case .encrypted(let id): panel("Encrypted", ErrorParameters(id: id.description))
        case .notExportable(let reason): panel("NotExportable", ErrorParameters(reason: reason))
        case .tooSmallScreen(let field, let fits): panel("TooSmallScreen", ErrorParameters(field: field, fits: fits))
        case .missingGlyphs(let missing): panel("MissingGlyphs", ErrorParameters(missingGlyphs: missing))
        case .unavailable(let reason): panel("Unavailable", ErrorParameters(reason: reason))
        case .malformedMessage(let reason): panel("MalformedMessage", ErrorParameters(reason: reason))
        case .tooManyConnections: panel("TooManyConnections")
        }
    }

    /// nil for an error that this program does not know.
    init?(name: String, parameters: ErrorParameters) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let (interface, error) = (String(name[..<dot]), name[name.index(after: dot)...])
        let reason = parameters.reason ?? ""
        switch (interface, error) {
        case (InterfaceText.service, "InterfaceNotFound"): self = .interfaceNotFound(parameters.interface ?? "")
        case (InterfaceText.service, "MethodNotFound"): self = .methodNotFound(parameters.method ?? "")
        case (InterfaceText.service, "MethodNotImplemented"): self = .methodNotImplemented(parameters.method ?? "")
        case (InterfaceText.service, "InvalidParameter"):
            self = .invalidParameter(parameters.parameter ?? "", expected: parameters.expected)
        case (InterfaceText.service, "PermissionDenied"): self = .permissionDenied
        case (InterfaceText.service, "ExpectedMore"): self = .expectedMore
        case (InterfaceText.panel, "Busy"):
            self = .busy(with: parameters.id.flatMap(CaptureID.init))
        case (InterfaceText.panel, "NotRunning"): self = .notRunning
        case (InterfaceText.panel, "BeingStored"): self = .beingStored
        case (InterfaceText.panel, "NoSuchCapture"): self = .noSuchCapture(parameters.id ?? "")
        case (InterfaceText.panel, "StoreFailed"):
            self = .storeFailed(reason: reason, isFull: parameters.isFull ?? false)
        case (InterfaceText.panel, "UnreadableCapture"):
            guard let id = parameters.id.flatMap(CaptureID.init) else { return nil }
            self = .unreadableCapture(id, reason: reason)
        case (InterfaceText.panel, "Encrypted"):
            guard let id = parameters.id.flatMap(CaptureID.init) else { return nil }
            self = .encrypted(id)
        case (InterfaceText.panel, "NotExportable"): self = .notExportable(reason: reason)
        case (InterfaceText.panel, "TooSmallScreen"):
            self = .tooSmallScreen(field: parameters.field, fits: parameters.fits)
        case (InterfaceText.panel, "MissingGlyphs"): self = .missingGlyphs(parameters.missingGlyphs ?? [])
        case (InterfaceText.panel, "Unavailable"): self = .unavailable(reason: reason)
        case (InterfaceText.panel, "MalformedMessage"): self = .malformedMessage(reason: reason)
        case (InterfaceText.panel, "TooManyConnections"): self = .tooManyConnections
        default: return nil
        }
    }

    /// - Parameter unit: of the bounds, such as `millimetres`.
    static func outOfRange<Value>(_ name: String, _ range: ClosedRange<Value>, _ unit: String) -> PanelError {
        // Writes 10.0 as 10.
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
        case .unsealed(let id): self = .unreadableCapture(id, reason: "it is encrypted and has no seal")
        case .renamed(let id, _): self = .unreadableCapture(id, reason: error.description)
        case .diskFull: self = .storeFailed(reason: error.description, isFull: true)
        case .encrypted(let id): self = .encrypted(id)
        case .failed, .unsafe, .exists, .inUse, .refused, .fullDirectory, .encryption, .seals, .onMedium:
            self = .storeFailed(reason: error.description, isFull: false)
        }
    }
}
