// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
import Foundation
import Linux
import TestSupport
import Testing

@testable import Gateway
@testable import HTTP

@Suite("Documents that hosts upload")
struct DocumentsTests {
    private static let limit = 100_000
    private static let bytes = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 2) })

    private let directory: TemporaryDirectory
    private let documents: Documents

    init() throws {
        directory = try TemporaryDirectory()
        documents = Documents(state: directory.path, limit: Self.limit)
    }

    private func bearer(_ name: String, _ scopes: Set<Scope> = [.capture]) -> Token {
        Token.make(name: name, scopes: scopes, expires: nil, now: Date()).token
    }

    private func add(_ bearer: Token, count: Int = 100_000) async throws -> UploadedDocument {
        try await documents.add(
            HTTPBodySequence(data: Data(Self.bytes[..<count])), announced: count, of: bearer)
    }

    /// The name of the problem that a call has.
    private func problem(_ call: () async throws -> Void) async -> Problem.Name? {
        do {
            try await call()
            return nil
        } catch {
            return (error as? Problem)?.name
        }
    }

    @Test("a document is kept as it came, and has no name on the disk")
    func kept() async throws {
        let till = bearer("till")
        let document = try await add(till)
        #expect(document.byteCount == 100_000 && document.sha256 == SHA256Digest(of: Self.bytes).description)
        #expect(try document.read(from: 0, count: 46_080) == Array(Self.bytes[..<46_080]))
        #expect(try document.read(from: 99_999, count: 46_080) == [Self.bytes[99_999]])
        #expect(try Directory.names(of: directory.path) == [])
        #expect(try await documents.document(document.id, for: till) === document)
    }

    @Test("it belongs to the token and the session that have uploaded it, whatever others may")
    func owners() async throws {
        let (till, other) = (bearer("till"), bearer("other", [.admin]))
        let document = try await add(till)
        #expect(await problem { _ = try await documents.document(document.id, for: other) } == .invalidParameter)
        #expect(await problem { try await documents.remove(document.id, of: other) } == .notFound)
        #expect(await problem { _ = try await documents.document("none", for: till) } == .invalidParameter)
        try await documents.remove(document.id, of: till)
        #expect(await problem { _ = try await documents.document(document.id, for: till) } == .invalidParameter)
        #expect(await problem { try await documents.remove(document.id, of: till) } == .notFound)
    }

    @Test("an empty one and one that is too large are refused, whatever was announced")
    func sizes() async throws {
        let till = bearer("till")
        #expect(await problem { _ = try await add(till, count: 0) } == .badRequest)
        let body = HTTPBodySequence(data: Data(Self.bytes + [1]))
        #expect(await problem { _ = try await documents.add(body, announced: 5, of: till) } == .tooLarge)
        #expect(try Directory.names(of: directory.path) == [])
    }

    @Test("tokens share the room; what is deleted makes room again")
    func room() async throws {
        let (first, second) = (bearer("first"), bearer("second"))
        var ids: [String] = []
        for _ in 0..<4 { ids.append(try await add(first).id) }
        // Eight of the longest have room: the first token has half of it, the second half of the rest.
        #expect(await problem { _ = try await add(first) } == .tooManyDocuments)
        for _ in 0..<2 { _ = try await add(second) }
        #expect(await problem { _ = try await add(second) } == .tooManyDocuments)
        // A body without a length may have the longest.
        let body = HTTPBodySequence(data: Data([1]))
        #expect(await problem { _ = try await documents.add(body, announced: nil, of: first) } == .tooManyDocuments)
        try await documents.remove(ids[0], of: first)
        try await documents.remove(ids[1], of: first)
        _ = try await add(first)
        // Small ones are counted.
        let many = Documents(state: directory.path, limit: Self.limit)
        for _ in 0..<16 {
            _ = try await many.add(HTTPBodySequence(data: Data([1])), announced: 1, of: first)
        }
        let last = HTTPBodySequence(data: Data([1]))
        #expect(await problem { _ = try await many.add(last, announced: 1, of: first) } == .tooManyDocuments)
    }

    @Test("without a folder, or without space, it is not kept")
    func unkept() async {
        let nowhere = Documents(state: directory.path + "/none", limit: Self.limit)
        let body = HTTPBodySequence(data: Data([1]))
        #expect(await problem { _ = try await nowhere.add(body, announced: 1, of: bearer("till")) } == .storeFailed)
    }
}
