// SPDX-License-Identifier: Apache-2.0
package import Pad
package import Record

/// The interfaces of the service, and their descriptions.
enum InterfaceText {
    static let service = "org.varlink.service"
    static let panel = "org.inkpanel.Panel"
    static let all = [service, panel]

    /// nil for any other.
    static func description(of interface: String) -> String? {
        switch interface {
        case service: String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        case panel: String(decoding: PackageResources.org_inkpanel_Panel_varlink, as: UTF8.self)
        default: nil
        }
    }
}

/// A host's call, by the thread that replies to it.
package enum HostCall: Equatable {
    case info
    case description(String)
    /// The main thread.
    case pad(PadCall)
    /// The archive thread.
    case archive(ArchiveCall)

    package init(_ call: VarlinkCall) throws(PanelError) {
        guard let dot = call.method.lastIndex(of: ".") else { throw .methodNotFound(call.method) }
        let interface = String(call.method[..<dot])
        guard InterfaceText.all.contains(interface) else { throw .interfaceNotFound(interface) }
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
            var capture = try call.parameters(CaptureCall.self)
            try capture.check()
            capture.follows = call.more
            return .pad(.capture(capture))
        case "Cancel": return .pad(.cancel(try runningID(call)))
        case "Clear": return .pad(.clear(try runningID(call)))
        case "Accept": return .pad(.accept(try runningID(call)))
        case "Status":
            _ = try call.parameters(NoParameters.self)
            return .pad(.status)
        case "Watch":
            _ = try call.parameters(NoParameters.self)
            if !call.more { throw .expectedMore }
            return .pad(.watch)
        case "List":
            _ = try call.parameters(NoParameters.self)
            return .archive(.list)
        case "Get":
            let (id, choice) = try call.parameters(GetParameters.self).checked()
            return .archive(.get(id, choice))
        case "Delete":
            let text = try call.parameters(DeleteParameters.self).id
            guard let id = CaptureID(text) else { throw .noSuchCapture(text) }
            return .archive(.delete(id))
        default: throw .methodNotFound(call.method)
        }
    }

    private static func runningID(_ call: VarlinkCall) throws(PanelError) -> CaptureID? {
        guard let text = try call.parameters(RunningParameters.self).id else { return nil }
        // Not an ID, so it names no capture.
        guard let id = CaptureID(text) else { throw .notRunning }
        return id
    }
}

package enum ArchiveCall: Equatable, Sendable {
    case list
    /// Metadata if the choice is nil.
    case get(CaptureID, ExportChoice?)
    case delete(CaptureID)
}

// MARK: small parameters and replies

struct NoParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable {
        // Not synthesized for an enumeration without cases.
        static var allCases: [Self] { [] }
        init?(stringValue: String) { return nil }
        var stringValue: String { "" }
    }
}

/// The parameters of `Cancel`, `Clear` and `Accept`.
struct RunningParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case id }

    var id: String?
}

struct DeleteParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case id }

    var id: String
}

/// The parameters of `GetInterfaceDescription`.
struct DescriptionParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case interface }

    var interface: String
}

struct NoReply: Codable {}

struct DescriptionReply: Codable {
    var description: String
}
