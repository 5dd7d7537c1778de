// SPDX-License-Identifier: Apache-2.0
package import FlyingSocks
import Foundation
import Glibc
import HTTP
package import HostAPI

/// The panel's program, reached over the Varlink socket of its host API (docs/host-api.md).
package struct PanelService: Sendable {
    /// Path of the socket.
    let socket: String
    let pool: any AsyncSocketPool
    private let places = PanelPlaces()

    package init(socket: String, pool: any AsyncSocketPool) {
        self.socket = socket
        self.pool = pool
    }

    /// Calls a method that has one reply, on a connection of its own, when the caller's turn has come.
    /// - Throws: ``Problem`` with the panel's error, or if the panel does not answer.
    func call<Reply: Decodable & Sendable>(
        _ method: PanelMethod, _ parameters: some Encodable & Sendable, _ type: Reply.Type
    ) async throws -> Reply {
        try await call(method, parameters, type, method == .pair ? .pairings : .states)
    }

    /// Gets a part of a signed document.
    /// - Throws: ``Problem`` with the panel's error, or if the panel does not answer.
    func documentPart(_ call: GetDocumentCall) async throws -> DocumentPart {
        try await self.call(.getDocument, call, DocumentPart.self, .files)
    }

    private func call<Reply: Decodable & Sendable>(
        _ method: PanelMethod, _ parameters: some Encodable & Sendable, _ type: Reply.Type, _ line: PanelPlaces.Line
    ) async throws -> Reply {
        let place = try await places.take(for: line)
        let connection = try await connect()
        defer {
            connection.end()
            withExtendedLifetime(place) {}
        }
        try await connection.send(method, parameters)
        return try await connection.next(type).reply
    }

    /// Asks for a record in a format.
    /// - Throws: ``Problem`` if the panel does not answer.
    package func get(_ call: GetCall) async throws -> LongReply {
        try await long(.get, call, PanelPlaces.Line(of: call))
    }

    /// Asks for the list of all records. This program reads it at once, however slow its client is.
    /// - Throws: ``Problem`` if the panel does not answer.
    func list() async throws -> LongReply { try await long(.list, NoParameters(), .records) }

    private func long(
        _ method: PanelMethod, _ parameters: some Encodable & Sendable, _ line: PanelPlaces.Line
    ) async throws -> LongReply {
        let place = try await places.take(for: line)
        let connection = try await connect()
        do { try await connection.send(method, parameters) } catch {
            connection.end()
            throw error
        }
        return LongReply(connection, place)
    }

    /// - Throws: ``Problem/noPanel``.
    func connect() async throws -> PanelConnection {
        do {
            let socket = try await AsyncSocket.connected(toLocal: socket, pool: pool)
            return PanelConnection(socket, pool)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Problem.noPanel
        }
    }
}

/// A connection to the panel. Its calls are answered in order; closing it cancels its capture.
actor PanelConnection {
    /// Bytes of a reply that is read whole; the longest is the picture of a page.
    private static let replyLimit = 4 << 20

    private let socket: AsyncSocket
    private let reader: SocketReader

    init(_ socket: AsyncSocket, _ pool: any AsyncSocketPool) {
        self.socket = socket
        reader = SocketReader(socket, pool: pool)
    }

    deinit { try? socket.close() }

    /// - Parameter more: asks for several replies.
    /// - Throws: ``Problem/tooLarge`` before anything is sent.
    func send(_ method: PanelMethod, _ parameters: some Encodable & Sendable, more: Bool = false) async throws {
        // The terminator is one byte more.
        guard let message = CallEncoder.message(method, parameters, more: more), message.count <= Router.bodyLimit + 1
        else { throw Problem.tooLarge }
        do {
            try await socket.write(Data(message))
        } catch SocketError.disconnected {
            // If the panel has closed the connection, its reason may be there to read.
        }
    }

    /// Waits for the next reply.
    /// - Returns: its parameters, and whether another one follows.
    /// - Throws: ``Problem`` with the panel's error, or if the connection ended.
    func next<Reply: Decodable & Sendable>(
        _ type: Reply.Type
    ) async throws -> (reply: Reply, continues: Bool) {
        let bytes = try await nextMessage()
        do throws(ReplyError) {
            let reply = try VarlinkReply(bytes)
            return (try reply.parameters(type), reply.continues)
        } catch {
            throw Problem(error)
        }
    }

    /// Waits for the next bytes of a reply.
    /// - Throws: ``Problem/noPanel`` if the connection ended.
    func portion() async throws -> ArraySlice<UInt8> {
        do {
            guard let bytes = try await reader.portion() else { throw Problem.noPanel }
            return bytes
        } catch is SocketError {
            throw Problem.noPanel
        }
    }

    /// Ends the connection; a task that waits for a reply then gets ``Problem/noPanel``. The descriptor is closed with
    /// the last reference, because a number that is closed while a task waits on it could be another file's by then.
    nonisolated func end() { _ = shutdown(socket.socket.file.rawValue, CInt(SHUT_RDWR)) }

    private func nextMessage() async throws -> ArraySlice<UInt8> {
        do {
            let message = try await reader.bytes(
                through: 0, atMost: Self.replyLimit, else: .panelFailed("it is too long"))
            guard let message else { throw Problem.noPanel }
            return message.dropLast()
        } catch is SocketError {
            throw Problem.noPanel
        }
    }
}
