// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Linux

/// A connection to a panel. Each call blocks until its final reply. Not thread-safe.
///
/// ```swift
/// var panel = try PanelClient()
/// let call = CaptureCall(request: CaptureRequest(prompt: ["Delivery 4711 received"], signer: "Anna Müller"))
/// let capture = try panel.capture(call)
/// if capture.outcome == .accepted {
///     let picture = try panel.file(GetCall(capture.id, .png))
/// }
/// ```
public struct PanelClient: ~Copyable {
    private var connection: ClientConnection

    /// The default path of the socket on which the panel's service listens.
    public static let defaultPath = "/run/inkpanel/panel.sock"
    /// The path in the environment variable `INKPANEL_SOCKET`, such as that of a panel that `make run` has started;
    /// without it, ``defaultPath``.
    public static var usualPath: String {
        getenv("INKPANEL_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? defaultPath
    }

    /// Connects to the socket at `path`.
    public init(path: String = defaultPath) throws(PanelClientError) {
        connection = try ClientConnection(path: path)
    }

    /// Asks for a signature and waits until the capture ends. If the program ends before, the panel cancels the
    /// capture.
    /// - Parameters:
    ///   - call: the request, and the rules of the capture.
    ///   - progress: called with each change and each finished stroke.
    /// - Returns: the reply with the outcome.
    public mutating func capture(
        _ call: CaptureCall, progress: (CaptureReply) -> Void = { _ in }
    ) throws(PanelClientError) -> CaptureReply {
        try connection.send(.capture, call, more: true)
        while true {
            let (reply, continues) = try connection.receive(CaptureReply.self)
            switch reply.state {
            case .ended where !continues: return reply
            case .ended: throw connection.notUnderstood("a capture without a state")
            case _ where continues: progress(reply)
            default: throw connection.notUnderstood("a capture without an outcome")
            }
        }
    }

    /// Hands a document over, for captures on this connection. A connection holds one at a time.
    /// - Parameters:
    ///   - bytes: of a PDF file.
    ///   - sha256: of `bytes`, 64 lower-case hexadecimal digits. The panel compares it with what has come.
    /// - Returns: its name, for ``ReadDocument/id``.
    public mutating func open(document bytes: [UInt8], sha256: String) throws(PanelClientError) -> String {
        let call = OpenDocumentCall(byteCount: bytes.count, sha256: sha256)
        let id = try connection.call(.openDocument, call, OpenDocumentReply.self).id
        for start in stride(from: 0, to: bytes.count, by: AppendCall.piece) {
            let piece = bytes[start..<min(start + AppendCall.piece, bytes.count)]
            _ = try connection.call(.append, AppendCall(id: id, bytes: piece), NoReply.self)
        }
        return id
    }

    /// Makes room for another document on this connection.
    public mutating func closeDocument(_ id: String) throws(PanelClientError) {
        _ = try connection.call(.closeDocument, CloseDocumentCall(id: id), NoReply.self)
    }

    /// The signed document of an accepted capture, a PDF file.
    public mutating func signedDocument(of id: CaptureID) throws(PanelClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let call = GetDocumentCall(id: id, offset: bytes.count)
            let part = try connection.call(.getDocument, call, DocumentPart.self)
            guard let next = part.bytes, !next.isEmpty || !part.more, bytes.count <= ClientConnection.replyLimit else {
                throw connection.notUnderstood("no part of a document")
            }
            bytes += next
            if !part.more { return bytes }
        }
    }

    /// Cancels a capture. Use a connection of its own: ``capture(_:progress:)`` blocks its connection.
    /// - Parameter id: nil for the running capture.
    public mutating func cancel(_ id: CaptureID? = nil) throws(PanelClientError) {
        _ = try connection.call(.cancel, RunningCall(id: id), NoReply.self)
    }

    /// The stored records, newest first.
    public mutating func list() throws(PanelClientError) -> RecordList {
        try connection.call(.list, NoParameters(), RecordList.self)
    }

    /// All of a record except its ink.
    public mutating func metadata(of id: CaptureID) throws(PanelClientError) -> RecordMetadata {
        let reply = try connection.call(.get, GetCall(id, nil), GetReply.self)
        guard let metadata = reply.metadata else { throw connection.notUnderstood("no metadata") }
        return metadata
    }

