// SPDX-License-Identifier: Apache-2.0
package import Pad
package import Record

/// What a call asks for, and of whom.
package enum HostCall: Equatable {
    case info
    case description(String)
    /// Of the main thread.
    case panel(PadCall)
    /// Of the archive thread.
    case archive(ArchiveCall)

    /// - Throws: the error to answer with.
    package init(_ call: VarlinkCall) throws(PanelError) {
        guard let dot = call.method.lastIndex(of: ".") else { throw .methodNotFound(call.method) }
        let interface = String(call.method[..<dot])
        guard InterfaceText.all.contains(interface) else { throw .interfaceNotFound(interface) }
        // No method of ours hands its connection over.
        if call.upgrade { throw .methodNotImplemented(call.method) }
        let name = call.method[call.method.index(after: dot)...]
        self = try interface == InterfaceText.service ? Self.service(call, name) : Self.panel(call, name)
    }

    private static func service(_ call: VarlinkCall, _ name: Substring) throws(PanelError) -> HostCall {
        switch name {
        case "GetInfo":
            _ = try call.parameters(NoParameters.self)
            return .info
        case "GetInterfaceDescription":
            return .description(try call.parameters(DescriptionParameters.self).interface)
        default: throw .methodNotFound(call.method)
        }
    }

    private static func panel(_ call: VarlinkCall, _ name: Substring) throws(PanelError) -> HostCall {
        switch name {
        case "Capture":
            return .panel(.capture(try call.parameters(CaptureParameters.self).call(follows: call.more)))
        case "Cancel": return .panel(.cancel(try running(call)))
        case "Clear": return .panel(.clear(try running(call)))
        case "Accept": return .panel(.accept(try running(call)))
        case "Status":
            _ = try call.parameters(NoParameters.self)
            return .panel(.status)
        case "Watch":
            _ = try call.parameters(NoParameters.self)
            if !call.more { throw .expectedMore }
            return .panel(.watch)
        case "List":
            _ = try call.parameters(NoParameters.self)
            return .archive(.list)
        case "Get":
            let (id, choice) = try call.parameters(GetParameters.self).export()
            return .archive(.get(id, choice))
        case "Delete":
            let text = try call.parameters(RecordParameters.self).id
            guard let id = CaptureID(text) else { throw .noSuchCapture(text) }
            return .archive(.delete(id))
        default: throw .methodNotFound(call.method)
        }
    }

    /// A text that is no id names no capture, and so none that runs.
    private static func running(_ call: VarlinkCall) throws(PanelError) -> CaptureID? {
        guard let text = try call.parameters(RunningParameters.self).id else { return nil }
        guard let id = CaptureID(text) else { throw .notRunning }
        return id
    }
}

/// What the archive thread is asked for.
package enum ArchiveCall: Equatable, Sendable {
    case list
    /// Nil is what is known about the record.
    case get(CaptureID, ExportChoice?)
    case delete(CaptureID)
}
