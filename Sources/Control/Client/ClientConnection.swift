// SPDX-License-Identifier: Apache-2.0
import Pad
import FoundationEssentials
import Linux
import Record

/// Varlink's client side over a blocking socket.
struct ClientConnection: ~Copyable {
    /// A record of the greatest size as base64, three times.
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
        // Only now: Swift 6.0 crashes over a move-only value half made.
        self.path = path
        self.socket = socket
        framer = MessageFramer(limit: Self.replyLimit)
    }

    /// One call with one answer.
    mutating func call<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable, _ type: Answer.Type
    ) throws(ControlClientError) -> Answer {
        try send(method, parameters)
        return try receive(type).reply
    }

    func send(_ method: String, _ parameters: some Encodable, more: Bool = false) throws(ControlClientError) {
        let call = Call(method: InterfaceText.panel + "." + method, parameters: parameters, more: more ? true : nil)
        guard let message = try? JSONEncoder().encode(call) else { throw .refused(.invalidParameter("parameters")) }
        var rest = Array(message)[...] + [0]
        while !rest.isEmpty {
            let result: Result<Int, Errno> = rest.withUnsafeBytes { bytes in
                do throws(Errno) { return .success(try LocalSocket.send(bytes, to: socket)) } catch {
                    return .failure(error)
                }
            }
            // When the panel has ended it, there may be its reason to read.
            guard case .success(let count) = result else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next answer, and whether another one follows.
    mutating func receive<Answer: Decodable>(
        _ type: Answer.Type
    ) throws(ControlClientError) -> (reply: Answer, continues: Bool) {
        let message = Data(try receiveMessage())
        let decoder = JSONDecoder()
        // Its strings are looked at here, for what follows, too.
        guard let head = try? CheckedJSON.decode(Head.self, from: message, with: decoder) else { throw confusion("it speaks no Varlink") }
        if let name = head.error {
            let parameters = (try? decoder.decode(Failure.self, from: message))?.parameters ?? ErrorParameters()
            guard let error = PanelError(name: name, parameters: parameters) else {
                throw confusion("its error is \(name)")
            }
            throw .refused(error)
        }
        do {
            return (try decoder.decode(Reply<Answer>.self, from: message).parameters, head.continues ?? false)
        } catch let error as DecodingError {
            throw confusion("\(error.memberPath) is not as it should be")
        } catch {
            throw confusion("its answer is no JSON")
        }
    }

    func confusion(_ reason: String) -> ControlClientError { .notUnderstood(path: path, reason) }

    private mutating func receiveMessage() throws(ControlClientError) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            do throws(MalformedMessage) {
                if let message = try framer.next() { return message }
            } catch {
                throw confusion(error.description)
            }
            let count: Int
            do throws(Errno) { count = try socket.read(into: &bytes) } catch { throw .ended(path: path) }
            if count == 0 { throw .ended(path: path) }
            framer.append(bytes[..<count])
        }
    }
}
