// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HostAPI
import Pad
import Record
import TestSupport
import Testing

@testable import Control

@Suite("Varlink calls")
struct VarlinkCallTests {
    private func call(_ text: String) throws -> VarlinkCall { try VarlinkCall(Array(text.utf8)[...]) }

    private func fault(_ text: String) -> MalformedMessage? { thrownError { try call(text) } as? MalformedMessage }

    @Test("method and flags")
    func head() throws {
        let bare = try call(#"{"method":"a.b.C"}"#)
        #expect(bare.method == "a.b.C" && !bare.more && !bare.oneway && !bare.upgrade)
        let full = try call(" {\"method\":\"a.b.C\", \"more\":true,\n\"oneway\":true,\"upgrade\":true,\"later\":[1]}")
        #expect(full.more && full.oneway && full.upgrade)
        #expect(try !call(#"{"method":"a.b.C","more":null}"#).more)
    }

    @Test(
        "malformed calls are errors",
        arguments: [
            ("", "it ends where a value is missing"), ("[]", "JSON object"), ("null", "JSON object"),
            ("\u{FEFF}{}", "byte order mark"), (#"{"method":"a","method":"b"}"#, "\"method\" is there twice"),
            (#"{"method":"a","parameters":{"x":1,"\u0078":2}}"#, "column 35 (parameters)"),
            (#"{"method":"a",}"#, "a name in quotes is missing"), (#"{"method":"a","x":01}"#, "begins with 0"),
            ("{", "it is not JSON"), ("{]", "it is not JSON"), (#"{"method":"a.b.C""#, "it is not JSON"),
            (#"{"method":"a.b.C"}}"#, "it is not JSON"), (#"{"method":"a.b.C"} {}"#, "it is not JSON"),
            (#"{method:"a.b.C"}"#, "it is not JSON"), ("{}", "method"),
            (#"{"method":7}"#, "method"), (#"{"method":null}"#, "method"), (#"{"method":"a","more":1}"#, "more"),
            (#"{"method":"a","oneway":"yes"}"#, "oneway"), (#"{"method":"a","upgrade":{}}"#, "upgrade"),
        ] as [(String, String)])
    func noCall(text: String, part: String) {
        guard case .noCall(let reason)? = fault(text) else {
            Issue.record("\(text) is taken for a call")
            return
        }
        #expect(reason.contains(part), "\(text): \(reason)")
    }

    @Test("bytes that are not UTF-8 are refused, not replaced")
    func encoding() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
            let message = Array(#"{"method":""#.utf8) + bytes + Array(#""}"#.utf8)
            let error = thrownError { try VarlinkCall(message[...]) }
            #expect("\(error!)".hasSuffix("line 1, column 12 (method): a string is not UTF-8"))
        }
    }

    @Test("nesting is limited; brackets in strings do not count")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            let (open, close) = (String(repeating: "[", count: depth - 1), String(repeating: "]", count: depth - 1))
            return #"{"method":"a","x":"# + (depth == 1 ? "0" : open + close) + "}"
        }
        _ = try call(nested(16))
        for depth in [17, 30_000] {
            #expect(fault(nested(depth))?.description.contains("it is nested deeper than 16") == true)
        }
        let texts = String(repeating: "[{\\\"\\\\", count: 1000)
        #expect(try call("{\"method\":\"\(texts)\"}").method.count == 4000)
    }
}

@Suite("Framing of messages")
struct MessageFramerTests {
    private func messages(_ framer: inout MessageFramer) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        while let message = try framer.next() { all.append(Array(message)) }
        return all
    }

    @Test("messages are the same however the stream is cut")
    func pieces() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let sent = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
            }
            var stream: ArraySlice<UInt8> = Array(sent.map { $0 + [0] }.joined())[...]
            var framer = MessageFramer(limit: 20)
            var received: [[UInt8]] = []
            while !stream.isEmpty {
                let count = Int.random(in: 1...30, using: &random)
                framer.append(stream.prefix(count))
                stream = stream.dropFirst(count)
                // Messages may be read later than they arrive.
                if Bool.random(using: &random) { received += try messages(&framer) }
            }
            received += try messages(&framer)
            #expect(received == sent, "seed \(seed)")
            #expect(framer.isEmpty)
        }
    }

    @Test("a message above the limit is refused with and without its terminator")
    func limit() throws {
        var framer = MessageFramer(limit: 4)
        framer.append([1, 2, 3, 4, 0, 1, 2])
        #expect(try messages(&framer) == [[1, 2, 3, 4]])
        framer.append([3, 4])
        #expect(try framer.next() == nil)
        framer.append([5])
        let error = thrownError { try framer.next() }
        #expect(error as? MalformedMessage == .tooLong(limit: 4))
        var ended = MessageFramer(limit: 4)
        ended.append([1, 2, 3, 4, 5, 0])
        let endedError = thrownError { try ended.next() }
        #expect(endedError as? MalformedMessage == .tooLong(limit: 4))
    }
}

/// Any input gets one reply, which is one message.
@Suite("Hostile messages")
struct HostileMessageTests {
    private static let calls = [
        #"{"method":"org.inkpanel.Panel.Capture","parameters":{"prompt":["a","b"],"#
            + #""rows":[{"label":"a","value":"b"}],"signer":"Anna","operator":"Eve","document":{"#
            + #""reference":"x","sha256":"00"},"policy":{"undo":true,"minima":{"length":1.5}},"wait":false}}"#,
        #"{"method":"org.inkpanel.Panel.Get","parameters":{"id":"a-1","format":"png","size":{"width":5,"height":6}}}"#,
        #"{"method":"org.inkpanel.Panel.Watch","more":true}"#,
        #"{"method":"org.inkpanel.Panel.Capture","parameters":{"questions":[{"name":"a","kind":"choice","text":"b","#
            + #""choices":["c","d"]}],"people":[{"role":"e"},{"role":"f","sees":"e"}],"decline":["g"]}}"#,
        #"{"method":"org.inkpanel.Panel.Append","parameters":{"id":"d1","base64":"YWJj"}}"#,
        #"{"method":"org.inkpanel.Panel.GetDocument","parameters":{"id":"a-1","offset":5}}"#,
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.inkpanel.Panel"}}"#,
    ]

    /// The error that a message gets; nil for a valid call.
    private func error(_ message: [UInt8]) -> PanelError? {
        do {
            _ = try HostCall(try VarlinkCall(message[...]), by: .operator)
            return nil
        } catch let error as MalformedMessage {
            return .malformedMessage(reason: error.description)
        } catch {
            return error as? PanelError ?? .unavailable(reason: "another error")
        }
    }

    private func check(_ message: [UInt8], _ seed: UInt64) {
        guard let error = error(message) else { return }
        #expect(error != .unavailable(reason: "another error"))
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

    @Test("calls with bytes changed, removed or doubled")
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
        // Enough of them are still valid.
        #expect(taken > 500)
    }

    @Test("random JSON for every method")
    func json() {
        let names = [
            "prompt", "rows", "label", "value", "signer", "operator", "document", "sha256", "shows", "policy", "minima",
            "id", "format", "size", "width", "x",
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
        let methods = PanelMethod.allCases.map(\.rawValue) + ["Sign"]
        for seed in 0..<4000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let method = methods.randomElement(using: &random)!
            let text = "{\"method\":\"org.inkpanel.Panel.\(method)\",\"parameters\":\(value(0, &random))}"
            check(Array(text.utf8), seed)
        }
    }
}
