// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
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
    case pad(PadCall, CaptureReach)
    /// The archive thread.
    case archive(ArchiveCall, CaptureReach)

    /// - Throws: ``PanelError/permissionDenied`` if hosts of this role may not call the method; its parameters are not
    ///   read then.
    package init(_ call: VarlinkCall, by role: HostRole) throws(PanelError) {
        guard let dot = call.method.lastIndex(of: ".") else { throw .methodNotFound(call.method) }
        let interface = String(call.method[..<dot])
        guard InterfaceText.all.contains(interface) else { throw .interfaceNotFound(interface) }
        if call.upgrade { throw .methodNotImplemented(call.method) }
        let name = call.method[call.method.index(after: dot)...]
        self = try interface == InterfaceText.service ? Self.service(call, name) : Self.panel(call, name, role)
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

    private static func panel(
        _ call: VarlinkCall, _ name: Substring, _ role: HostRole
    ) throws(PanelError) -> HostCall {
        guard let method = PanelMethod(rawValue: String(name)) else { throw .methodNotFound(call.method) }
        let reach = try method.reach(of: role)
        switch method {
        case .capture:
            var capture = try call.parameters(CaptureCall.self)
            try capture.check()
            capture.follows = call.more
            capture.askedBy = role
            return .pad(.capture(capture), reach)
        case .cancel: return .pad(.cancel(try runningID(call)), reach)
        case .clear: return .pad(.clear(try runningID(call)), reach)
        case .accept: return .pad(.accept(try runningID(call)), reach)
        case .status:
            _ = try call.parameters(NoParameters.self)
            return .pad(.status, reach)
        case .watch:
            _ = try call.parameters(NoParameters.self)
            if !call.more { throw .expectedMore }
            return .pad(.watch, reach)
        case .mirror:
            let name = try call.parameters(MirrorParameters.self).level
            let level = name.flatMap(MirrorLevel.init(rawValue:))
            guard level != nil || name == nil else {
                let levels = MirrorLevel.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidParameter("level", expected: "one of \(levels)")
            }
            if !call.more { throw .expectedMore }
            return .pad(.mirror(level), reach)
        case .pair: return .pad(.pair(try call.parameters(PairParameters.self).checked()), reach)
        case .identify:
            let key = try call.parameters(IdentifyParameters.self).checked()
            return .pad(.identify(gatewayKey: key), reach)
        case .screenshot:
            _ = try call.parameters(NoParameters.self)
            return .pad(.screenshot, reach)
        case .simulate:
            let name = try call.parameters(SimulateParameters.self).act
            guard let act = SimulatedAct(rawValue: name) else {
                let acts = SimulatedAct.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidParameter("act", expected: "one of \(acts)")
            }
            return .pad(.simulate(act), reach)
        case .list:
            _ = try call.parameters(NoParameters.self)
            return .archive(.list, reach)
        case .get:
            let (id, choice) = try call.parameters(GetParameters.self).checked()
            return .archive(.get(id, choice), reach)
        case .delete:
            let text = try call.parameters(DeleteParameters.self).id
            guard let id = CaptureID(text) else { throw .noSuchCapture(text) }
            return .archive(.delete(id), reach)
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

struct MirrorParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case level }

    var level: String?
}

struct PairParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case name, digits, key }

    var name, digits: String
    var key: String?

    func checked() throws(PanelError) -> PairingRequest {
        guard 1...64 ~= name.utf8.count, !name.isBlank else {
            throw .invalidParameter("name", expected: "1 to 64 bytes of UTF-8, not only blanks")
        }
        if let hidden = HiddenCharacter(in: name) { throw .hidden(hidden, in: "name") }
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw .invalidParameter("digits", expected: "six decimal digits")
        }
        if let key { try checkKeyDigest(key) }
        return PairingRequest(name: name, digits: digits, key: key)
    }
}

private func checkKeyDigest(_ key: String) throws(PanelError) {
    let isBase64 = key.utf8.count == 44 && key.utf8.allSatisfy { $0 < 0x80 }
    guard isBase64, Data(base64Encoded: key)?.count == 32 else {
        throw .invalidParameter("key", expected: "the 32 bytes of a SHA-256 in Base64")
    }
}

struct IdentifyParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case key }

    var key: String?

    func checked() throws(PanelError) -> String? {
        if let key { try checkKeyDigest(key) }
        return key
    }
}

struct PairReply: Codable {
    var allowed: Bool
}

struct SimulateParameters: StrictMembers {
    enum CodingKeys: CodingKey, CaseIterable { case act }

    var act: String
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
