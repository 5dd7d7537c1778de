// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Record
import TestSupport
import Testing

@Suite("Capture ids")
struct CaptureIDTests {
    @Test(
        "a new id consists of the second in UTC and random bits",
        arguments: [
            (1_773_500_966_535_897, 0x0f1e_2d3c_4b5a_6978, "20260314-150926-0f1e2d3c4b5a6978"),
            (0, 0, "19700101-000000-0000000000000000"),
            (951_782_399_999_999, 1, "20000228-235959-0000000000000001"),
            (951_782_400_000_000, .max, "20000229-000000-ffffffffffffffff"),
            (1_709_251_199_000_000, 1, "20240229-235959-0000000000000001"),
            (4_107_542_400_000_000, 1, "21000301-000000-0000000000000001"),
            (-1, 1, "19700101-000000-0000000000000001"), (.max, 1, "99991231-235959-0000000000000001"),
            (.min, 1, "19700101-000000-0000000000000001"),
        ] as [(Int64, UInt64, String)])
    func made(startedAt: Int64, random: UInt64, text: String) {
        let id = CaptureID(startedAt: startedAt, random: random)
        #expect(id.description == text)
        #expect(CaptureID(text) == id)
    }

    @Test("ids sort by time")
    func order() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            let a = Int64.random(in: 0...253_402_300_799, using: &random)
            let b = Int64.random(in: 0...253_402_300_799, using: &random)
            if a == b { continue }
            let ids = [a, b].map { CaptureID(startedAt: $0 * 1_000_000, random: random.next()).description }
            #expect((a < b) == (ids[0] < ids[1]), "\(a) \(b)")
        }
    }

    @Test(
        "unsafe texts are not ids",
        arguments: [
            "", ".", "..", "/", "../x", "a/b", "a.b", "a b", "a\u{0}", "a\n", "-rf", "é", "e\u{301}", "a%2e",
            String(repeating: "a", count: 65),
        ])
    func refused(text: String) { #expect(CaptureID(text) == nil) }

    @Test("other safe texts are ids", arguments: ["a", "Z-9", "4711", String(repeating: "a", count: 64)])
    func accepted(text: String) { #expect(CaptureID(text)?.description == text) }
}