    /// A record as a file, such as a picture of the signature.
    public mutating func file(_ call: GetCall) throws(PanelClientError) -> [UInt8] {
        let reply = try connection.call(.get, call, GetReply.self)
        guard let bytes = reply.bytes else { throw connection.notUnderstood("no file") }
        return bytes
    }

    /// Deletes a record, for good.
    public mutating func delete(_ id: CaptureID) throws(PanelClientError) {
        _ = try connection.call(.delete, RecordCall(id: id), NoReply.self)
    }

    /// The state of the panel, its screen, touch devices and store.
    public mutating func status() throws(PanelClientError) -> PanelStatus {
        try connection.call(.status, NoParameters(), StatusReply.self).status
    }

    /// The abilities of the panel.
    public mutating func abilities() throws(PanelClientError) -> PanelAbilities {
        try connection.call(.abilities, NoParameters(), AbilitiesReply.self).abilities
    }

    /// Figures for those who watch many panels.
    public mutating func health() throws(PanelClientError) -> PanelHealth {
        try connection.call(.health, NoParameters(), HealthReply.self).health
    }

    /// Shows what identifies the panel, and waits until that is gone.
    /// - Parameter gatewayKey: SHA-256 of the gateway's public key in Base64, to show it too.
    public mutating func identify(gatewayKey: String?) throws(PanelClientError) {
        _ = try connection.call(.identify, IdentifyCall(key: gatewayKey), NoReply.self)
    }

    /// The page of the running capture, with its ink field and buttons; nil without one. The panel then mirrors the
    /// page to this connection: use it for nothing else.
    public mutating func mirroredCapture() throws(PanelClientError) -> MirrorReply.Capture? {
        try connection.send(.mirror, MirrorCall(level: .state), more: true)
        return try connection.receive(MirrorReply.self).reply.capture
    }

    /// Makes the panel read its configuration again.
    public mutating func reload() throws(PanelClientError) -> ReloadReply {
        try connection.call(.reload, NoParameters(), ReloadReply.self)
    }

    /// The picture on the screen, as a PNG file.
    public mutating func screenshot() throws(PanelClientError) -> [UInt8] {
        let reply = try connection.call(.screenshot, NoParameters(), GetReply.self)
        guard let bytes = reply.bytes else { throw connection.notUnderstood("no picture") }
        return bytes
    }
}

/// Why a call failed.
public enum PanelClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no socket, or no process listens on it.
    case notRunning(path: String)
    /// The socket's group or mode excludes this user.
    case denied(path: String)
    /// The system's error.
    case cannotConnect(path: String, Errno)
    /// The connection ended without a reply.
    case ended(path: String)
    /// The reply is not one of a panel.
    case notUnderstood(path: String, String)
    /// The panel's own error.
    case refused(PanelError)

    /// The error and its remedy, for people.
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

/// A connection to the panel on a blocking socket.
struct ClientConnection: ~Copyable {
    /// Three times the base64 of the largest record.
    static let replyLimit = 256 << 20
    private static let chunk = 64 << 10

    private let path: String
    private let socket: FileDescriptor
    private var framer: MessageFramer

    init(path: String) throws(PanelClientError) {
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
        _ method: PanelMethod, _ parameters: some Encodable, _ type: Parameters.Type
    ) throws(PanelClientError) -> Parameters {
        try send(method, parameters)
        return try receive(type).reply
    }

    func send(_ method: PanelMethod, _ parameters: some Encodable, more: Bool = false) throws(PanelClientError) {
        guard let message = CallEncoder.message(method, parameters, more: more) else {
            throw .refused(.invalidParameter("parameters"))
        }
        var rest = message[...]
        while !rest.isEmpty {
            // If the panel has closed the connection, its reason may be there to read.
            guard let count = try? LocalSocket.send(rest, to: socket) else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next reply, and whether another one follows.
    mutating func receive<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(PanelClientError) -> (reply: Parameters, continues: Bool) {
        let bytes = try receiveMessage()
        do throws(ReplyError) {
            let reply = try VarlinkReply(bytes)
            return (try reply.parameters(type), reply.continues)
        } catch {
            switch error {
            case .notUnderstood(let reason): throw notUnderstood(reason)
            case .refused(let error): throw .refused(error)
            }
        }
    }

    func notUnderstood(_ reason: String) -> PanelClientError { .notUnderstood(path: path, reason) }

    private mutating func receiveMessage() throws(PanelClientError) -> ArraySlice<UInt8> {
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
