// SPDX-License-Identifier: Apache-2.0
public import Pad
public import Record

/// A connection to a panel, for commands: every call waits for its answer. One thread at a time.
public struct ControlClient: ~Copyable {
    private var connection: ClientConnection

    /// - Parameter path: of the panel's socket.
    public init(path: String = ControlSocket.defaultPath) throws(ControlClientError) {
        connection = try ClientConnection(path: path)
    }

    /// Asks for a signature and waits for its end. Whoever ends the program before cancels the capture.
    /// - Parameter progress: called with each change and each finished stroke.
    public mutating func capture(
        _ call: CaptureCall, progress: (CaptureProgress) -> Void
    ) throws(ControlClientError) -> EndedCapture {
        try connection.send("Capture", CaptureParameters(call), more: true)
        while true {
            let (reply, continues) = try connection.receive(CaptureReply.self)
            if !continues {
                guard let ended = reply.ended else { throw connection.confusion("a capture without an end") }
                return ended
            }
            guard let state = reply.progress else { throw connection.confusion("a capture in no state") }
            progress(state)
        }
    }

    /// - Parameter id: nil: the one that runs.
    public mutating func cancel(_ id: CaptureID? = nil) throws(ControlClientError) {
        _ = try connection.call("Cancel", RunningParameters(id: id?.description), NoReply.self)
    }

    /// - Parameter id: nil: the one that runs.
    public mutating func clear(_ id: CaptureID? = nil) throws(ControlClientError) {
        _ = try connection.call("Clear", RunningParameters(id: id?.description), NoReply.self)
    }

    /// - Parameter id: nil: the one that runs.
    public mutating func accept(_ id: CaptureID? = nil) throws(ControlClientError) {
        _ = try connection.call("Accept", RunningParameters(id: id?.description), NoReply.self)
    }

    public mutating func list() throws(ControlClientError) -> RecordList {
        try connection.call("List", NoParameters(), RecordList.self)
    }

    public mutating func metadata(of id: CaptureID) throws(ControlClientError) -> RecordMetadata {
        let reply = try connection.call("Get", GetParameters(id, nil), GetReply.self)
        guard let metadata = reply.metadata else { throw connection.confusion("no metadata") }
        return metadata
    }

    /// A record as a file.
    public mutating func file(of id: CaptureID, as choice: ExportChoice) throws(ControlClientError) -> [UInt8] {
        let reply = try connection.call("Get", GetParameters(id, choice), GetReply.self)
        guard let bytes = reply.bytes else { throw connection.confusion("no file") }
        return bytes
    }

    public mutating func delete(_ id: CaptureID) throws(ControlClientError) {
        _ = try connection.call("Delete", RecordParameters(id: id.description), NoReply.self)
    }

    public mutating func status() throws(ControlClientError) -> StatusReport {
        try connection.call("Status", NoParameters(), StatusReply.self).status
    }

    /// Tells of the status at once and at each change, until the panel ends or `isWanted` says no.
    public mutating func watch(_ isWanted: (StatusReport) -> Bool) throws(ControlClientError) {
        try connection.send("Watch", NoParameters(), more: true)
        while isWanted(try connection.receive(StatusReply.self).reply.status) {}
    }
}
