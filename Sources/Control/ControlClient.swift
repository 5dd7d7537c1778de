// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import JSON
public import Linux
public import Pad
public import Record

/// A connection to a panel, for commands. Each call blocks until its final reply. Not thread-safe.
public struct ControlClient: ~Copyable {
    private var connection: ClientConnection

    public init(path: String = ControlSocket.defaultPath) throws(ControlClientError) {
        connection = try ClientConnection(path: path)
    }

    /// Asks for a signature and waits until the capture ends. If the program ends before, the panel cancels the
    /// capture.
    /// - Parameter progress: called with each change and each finished stroke.
    public mutating func capture(
        _ call: CaptureCall, progress: (CaptureProgress) -> Void
    ) throws(ControlClientError) -> EndedCapture {
        try connection.send("Capture", call, more: true)
        while true {
            let (reply, continues) = try connection.receive(CaptureReply.self)
            switch reply {
            case .ended(let ended) where !continues: return ended
            case .progress(let state) where continues: progress(state)
            case .progress: throw connection.notUnderstood("a capture without an outcome")
            case .ended: throw connection.notUnderstood("a capture without a state")
            }
        }
    }

    public mutating func list() throws(ControlClientError) -> RecordList {
        try connection.call("List", NoParameters(), RecordList.self)
    }

    public mutating func metadata(of id: CaptureID) throws(ControlClientError) -> RecordMetadata {
        let reply = try connection.call("Get", GetParameters(id, nil), GetReply.self)
        guard let metadata = reply.metadata else { throw connection.notUnderstood("no metadata") }
        return metadata
    }

    public mutating func file(of id: CaptureID, as choice: ExportChoice) throws(ControlClientError) -> [UInt8] {
        let reply = try connection.call("Get", GetParameters(id, choice), GetReply.self)
        guard let bytes = reply.bytes else { throw connection.notUnderstood("no file") }
        return bytes
    }

    public mutating func delete(_ id: CaptureID) throws(ControlClientError) {
        _ = try connection.call("Delete", DeleteParameters(id: id.description), NoReply.self)
    }

    public mutating func status() throws(ControlClientError) -> StatusReport {
        try connection.call("Status", NoParameters(), StatusReply.self).status
    }

    /// Shows what identifies the panel, and waits until that is gone.
    /// - Parameter gatewayKey: SHA-256 of the gateway's public key in Base64, to show it too.
    public mutating func identify(gatewayKey: String?) throws(ControlClientError) {
        _ = try connection.call("Identify", IdentifyParameters(key: gatewayKey), NoReply.self)
    }

    /// The picture on the screen, as a PNG file.
    public mutating func screenshot() throws(ControlClientError) -> [UInt8] {
        let reply = try connection.call("Screenshot", NoParameters(), GetReply.self)
        guard let bytes = reply.bytes else { throw connection.notUnderstood("no picture") }
        return bytes
    }
}

/// Why a call failed.
public enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no socket, or no process listens on it.
    case notRunning(path: String)
    case denied(path: String)
    case cannotConnect(path: String, Errno)
    /// The connection ended without a reply.
    case ended(path: String)
    /// The reply is not one of a panel.
    case notUnderstood(path: String, String)
    /// The panel's own error.
    case refused(PanelError)

    public var description: String {
        switch self {
        case .notRunning(let path):
            "no panel answers at \(path): is inkpanel running? Start it (systemctl start inkpanel), or name its "
                + "--socket"
        case .denied(let path):
            "this user may not connect to \(path): join its group (ls -l \(path)) and log in again"
        case .cannotConnect(let path, let error): "cannot connect to \(path): \(error)"
        case .ended(let path): "the panel at \(path) has closed the connection: its program was stopped, or is starting"
        case .notUnderstood(let path, let reason): "the program at \(path) is not a panel of this version: \(reason)"
        case .refused(let error): error.description
        }
    }
}

/// A Varlink client on a blocking socket.
struct ClientConnection: ~Copyable {
    /// Three times the base64 of the largest record.
    private static let replyLimit = 256 << 20
    private static let chunk = 64 << 10

    private struct Call<Parameters: Encodable>: Encodable {
        var method: String
        var parameters: Parameters
        var more: Bool?
    }

    private struct Head: Decodable {
        var error: String?
        var continues: Bool?
    }

    private struct Failure: Decodable {
        var parameters: ErrorParameters?
    }

    private struct Reply<Parameters: Decodable>: Decodable {
        var parameters: Parameters
    }

    private let path: String
    private let socket: FileDescriptor
    private var framer: MessageFramer

    init(path: String) throws(ControlClientError) {
        let socket: FileDescriptor
        do throws(Errno) { socket = try LocalSocket.connect(to: path) } catch {
            switch error {
            case .noSuchFile, .notADirectory, .connectionRefused: throw .notRunning(path: path)
            case .permissionDenied, .notPermitted: throw .denied(path: path)
            default: throw .cannotConnect(path: path, error)
            }
        }
        // After everything that can fail: Swift 6.0 crashes on a partly initialized noncopyable value.
        self.path = path
        self.socket = socket
        framer = MessageFramer(limit: Self.replyLimit)
    }

    /// A call with one reply.
    mutating func call<Parameters: Decodable>(
        _ method: String, _ parameters: some Encodable, _ type: Parameters.Type
    ) throws(ControlClientError) -> Parameters {
        try send(method, parameters)
        return try receive(type).reply
    }

    func send(_ method: String, _ parameters: some Encodable, more: Bool = false) throws(ControlClientError) {
        let call = Call(method: InterfaceText.panel + "." + method, parameters: parameters, more: more ? true : nil)
        guard let message = try? JSONEncoder().encode(call) else { throw .refused(.invalidParameter("parameters")) }
        var rest = Array(message)[...] + [0]
        while !rest.isEmpty {
            // If the panel has closed the connection, its reason may be there to read.
            guard let count = try? LocalSocket.send(rest, to: socket) else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next reply, and whether another one follows.
    mutating func receive<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(ControlClientError) -> (reply: Parameters, continues: Bool) {
        let bytes = try receiveMessage()
        let message: JSONValue
        do throws(JSONFault) { message = try JSONValue(bytes) } catch {
            throw notUnderstood("it does not speak Varlink (\(error))")
        }
        guard let head = try? message.decode(Head.self) else { throw notUnderstood("it does not speak Varlink") }
        if let name = head.error {
            let parameters = (try? message.decode(Failure.self))?.parameters ?? ErrorParameters()
            guard let error = PanelError(name: name, parameters: parameters) else {
                throw notUnderstood("unknown error \(name)")
            }
            throw .refused(error)
        }
        do {
            return (try message.decode(Reply<Parameters>.self).parameters, head.continues ?? false)
        } catch let error as DecodingError {
            throw notUnderstood("\(error.memberPath) is not valid")
        } catch {
            throw notUnderstood("its answer is not JSON")
        }
    }

    func notUnderstood(_ reason: String) -> ControlClientError { .notUnderstood(path: path, reason) }

    private mutating func receiveMessage() throws(ControlClientError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            do throws(MalformedMessage) {
                if let message = try framer.next() { return message }
            } catch {
                throw notUnderstood(error.description)
            }
            let count: Int
            do throws(Errno) { count = try socket.read(into: &bytes) } catch { throw .ended(path: path) }
            if count == 0 { throw .ended(path: path) }
            framer.append(bytes[..<count])
        }
    }
}
