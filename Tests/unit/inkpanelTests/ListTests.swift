// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CaptureFixtures
import Control
import HostAPI
import Record
import Testing

@testable import inkpanel

@Suite("List of captures")
struct ListTests {
    /// 2026-11-20 12:00:00 UTC.
    private static let noon: Int64 = 1_795_176_000_000_000
    private static let hour: Int64 = 3_600_000_000

    private func capture(_ id: String, hoursAgo: Int64, signer: String?, data: [String: String]?) throws
        -> RecordSummary
    {
        var record = CaptureRecord.pad(entries: [])
        record.header.request.signer = signer
        record.header.request.data = data
        var summary = RecordMetadata(record, byteCount: 1).summary
        (summary.id, summary.startedAt) = (try #require(CaptureID(id)), Self.noon - hoursAgo * Self.hour)
        return summary
    }

    private func chosen(_ options: String...) throws -> String {
        let captures = [
            try capture("d", hoursAgo: 1, signer: "Anna Müller", data: ["order": "4711", "till": "2"]),
            try capture("c", hoursAgo: 11, signer: "Ben", data: ["order": "4711"]),
            try capture("b", hoursAgo: 13, signer: "anna", data: nil),
            try capture("a", hoursAgo: 30, signer: nil, data: ["order": "47"]),
        ]
        let command = try #require(try Inkpanel.parseAsRoot(["list"] + options) as? ListCommand)
        return command.chosen(of: captures, now: Self.noon).map(\.id.description).joined()
    }

    @Test("is filtered by time, signer and data, and cut after a number")
    func filters() throws {
        #expect(try chosen() == "dcba")
        #expect(
            try chosen("--since", "12h") == "dc" && chosen("--since", "1d") == "dcb" && chosen("--since", "90m") == "d")
        #expect(try chosen("--since", "2026-11-20") == "dc" && chosen("--since", "2026-11-19T23:00") == "dcb")
        #expect(try chosen("--since", "2026-11-20 10:59:59") == "d" && chosen("--since", "2026-11-20T11:00:00Z") == "d")
        #expect(try chosen("--signer", "ANNA") == "db" && chosen("--signer", "müller") == "d")
        #expect(try chosen("--data", "order=4711") == "dc" && chosen("--data", "order=4711", "--data", "till=2") == "d")
        #expect(try chosen("--limit", "2") == "dc" && chosen("--limit", "9") == "dcba")
        #expect(try chosen("--signer", "anna", "--since", "12h", "--limit", "1") == "d")
    }

    @Test(
        "refuses other times and numbers",
        arguments: [
            ["--since", "yesterday"], ["--since", "2026-13-01"], ["--since", "2026-02-30"], ["--since", "-1d"],
            ["--since", ""], ["--limit", "0"],
            ["--data", "order"],
        ])
    func refuses(options: [String]) {
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(["list"] + options) }
    }

    @Test("a time ago of any length is a time")
    func longAgo() throws {
        let since = try #require(ListedSince(argument: "9223372036854775807w"))
        #expect(since.start(now: Self.noon) < 0)
    }
}
