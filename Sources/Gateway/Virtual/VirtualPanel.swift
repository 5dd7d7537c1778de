// SPDX-License-Identifier: Apache-2.0
import FlyingFox
package import FlyingSocks
import Foundation
import Glibc
import HTTP
package import Linux
import Synchronization

/// Connects a page to a virtual panel: a WebSocket with the messages of docs/virtual-panel.md, each as a binary message
/// with its header.
///
/// The panel sends one frame, and the next after the page has said that it shows it. So nothing piles up here, however
/// slow the page is. One page has the panel: a new one replaces the one before.
package final class VirtualPanel: Sendable {
    /// The panel for the page of one request.
    struct Page: WSHandler {
        let panel: VirtualPanel
        let end: BearerEnd

        func makeFrames(for page: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
            panel.makeFrames(for: page, until: end)
        }
    }

    /// Frames that wait for the page: the panel's greeting, its page in words, its frame, and answers to pings.
    private static let waitingLimit = 5
    /// Bytes of a message from the panel: a whole picture of more pixels than any screen has.
    private static let panelMessageLimit = 256 << 20

    private let path: String
    private let pool: any AsyncSocketPool
    private let log: Log
    // FlyingSocks has a type of this name, too.
    private let current = Synchronization.Mutex<(number: Int, task: Task<Void, Never>?)>((number: 0, task: nil))

    /// - Parameters:
    ///   - path: of the panel's virtual socket.
    ///   - pool: runs as long as the server.
    package init(path: String, pool: any AsyncSocketPool, log: Log) {
        self.path = path
        self.pool = pool
        self.log = log
    }

    /// Whether a page has the panel, which the next one takes away.
    var hasPage: Bool { current.withLock { $0.task != nil } }

    private func makeFrames(
        for page: AsyncThrowingStream<WSFrame, any Error>, until end: BearerEnd
    ) -> AsyncStream<WSFrame> {
        let (frames, output) = AsyncStream<WSFrame>.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingLimit))
        let task = current.withLock { current in
            current.task?.cancel()
            current.number += 1
            let number = current.number
            let task = Task { await self.connect(page, number, until: end, output) }
            current.task = task
            return task
        }
        output.onTermination = { _ in task.cancel() }
        end.then { task.cancel() }
        return frames
    }

    /// Connects the page to the panel until one of them has gone, the right has ended, or another page has come.
    private func connect(
        _ page: AsyncThrowingStream<WSFrame, any Error>, _ number: Int, until end: BearerEnd,
        _ output: AsyncStream<WSFrame>.Continuation
    ) async {
        var reason = WSCloseCode.panelNotRunning
        if let panel = try? await AsyncSocket.connected(toLocal: path, pool: pool) {
            // The descriptors are closed when both directions have ended: a number that is closed while a task waits on
            // it could be another connection's by then.
            reason = await withTaskGroup(of: WSCloseCode.self) { group in
                group.addTask { await self.sendFrames(of: panel, until: end, output) }
                group.addTask { await self.sendSamples(of: page, to: panel, until: end, output) }
                let first = await group.next() ?? .panelNotRunning
                group.cancelAll()
                return first
            }
            try? panel.close()
        }
        let isReplaced = current.withLock { current in
            guard current.number == number else { return true }
            current.task = nil
            return false
        }
        if isReplaced { reason = .replaced }
        if end.hasEnded { reason = .tokenEnded }
        if !reason.reason.isEmpty { log.info("virtual panel: the page's connection ends: \(reason.reason)") }
        output.yield(.close(code: reason))
        output.finish()
    }

    /// - Returns: why the connection ends.
    private func sendFrames(
        of panel: AsyncSocket, until end: BearerEnd, _ output: AsyncStream<WSFrame>.Continuation
    ) async -> WSCloseCode {
        do {
            while true {
                let header = try await read(8, of: panel)
                let length = header[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
                guard length <= Self.panelMessageLimit else { return .panelEnded }
                let message = header + (try await read(length, of: panel))
                if await end.hasCome { return .tokenEnded }
                let frame = WSFrame(fin: true, opcode: .binary, mask: nil, payload: message)
                guard case .enqueued = output.yield(frame) else { return .pageTooSlow }
            }
        } catch {
            return .panelEnded
        }
    }

    /// - Returns: why the connection ends.
    private func sendSamples(
        of page: AsyncThrowingStream<WSFrame, any Error>, to panel: AsyncSocket, until end: BearerEnd,
        _ output: AsyncStream<WSFrame>.Continuation
    ) async -> WSCloseCode {
        do {
            for try await frame in page {
                if await end.hasCome { return .tokenEnded }
                switch frame.opcode {
                case .binary: try await panel.write(frame.payload)
                case .ping:
                    var pong = frame
                    pong.opcode = .pong
                    output.yield(pong)
                case .pong: break
                case .close: return .normalClosure
                default: return .unexpectedMessage
                }
            }
            return .normalClosure
        } catch let fault as WebSocketFrames.Fault {
            return fault.code
        } catch {
            return .panelEnded
        }
    }

    /// Reads exactly `count` bytes. Whole pictures are millions, so it reads as many at once as there are.
    private func read(_ count: Int, of panel: AsyncSocket) async throws -> Data {
        var bytes = Data(count: count)
        var received = 0
        while received < count {
            try Task.checkCancellation()
            let result = bytes.withUnsafeMutableBytes {
                Glibc.read(panel.socket.file.rawValue, $0.baseAddress.map { $0 + received }, count - received)
            }
            if result > 0 {
                received += result
            } else if result < 0, errno == EAGAIN || errno == EINTR {
                try await pool.suspendSocket(panel.socket, untilReadyFor: .read)
            } else {
                throw SocketError.disconnected
            }
        }
        return bytes
    }
}

extension WSCloseCode {
    /// The page is to try again.
    static let panelNotRunning = WSCloseCode(1013, reason: "the panel's program does not run")
    /// The page may try again: the panel's program does not say which it was.
    static let panelEnded = WSCloseCode(
        1013, reason: "the panel was stopped, or refused a message, as its log says; see docs/virtual-panel.md")
    static let pageTooSlow = WSCloseCode(1008, reason: "the page confirms frames that it has not read")
    static let unexpectedMessage = WSCloseCode(1003, reason: "only binary messages are expected")
    /// The page is not to try again: two pages would take the panel from each other.
    static let replaced = WSCloseCode(4001, reason: "another page has the panel")
}
