// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Control

@Suite("Calls")
struct VarlinkCallTests {
    private func call(_ text: String) throws -> VarlinkCall { try VarlinkCall(Array(text.utf8)[...]) }

    private func fault(_ text: String) -> MalformedMessage? { thrownError { try call(text) } as? MalformedMessage }

    @Test("what a call says")
    func head() throws {
        let bare = try call(#"{"method":"a.b.C"}"#)
        #expect(bare.method == "a.b.C" && !bare.more && !bare.oneway && !bare.upgrade)
        let full = try call(" {\"method\":\"a.b.C\", \"more\":true,\n\"oneway\":true,\"upgrade\":true,\"later\":[1]}")
        #expect(full.more && full.oneway && full.upgrade)
        #expect(try !call(#"{"method":"a.b.C","more":null}"#).more)
    }

    @Test(
        "what is no call is said to be none",
        arguments: [
            ("", "JSON object"), ("[]", "JSON object"), ("null", "JSON object"), ("\u{FEFF}{}", "JSON object"),
            ("{", "no JSON"), ("{]", "no JSON"), (#"{"method":"a.b.C""#, "no JSON"),
            (#"{"method":"a.b.C"}}"#, "no JSON"), (#"{"method":"a.b.C"} {}"#, "no JSON"),
            (#"{method:"a.b.C"}"#, "no JSON"), ("{}", "method"),
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

    @Test("bytes that are no UTF-8 are refused, not replaced")
    func encoding() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
            let message = Array(#"{"method":""#.utf8) + bytes + Array(#""}"#.utf8)
            let error = thrownError { try VarlinkCall(message[...]) }
            #expect(error as? MalformedMessage == .noCall("it is not UTF-8"))
        }
    }

    @Test("nesting is bounded, brackets in texts do not count")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            let (open, close) = (String(repeating: "[", count: depth - 1), String(repeating: "]", count: depth - 1))
            return #"{"method":"a","x":"# + (depth == 1 ? "0" : open + close) + "}"
        }
        _ = try call(nested(VarlinkCall.depthLimit))
        let limit = VarlinkCall.depthLimit
        #expect(fault(nested(limit + 1)) == .tooDeep(limit: limit))
        #expect(fault(nested(30_000)) == .tooDeep(limit: limit))
        let texts = String(repeating: "[{\\\"\\\\", count: 1000)
        #expect(try call("{\"method\":\"\(texts)\"}").method.count == 4000)
    }
}
