// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Record
import TestSupport
import Testing

@Suite("Seal lines")
struct SealTests {
    private static let digest = String(repeating: "ab", count: 32)

    private func seal(_ change: (inout Seal) -> Void = { _ in }) -> Seal {
        var seal = Seal(
            n: 17, previous: Self.digest, key: "SHA256:Key+/0123Key+/0123Key+/0123Key+/0123key0123",
            at: 1_773_500_972_018_220,
            clock: Seal.Clock(synchronized: false, maximumError: 16_000_000), program: "inkpanel 1.1")
        (seal.id, seal.record) = ("20260314-150926-0f1e2d3c4b5a6978", Self.digest)
        change(&seal)
        return seal
    }

    @Test("a seal has one form: sorted members, no spaces, a newline")
    func canonical() throws {
        let line = try seal().line()
        #expect(
            String(decoding: line, as: UTF8.self) == """
                {"at":1773500972018220,"clock":{"maximumError":16000000,"synchronized":false},"format":"inkpanel-seal",\
                "id":"20260314-150926-0f1e2d3c4b5a6978","key":"SHA256:Key+/0123Key+/0123Key+/0123Key+/0123key0123",\
                "n":17,"previous":"\(Self.digest)",\
                "program":"inkpanel 1.1","record":"\(Self.digest)","version":1}

                """)
        #expect(try Seal(line: line) == seal())
    }

    @Test("every kind of seal is read back as it was written")
    func roundTrip() throws {
        let old = "SHA256:Old+/012Old+/012Old+/012Old+/012Old+/012old"
        let seals = [
            seal(),
            seal {
                ($0.boot, $0.stored, $0.document, $0.shown) = (
                    "b", Self.digest, Self.digest, [Self.digest, Self.digest]
                )
                ($0.startedAt, $0.sequence, $0.askedBy) = (-1, 3, .gateway)
            },
            seal { ($0.id, $0.record, $0.deleted, $0.reason) = (nil, nil, "an-id", .count) },
            seal { ($0.id, $0.record, $0.replaces, $0.lost) = (nil, nil, old, true) },
        ]
        for seal in seals { #expect(try Seal(line: try seal.line()) == seal) }
    }

    @Test(
        "what is not exactly such a line is no seal",
        arguments: [
            ("\"n\":17", "\"n\":17 "), ("\"n\":17", "\"n\":0"), ("\"n\":17", "\"n\":1.7e1"),
            ("\"version\":1", "\"version\":2"),
            ("inkpanel-seal", "inkpanel-capture"), ("ab", "AB"), ("ab", "a"), ("{\"at\"", "{\"a\":1,\"at\""),
            ("\"id\":\"20260314", "\"deleted\":\"x\",\"id\":\"20260314"), ("\"id\":\"20260314", "\"id\":\"../20260314"),
            ("}\n", "}"), ("}\n", "}\n\n"), ("inkpanel 1.1", "inkpanel\\u00201.1"),
        ])
    func refused(old: String, new: String) throws {
        let text = String(decoding: try seal().line(), as: UTF8.self)
        #expect(text.contains(old))
        #expect(thrownError { try Seal(line: Array(text.replacing(old, with: new, maxReplacements: 1).utf8)) } != nil)
    }

    @Test("every changed byte of a seal is refused, or read as another seal")
    func flips() throws {
        let line = try seal().line()
        for index in line.indices {
            var changed = line
            changed[index] ^= 1
            #expect((try? Seal(line: changed)) != seal())
        }
    }

    @Test("a seal that says nothing, or two things, cannot be written")
    func unencodable() {
        #expect(thrownError { try seal { $0.id = nil }.line() } != nil)
        #expect(thrownError { try seal { $0.record = nil }.line() } != nil)
        #expect(thrownError { try seal { ($0.deleted, $0.reason) = ("x", .age) }.line() } != nil)
        #expect(thrownError { try seal { $0.previous = "" }.line() } != nil)
    }
}
