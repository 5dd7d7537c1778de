// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostAPI
import JSON
import Linux

/// One call on a connection of its own to the panel, which never waits. Its replies come when its descriptor is
/// readable.
final class PanelCall {
    private static let replyLimit = 4 << 20
    private static let chunk = 16 << 10

    let descriptor: CInt
    private let socket: FileDescriptor
    private var output: ArraySlice<UInt8>
    private var framer = MessageFramer(limit: replyLimit)

    /// Connects and sends as much as there is room for.
    /// - Throws: the system's error: no panel answers.
    init(_ method: PanelMethod, _ parameters: JSONValue, path: String) throws(Errno) {
        let hasSeveral = method == .capture || method == .watch
        // JSON that was read has no infinity.
        let message = CallEncoder.message(method, parameters, more: hasSeveral) ?? []
        let socket = try LocalSocket.connect(to: path, blocking: false)
        // After everything that can fail: Swift 6.0 crashes on a partly initialized noncopyable value.
        descriptor = socket.number
        self.socket = socket
        output = message[...]
        send()
    }

    /// Whether bytes of the call wait for room.
    var wantsToWrite: Bool { !output.isEmpty }

    func send() {
        while !output.isEmpty {
            // If the panel has closed the connection, its reason may be there to read.
            guard let count = try? LocalSocket.send(output, to: socket) else { return }
            output = output.dropFirst(count)
        }
    }

    /// Reads what is there.
    /// - Returns: the replies, and whether the connection has ended.
    func receive() -> (answers: [FleetSession.Answer], hasEnded: Bool) {
        var (answers, hasEnded): ([FleetSession.Answer], Bool) = ([], false)
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        reading: while true {
            do throws(Errno) {
                let count = try socket.read(into: &bytes)
                if count == 0 {
                    hasEnded = true
                    break reading
                }
                framer.append(bytes[..<count])
            } catch {
                hasEnded = error != .wouldBlock
                break reading
            }
        }
        do throws(MalformedMessage) {
            while let message = try framer.next() { answers.append(Self.answer(message)) }
        } catch {
            hasEnded = true
        }
        return (answers, hasEnded)
    }

    private static func answer(_ message: ArraySlice<UInt8>) -> FleetSession.Answer {
        do throws(ReplyError) { return .reply(try VarlinkReply(message)) } catch {
            switch error {
            case .refused(let error): return .refused(error)
            case .notUnderstood: return .lost
            }
        }
    }
}
