// SPDX-License-Identifier: Apache-2.0

/// An error as a message: its name, and its parameters.
struct ErrorMessage: Codable, Equatable, Sendable {
    /// The full names of all errors.
    enum Name: String, Codable, CaseIterable {
        case interfaceNotFound = "org.varlink.service.InterfaceNotFound"
        case methodNotFound = "org.varlink.service.MethodNotFound"
        case methodNotImplemented = "org.varlink.service.MethodNotImplemented"
        case invalidParameter = "org.varlink.service.InvalidParameter"
        case permissionDenied = "org.varlink.service.PermissionDenied"
        case expectedMore = "org.varlink.service.ExpectedMore"
        case busy = "org.inkpanel.Panel.Busy"
        case notRunning = "org.inkpanel.Panel.NotRunning"
        case beingStored = "org.inkpanel.Panel.BeingStored"
        case notSigning = "org.inkpanel.Panel.NotSigning"
        case noSuchCapture = "org.inkpanel.Panel.NoSuchCapture"
        case storeFailed = "org.inkpanel.Panel.StoreFailed"
        case unreadableCapture = "org.inkpanel.Panel.UnreadableCapture"
        case encrypted = "org.inkpanel.Panel.Encrypted"
        case notExportable = "org.inkpanel.Panel.NotExportable"
        case tooSmallScreen = "org.inkpanel.Panel.TooSmallScreen"
        case documentRefused = "org.inkpanel.Panel.DocumentRefused"
        case noSuchDocument = "org.inkpanel.Panel.NoSuchDocument"
        case missingGlyphs = "org.inkpanel.Panel.MissingGlyphs"
        case unavailable = "org.inkpanel.Panel.Unavailable"
        case malformedMessage = "org.inkpanel.Panel.MalformedMessage"
        case tooManyConnections = "org.inkpanel.Panel.TooManyConnections"
    }

    /// Each error has some of them.
    struct Parameters: Codable, Equatable, Sendable {
        var interface, method, parameter, expected, id, reason, field, fault: String?
        var isFull: Bool?
        var fits: Int?
        var missingGlyphs: [MissingGlyphs]?
    }

    var error: Name
    var parameters = Parameters()
}

extension ErrorMessage {
    init(_ error: PanelError) {
        switch error {
        case .interfaceNotFound(let name): self.init(error: .interfaceNotFound, parameters: .init(interface: name))
        case .methodNotFound(let name): self.init(error: .methodNotFound, parameters: .init(method: name))
        case .methodNotImplemented(let name): self.init(error: .methodNotImplemented, parameters: .init(method: name))
        case .invalidParameter(let name, let expected):
            self.init(error: .invalidParameter, parameters: .init(parameter: name, expected: expected))
        case .permissionDenied: self.init(error: .permissionDenied)
        case .expectedMore: self.init(error: .expectedMore)
        case .busy(let id): self.init(error: .busy, parameters: .init(id: id?.description))
        case .notRunning: self.init(error: .notRunning)
        case .beingStored: self.init(error: .beingStored)
        case .notSigning: self.init(error: .notSigning)
        case .noSuchCapture(let id): self.init(error: .noSuchCapture, parameters: .init(id: id))
        case .storeFailed(let reason, let isFull):
            self.init(error: .storeFailed, parameters: .init(reason: reason, isFull: isFull))
        case .unreadableCapture(let id, let reason):
            self.init(error: .unreadableCapture, parameters: .init(id: id.description, reason: reason))
        case .encrypted(let id): self.init(error: .encrypted, parameters: .init(id: id.description))
        case .notExportable(let reason): self.init(error: .notExportable, parameters: .init(reason: reason))
        case .tooSmallScreen(let field, let fits):
            self.init(error: .tooSmallScreen, parameters: .init(field: field, fits: fits))
        case .documentRefused(let fault, let reason):
            self.init(error: .documentRefused, parameters: .init(reason: reason, fault: fault))
        case .noSuchDocument(let id): self.init(error: .noSuchDocument, parameters: .init(id: id))
        case .missingGlyphs(let missing): self.init(error: .missingGlyphs, parameters: .init(missingGlyphs: missing))
        case .unavailable(let reason): self.init(error: .unavailable, parameters: .init(reason: reason))
        case .malformedMessage(let reason): self.init(error: .malformedMessage, parameters: .init(reason: reason))
        case .tooManyConnections: self.init(error: .tooManyConnections)
        }
    }
}

extension PanelError {
    /// nil if a parameter that the error needs is missing.
    init?(_ message: ErrorMessage) {
        let parameters = message.parameters
        let (reason, id) = (parameters.reason ?? "", parameters.id.flatMap(CaptureID.init))
        switch message.error {
        case .interfaceNotFound: self = .interfaceNotFound(parameters.interface ?? "")
        case .methodNotFound: self = .methodNotFound(parameters.method ?? "")
        case .methodNotImplemented: self = .methodNotImplemented(parameters.method ?? "")
        case .invalidParameter: self = .invalidParameter(parameters.parameter ?? "", expected: parameters.expected)
        case .permissionDenied: self = .permissionDenied
        case .expectedMore: self = .expectedMore
        case .busy: self = .busy(with: id)
        case .notRunning: self = .notRunning
        case .beingStored: self = .beingStored
        case .notSigning: self = .notSigning
        case .noSuchCapture: self = .noSuchCapture(parameters.id ?? "")
        case .storeFailed: self = .storeFailed(reason: reason, isFull: parameters.isFull ?? false)
        case .unreadableCapture:
            guard let id else { return nil }
            self = .unreadableCapture(id, reason: reason)
        case .encrypted:
            guard let id else { return nil }
            self = .encrypted(id)
        case .notExportable: self = .notExportable(reason: reason)
        case .tooSmallScreen: self = .tooSmallScreen(field: parameters.field, fits: parameters.fits)
        case .documentRefused: self = .documentRefused(fault: parameters.fault ?? "", reason: reason)
        case .noSuchDocument: self = .noSuchDocument(parameters.id ?? "")
        case .missingGlyphs: self = .missingGlyphs(parameters.missingGlyphs ?? [])
        case .unavailable: self = .unavailable(reason: reason)
        case .malformedMessage: self = .malformedMessage(reason: reason)
        case .tooManyConnections: self = .tooManyConnections
        }
    }

    /// - Parameter unit: of the bounds, such as `millimetres`.
    package static func outOfRange<Value>(_ name: String, _ range: ClosedRange<Value>, _ unit: String) -> PanelError {
        // Writes 10.0 as 10.
        let bounds = [range.lowerBound, range.upperBound].map { bound in
            let text = "\(bound)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        return .invalidParameter(name, expected: "\(bounds[0]) to \(bounds[1]) \(unit)")
    }

    /// - Parameter name: of the parameter.
    package static func hidden(_ character: HiddenCharacter, in name: String) -> PanelError {
        .invalidParameter(name, expected: "a text without \(character)")
    }
}
