// SPDX-License-Identifier: Apache-2.0
import Evidence
import Geometry
import HostAPI
import TestSupport
import Testing

@testable import Control

@Suite("A document that a host hands over")
struct HostDocumentTests {
    private static let bytes = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    private static let start = Timestamp(microseconds: 0)

    private func opened(_ byteCount: Int = bytes.count, sha256: String? = nil) -> HostDocument {
        let digest = sha256 ?? SHA256Digest(of: Self.bytes).description
        return HostDocument(id: "d1", OpenDocumentCall(byteCount: byteCount, sha256: digest), now: Self.start)
    }

    private func append(
        _ range: Range<Int>, to document: HostDocument, at seconds: Int64 = 0
    ) throws(PanelError) {
        try document.append(
            AppendCall(id: "d1", bytes: Self.bytes[range]), now: Self.start + .seconds(seconds))
    }

    /// The fault of a refusal.
    private func fault(_ body: () throws -> Void) -> String? {
        guard case .documentRefused(let fault, _)? = thrownError(by: body) as? PanelError else { return nil }
        return fault
    }

    @Test("is whole with its last byte, and is in memory once")
    func whole() throws {
        let document = opened()
        for start in stride(from: 0, to: Self.bytes.count, by: AppendCall.piece) {
            #expect(fault { _ = try document.whole() } == "incomplete")
            try append(start..<min(start + AppendCall.piece, Self.bytes.count), to: document)
        }
        let (first, digest) = try document.whole()
        #expect(first == Self.bytes && digest == SHA256Digest(of: Self.bytes).description)
        let (second, _) = try document.whole()
        let places = [first, second].map { bytes in bytes.withUnsafeBytes { $0.baseAddress } }
        #expect(places[0] == places[1])
        #expect(fault { try append(0..<1, to: document) } == "size")
    }

    @Test("bytes beyond its size, and those of another document, make it unusable")
    func faults() throws {
        let long = opened(1000)
        try append(0..<1000, to: opened(1001))
        #expect(fault { try append(0..<1001, to: long) } == "size")
        #expect(fault { _ = try long.whole() } == "size" && long.byteCount == 0)
        #expect(fault { try append(0..<1, to: long) } == "size")
        let other = opened(1000)
        #expect(fault { try append(0..<1000, to: other) } == "digest")
        #expect(fault { _ = try other.whole() } == "digest" && other.byteCount == 0)
    }

    @Test("Base64 that is none is refused; the document can be continued", arguments: ["", "YQ", "Y*==", "YQ==\n"])
    func garbage(base64: String) throws {
        let document = opened()
        try append(0..<1000, to: document)
        var call = AppendCall(id: "d1", bytes: [1])
        call.base64 = base64
        let error = thrownError { try document.append(call, now: Self.start) } as? PanelError
        guard case .invalidParameter("base64", _)? = error else {
            Issue.record("\(base64) is accepted")
            return
        }
        for start in stride(from: 1000, to: Self.bytes.count, by: 9900) {
            try append(start..<start + 9900, to: document)
        }
        #expect(try document.whole().bytes == Self.bytes)
    }

    @Test("is late if its bytes come too slowly, and never once it is whole")
    func deadline() throws {
        let limits = ControlLimits()
        let document = opened()
        #expect(document.deadline(limits) == Self.start + limits.stall)
        try append(0..<65_536, to: document, at: 9)
        #expect(document.deadline(limits) == Self.start + limits.stall + .seconds(1))
        try append(65_536..<Self.bytes.count, to: document, at: 10)
        #expect(document.deadline(limits) == .distantFuture && document.usedAt == Self.start + .seconds(10))
        let late = opened()
        late.discard("discarded", "late")
        #expect(late.deadline(limits) == .distantFuture)
        #expect(fault { try append(0..<1, to: late) } == "discarded")
    }
}

@Suite("Room for documents")
struct DocumentRoomTests {
    private typealias Holder = DocumentRoom.Holder

    private static let mebibyte = 1 << 20

    /// - Parameter documents: the size in MiB, and the seconds since the last use; nil during a capture.
    private func holders(_ documents: [(user: UInt32, size: Int, unused: Int64?)]) -> [Holder] {
        documents.enumerated().map { index, document in
            Holder(
                token: UInt64(index), user: document.user, isOwn: document.user == 0,
                byteCount: document.size * Self.mebibyte, unused: document.unused.map { .seconds($0) })
        }
    }

    private func place(_ size: Int, of user: UInt32, _ holders: [Holder]) -> [UInt64]? {
        DocumentRoom(limits: ControlLimits(), holders: holders)
            .place(for: size * Self.mebibyte, of: user, isOwn: user == 0)
    }

    @Test("a user has 32 MiB, all have 64 MiB together")
    func share() {
        #expect(place(32, of: 7, []) == [])
        #expect(place(16, of: 7, holders([(7, 16, nil)])) == [])
        #expect(place(17, of: 7, holders([(7, 16, nil)])) == nil)
        #expect(place(32, of: 8, holders([(7, 32, nil)])) == [])
        #expect(place(1, of: 9, holders([(7, 32, nil), (8, 32, nil)])) == nil)
        #expect(place(32, of: 0, holders([(0, 32, nil)])) == [])
        #expect(place(1, of: 0, holders([(0, 32, nil), (0, 32, nil)])) == nil)
    }

    @Test("the gateway has room for a second host's document beside the longest")
    func gateway() {
        let room = DocumentRoom(limits: ControlLimits(), holders: holders([(7, 32, nil)]))
        func place(_ size: Int) -> [UInt64]? {
            room.place(for: size * Self.mebibyte, of: 7, role: .gateway, isOwn: false)
        }
        #expect(place(16) == [] && place(17) == nil)
    }

    @Test("documents that nobody uses make room, the longest unused first")
    func unused() {
        #expect(place(20, of: 7, holders([(7, 10, 10), (7, 10, 30), (7, 10, 20)])) == [1, 2])
        #expect(place(20, of: 7, holders([(7, 20, 9)])) == nil)
        #expect(place(32, of: 9, holders([(7, 32, 60), (8, 32, nil)])) == [0])
        // Within the own share nothing of others must go.
        #expect(place(8, of: 9, holders([(7, 32, 60), (8, 16, 60)])) == [])
    }

    @Test("those of root and the panel's own user make room only for these")
    func own() {
        #expect(place(32, of: 7, holders([(0, 32, 60), (0, 32, 60)])) == nil)
        #expect(place(32, of: 0, holders([(0, 32, 60), (7, 32, 70)])) == [1])
    }
}
