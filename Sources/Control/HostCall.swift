// SPDX-License-Identifier: Apache-2.0
import Document
import Evidence
package import HostAPI
package import Pad

/// A host's call, by the thread that replies to it.
package enum HostCall: Equatable {
    case info
    case description(String)
    /// The main thread.
    case pad(PadCall, CaptureReach)
    /// The archive thread.
    case archive(ArchiveCall, CaptureReach)
    /// The control thread, which keeps the documents of its connections.
    case document(DocumentCall)

    /// - Parameter document: the one of the host's connection, for a capture with it.
    /// - Throws: ``PanelError/permissionDenied`` if hosts of this role may not call the method; its parameters are not
    ///   read then.
    package init(
        _ call: VarlinkCall, by role: HostRole, document: HostDocument? = nil
    ) throws(PanelError) {
        guard let dot = call.method.lastIndex(of: ".") else { throw .methodNotFound(call.method) }
        let interface = String(call.method[..<dot])
        guard InterfaceText.all.contains(interface) else { throw .interfaceNotFound(interface) }
        if call.upgrade { throw .methodNotImplemented(call.method) }
        let name = call.method[call.method.index(after: dot)...]
        self =
            try interface == InterfaceText.service
            ? Self.service(call, name) : Self.panel(call, name, role, document)
    }

    private static func service(_ call: VarlinkCall, _ name: Substring) throws(PanelError) -> HostCall {
        switch name {
        case "GetInfo":
            _ = try call.parameters(NoParameters.self)
            return .info
        case "GetInterfaceDescription":
            return .description(try call.parameters(DescriptionCall.self).interface)
        default: throw .methodNotFound(call.method)
        }
    }

    private static func panel(
        _ call: VarlinkCall, _ name: Substring, _ role: HostRole, _ document: HostDocument?
    ) throws(PanelError) -> HostCall {
        guard let method = PanelMethod(rawValue: String(name)) else { throw .methodNotFound(call.method) }
        let reach = try method.reach(of: role)
        switch method {
        case .openDocument:
            let call = try call.parameters(OpenDocumentCall.self)
            return .document(.open(try call.checked(longest: HelperLimits.document)))
        case .append: return .document(.append(try call.parameters(AppendCall.self)))
        case .closeDocument: return .document(.close(try call.parameters(CloseDocumentCall.self).id))
        case .capture:
            var capture = try call.parameters(CaptureCall.self)
            if let read = capture.flow.document {
                try capture.attach(document, named: read.id)
            } else {
                try capture.readDocument()
            }
            try capture.chooseLanguage()
            try capture.check()
            capture.follows = call.more
            capture.askedBy = role
            return .pad(.capture(capture), reach)
        case .cancel: return .pad(.cancel(try runningID(of: call)), reach)
        case .clear: return .pad(.clear(try runningID(of: call)), reach)
        case .accept: return .pad(.accept(try runningID(of: call)), reach)
        case .typeName:
            let call = try call.parameters(TypeNameCall.self)
            return .pad(.typeName(try runningID(call.id), try call.checked()), reach)
        case .status:
            _ = try call.parameters(NoParameters.self)
            return .pad(.status, reach)
        case .health:
            _ = try call.parameters(NoParameters.self)
            return .pad(.health, reach)
        case .watch:
            _ = try call.parameters(NoParameters.self)
            if !call.more { throw .expectedMore }
            return .pad(.watch, reach)
        case .events:
            let known = try call.parameters(EventsCall.self)
            if !call.more { throw .expectedMore }
            return .pad(.events(known), reach)
        case .abilities:
            _ = try call.parameters(NoParameters.self)
            return .pad(.abilities, reach)
        case .mirror:
            let name = try call.parameters(MirrorCall.self).level
            let level = name.flatMap(MirrorLevel.init(rawValue:))
            guard level != nil || name == nil else {
                let levels = MirrorLevel.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidParameter("level", expected: "one of \(levels)")
            }
            if !call.more { throw .expectedMore }
            return .pad(.mirror(level), reach)
        case .pair: return .pad(.pair(try call.parameters(PairingRequest.self).checked()), reach)
        case .identify:
            let key = try call.parameters(IdentifyCall.self).checked()
            return .pad(.identify(gatewayKey: key), reach)
        case .screenshot:
            _ = try call.parameters(NoParameters.self)
            return .pad(.screenshot, reach)
        case .reload:
            _ = try call.parameters(NoParameters.self)
            return .pad(.reload, reach)
        case .simulate:
            let name = try call.parameters(SimulateCall.self).act
            guard let act = SimulatedAct(rawValue: name) else {
                let acts = SimulatedAct.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidParameter("act", expected: "one of \(acts)")
            }
            return .pad(.simulate(act), reach)
        case .list:
            _ = try call.parameters(NoParameters.self)
            return .archive(.list, reach)
        case .get:
            let (id, choice) = try call.parameters(GetCall.self).checked()
            return .archive(.get(id, choice), reach)
        case .getDocument:
            let (id, offset) = try call.parameters(GetDocumentCall.self).checked()
            return .archive(.getDocument(id, offset: offset), reach)
        case .delete:
            let text = try call.parameters(RecordCall.self).id
            guard let id = CaptureID(text) else { throw .noSuchCapture(text) }
            return .archive(.delete(id), reach)
        }
    }

    private static func runningID(of call: VarlinkCall) throws(PanelError) -> CaptureID? {
        try runningID(try call.parameters(RunningCall.self).id)
    }

    private static func runningID(_ text: String?) throws(PanelError) -> CaptureID? {
        guard let text else { return nil }
        // Not an ID, so it names no capture.
        guard let id = CaptureID(text) else { throw .notRunning }
        return id
    }
}

/// A call for the document of a connection.
package enum DocumentCall: Equatable {
    case open(OpenDocumentCall)
    case append(AppendCall)
    case close(String)
}

package enum ArchiveCall: Equatable, Sendable {
    case list
    /// Metadata if the choice is nil.
    case get(CaptureID, ExportChoice?)
    /// A part of the signed document.
    case getDocument(CaptureID, offset: Int)
    case delete(CaptureID)
}

extension CaptureCall {
    /// The panel has the bytes of the document, and its digest.
    fileprivate mutating func attach(_ document: HostDocument?, named id: String) throws(PanelError) {
        guard let document, document.id == id else { throw .noSuchDocument(id) }
        let (bytes, digest) = try document.whole()
        if let named = request.document?.sha256, named != digest {
            throw .invalidParameter("document.sha256", expected: "the SHA-256 of the document")
        }
        request.document = CaptureRequest.Document(
            reference: request.document?.reference, sha256: digest, computed: true)
        documentBytes = bytes
    }

    /// The bytes of a document only give its digest; the panel does not keep them.
    fileprivate mutating func readDocument() throws(PanelError) {
        guard let bytes = documentBytes else { return }
        let digest = SHA256Digest(of: bytes).description
        if let named = request.document?.sha256, named != digest {
            throw .invalidParameter("document.sha256", expected: "the SHA-256 of base64")
        }
        request.document = CaptureRequest.Document(
            reference: request.document?.reference, sha256: digest, computed: true)
        documentBytes = nil
    }

    /// Replaces the tag by that of the closest language that the pad has.
    fileprivate mutating func chooseLanguage() throws(PanelError) {
        guard let tag = request.language else { return }
        guard let language = MessageTable.Language(tag: tag) else {
            throw .invalidParameter(
                "language", expected: "a BCP 47 tag of one of the languages " + MessageTable.Language.allTags)
        }
        request.language = language.rawValue
    }
}
