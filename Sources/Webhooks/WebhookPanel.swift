// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import HTTP
import HostAPI
import JSON
import Linux

/// A call to the panel on a connection of its own, whose replies come piece by piece.
final class WebhookPanel {
    private static let chunk = 64 << 10
    /// Bytes of a reply to `Events`: 128 events with 16 KiB of texts, perhaps escaped.
    private static let replyLimit = 16 << 20

    private let socket: FileDescriptor
    private var framer = MessageFramer(limit: replyLimit)

    /// Connects and calls. A new connection has room for a call.
    /// - Throws: the system's error: no panel answers.
    init(_ method: PanelMethod, _ parameters: some Encodable, more: Bool, path: String) throws(Errno) {
        let message = CallEncoder.message(method, parameters, more: more) ?? []
        let socket = try LocalSocket.connect(to: path, blocking: false)
        _ = try LocalSocket.send(message[...], to: socket)
        // After everything that can fail: Swift 6.0 crashes on a partly initialized noncopyable value.
        self.socket = socket
    }

    var descriptor: CInt { socket.number }

    /// Reads what is there.
    /// - Returns: nil if the connection has ended.
    private func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        do throws(Errno) {
            let count = try socket.read(into: &bytes)
            return count == 0 ? nil : Array(bytes[..<count])
        } catch {
            return error == .wouldBlock ? [] : nil
        }
    }

    /// The replies to `Events` that are there.
    /// - Returns: the replies, and whether the connection has ended.
    /// - Throws: ``PanelFailure``.
    func events() throws(PanelFailure) -> (replies: [EventsReply], hasEnded: Bool) {
        var replies: [EventsReply] = []
        while true {
            guard let bytes = read() else { return (replies, true) }
            if bytes.isEmpty { return (replies, false) }
            framer.append(bytes)
            do {
                while let message = try framer.next() {
                    replies.append(try VarlinkReply(message).parameters(EventsReply.self))
                }
            } catch ReplyError.refused(let error) {
                throw PanelFailure(error.description)
            } catch {
                throw PanelFailure("it is not a panel of this version (\(error))")
            }
        }
    }

    /// Reads the list of all records, one at a time: a whole list may have more bytes than this program may use.
    /// - Throws: ``PanelFailure``, also if the panel is silent for a minute.
    static func records(path: String, _ body: (RecordSummary) -> Void) throws(PanelFailure) {
        do {
            let call = try WebhookPanel(.list, [String: String](), more: false, path: path)
            let poll = try EventPoll()
            try poll.add(call.descriptor, token: 0)
            var scanner = ReplyScanner()
            while !scanner.isComplete {
                if try poll.wait(until: MonotonicClock.now + .seconds(60)).isEmpty {
                    throw PanelFailure("it does not answer for a minute")
                }
                guard let bytes = call.read() else { throw PanelFailure("it has closed the connection") }
                for element in try scanner.scan(bytes[...]).elements {
                    body(try JSONValue(element).decode(RecordSummary.self))
                }
            }
            _ = try VarlinkReply(scanner.rest[...])
        } catch let failure as PanelFailure {
            throw failure
        } catch {
            throw PanelFailure("its list of records cannot be read (\(error))")
        }
    }
}

/// Why the panel says nothing, for people.
struct PanelFailure: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) { description = "the panel: " + reason }
}
