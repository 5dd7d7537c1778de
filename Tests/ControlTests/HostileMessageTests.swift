// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Pad
import TestSupport
import Testing

@testable import Control

/// Whatever a host sends, there is an answer, and it is one message.
@Suite("Hostile messages")
struct HostileMessageTests {
    private static let calls = [
        #"{"method":"org.inkpanel.Panel.Capture","parameters":{"prompt":["a","b"],"signer":"Anna","document":{"#
            + #""reference":"x","sha256":"00"},"policy":{"undo":true,"minima":{"length":1.5}},"wait":false}}"#,
        #"{"method":"org.inkpanel.Panel.Get","parameters":{"id":"a-1","format":"png","size":{"width":5,"height":6}}}"#,
        #"{"method":"org.inkpanel.Panel.Watch","more":true}"#,
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.inkpanel.Panel"}}"#,
    ]

    /// - Returns: the error that it is answered with; nil for a call that is done.
    private func error(_ message: [UInt8]) -> PanelError? {
        do {
            _ = try HostCall(try VarlinkCall(message[...]))
            return nil
        } catch let error as MalformedMessage {
            return .malformedMessage(reason: error.description)
        } catch {
            return error as? PanelError ?? .unavailable(reason: "an error that is none")
        }
    }

    private func check(_ message: [UInt8], _ seed: UInt64) {
        guard let error = error(message) else { return }
        #expect(error != .unavailable(reason: "an error that is none"))
        let reply = ReplyEncoder.message(error)
        #expect(reply.firstIndex(of: 0) == reply.count - 1, "seed \(seed)")
        let decoded = try? JSONDecoder().decode([String: Anything].self, from: Data(reply.dropLast()))
        #expect(decoded != nil, "seed \(seed)")
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("random bytes")
    func bytes() {
        for seed in 0..<3000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let alphabet = Array("{}[]\":,\\u0eE+-.19tfn \n".utf8) + [0xC3, 0xFF, 0xF0, 1]
            let start = Array(Bool.random(using: &random) ? #"{"method":""#.utf8 : "".utf8)
            let rest = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                let letter = alphabet.randomElement(using: &random)!
                return Bool.random(using: &random) ? letter : UInt8.random(in: 1...255, using: &random)
            }
            check(start + rest, seed)
        }
    }

    @Test("calls with bytes changed, left out, doubled")
    func damaged() {
        var taken = 0
        for seed in 0..<6000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var message = Array(Self.calls.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0..<message.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: message[index] = .random(in: 1...255, using: &random)
                case 1: message.remove(at: index)
                case 2:
                    let count = Int.random(in: 1...9, using: &random)
                    message.insert(contentsOf: Array(message[index...].prefix(count)), at: index)
                default: message.removeLast(message.count - index)
                }
                if message.isEmpty { break }
            }
            if error(message) == nil { taken += 1 }
            check(message, seed)
        }
        // Or nothing but damage would have been looked at.
        #expect(taken > 500)
    }

    @Test("random JSON for every method")
    func json() {
        let names = [
            "prompt", "signer", "document", "sha256", "shows", "policy", "minima", "id", "format", "size", "width", "x",
        ]
        func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
            switch Int.random(in: 0..<(depth > 4 ? 6 : 9), using: &random) {
            case 0: return "null"
            case 1: return Bool.random(using: &random) ? "true" : "false"
            case 2: return "\(Int64(bitPattern: random.next()))"
            case 3: return ["1e400", "-0", "1E-999", "9223372036854775808", "0.1"].randomElement(using: &random)!
            case 4:
                let texts = ["", "png", "\\u0000", "\\ud800", "a-1", "توقيع"]
                return "\"" + texts.randomElement(using: &random)! + "\""
            case 5: return "7"
            case 6:
                let items = (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth + 1, &random) }
                return "[" + items.joined(separator: ",") + "]"
            default:
                let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    "\"\(names.randomElement(using: &random)!)\":" + value(depth + 1, &random)
                }
                return "{" + members.joined(separator: ",") + "}"
            }
        }
        let methods = ["Capture", "Cancel", "Clear", "Accept", "List", "Get", "Delete", "Status", "Watch", "Sign"]
        for seed in 0..<4000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let method = methods.randomElement(using: &random)!
            let text = "{\"method\":\"org.inkpanel.Panel.\(method)\",\"parameters\":\(value(0, &random))}"
            check(Array(text.utf8), seed)
        }
    }
}
