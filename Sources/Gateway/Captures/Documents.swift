// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
package import Foundation
import Glibc
package import HTTP
import HostAPI
import Linux

/// A document that a host has uploaded, for captures with it.
final class UploadedDocument: Sendable {
    let id: String
    let byteCount: Int
    let sha256: String
    /// Id of the token that it belongs to, and of the session that has uploaded it, or of the token.
    let owner, asker: String
    /// It has no name any more, so that it goes with its last reference, whatever ends this program.
    private let file: FileDescriptor

    fileprivate init(
        id: String, byteCount: Int, sha256: String, of bearer: Token, _ file: consuming FileDescriptor
    ) {
        self.id = id
        self.byteCount = byteCount
        self.sha256 = sha256
        owner = bearer.owner
        asker = bearer.id
        self.file = file
    }

    fileprivate func belongs(to bearer: Token) -> Bool { bearer.id == owner || bearer.id == asker }

    /// Blocks.
    /// - Throws: ``Problem``.
    func read(from offset: Int, count: Int) throws -> [UInt8] {
        do throws(Errno) {
            let bytes = try file.read(min(count, byteCount - offset), from: offset)
            if !bytes.isEmpty { return bytes }
        } catch {
            throw Documents.unkept(error)
        }
        throw Documents.unkept(.inputOutput)
    }
}

/// The documents that hosts have uploaded. They are on disk until nobody has used them for a while, the host deletes
/// them, or this program ends.
package actor Documents {
    /// The most documents of all tokens together.
    private static let countLimit = 32
    /// The room for all documents, as a number of the longest ones.
    private static let longestCount = 8
    private static let lifetime = Duration.seconds(3600)

    /// The most bytes of a document.
    nonisolated let limit: Int
    private let folder: String
    private var documents: [String: (document: UploadedDocument, usedAt: ContinuousClock.Instant)] = [:]
    /// Bytes that are reserved for uploads that have not ended, by owners.
    private var coming: [(number: Int, owner: String, byteCount: Int)] = []
    private var nextNumber = 0

    /// - Parameters:
    ///   - state: the gateway's state directory.
    ///   - limit: bytes of a document.
    package init(state: String, limit: Int) {
        folder = state
        self.limit = limit
    }

    /// Keeps a document while it comes.
    /// - Parameter announced: its number of bytes; nil if the host has not said that.
    /// - Throws: ``Problem``.
    func add(_ body: HTTPBodySequence, announced: Int?, of bearer: Token) async throws -> UploadedDocument {
        let number = try reserve(announced ?? limit, of: bearer)
        defer { coming.removeAll { $0.number == number } }
        let file = try newFile()
        var hash = SHA256Hash()
        var byteCount = 0
        for try await piece in body {
            let bytes = [UInt8](piece)
            hash.update(bytes)
            do throws(Errno) { try file.writeAll(bytes) } catch { throw Self.unkept(error) }
            byteCount += bytes.count
            guard byteCount <= limit else { throw Self.tooLarge(limit) }
        }
        guard byteCount > 0 else {
            throw Problem(name: .badRequest, status: 400, detail: "The body is empty; send a PDF file.")
        }
        let document = UploadedDocument(
            id: Self.newID(), byteCount: byteCount, sha256: hash.finish().description, of: bearer, file)
        documents[document.id] = (document, .now)
        Task {
            try await Task.sleep(for: Self.lifetime + .seconds(1))
            forgetOld()
        }
        return document
    }

    /// Keeps a document that is here already.
    /// - Returns: its id.
    /// - Throws: ``Problem``.
    package func add(_ bytes: Data, of bearer: Token) async throws -> String {
        try await add(HTTPBodySequence(data: bytes), announced: bytes.count, of: bearer).id
    }

    /// - Throws: ``Problem`` for one that the bearer has not uploaded.
    package func remove(_ id: String, of bearer: Token) throws {
        guard documents[id]?.document.belongs(to: bearer) == true else {
            throw Problem.notFound("There is no such document.")
        }
        documents[id] = nil
    }

    /// - Throws: ``Problem`` that names the member of the body, for one that the bearer has not uploaded.
    func document(_ id: String, for bearer: Token) throws -> UploadedDocument {
        forgetOld()
        guard let document = documents[id]?.document, document.belongs(to: bearer) else {
            throw Problem.invalid(
                "/document/id", "the id of a document that this token has uploaded, and used in the last hour")
        }
        documents[id]?.usedAt = .now
        return document
    }

    private func forgetOld() { documents = documents.filter { .now - $0.value.usedAt < Self.lifetime } }

    /// - Returns: the number of the upload.
    private func reserve(_ byteCount: Int, of bearer: Token) throws -> Int {
        forgetOld()
        let all =
            documents.values.map { ($0.document.owner, $0.document.byteCount) }
            + coming.map { ($0.owner, $0.byteCount) }
        let own = all.filter { $0.0 == bearer.owner }
        let (taken, mine) = (all.reduce(0) { $0 + $1.1 }, own.reduce(0) { $0 + $1.1 })
        // The room is shared as the number of documents is: an upload must leave at least as much free as its owner
        // then has.
        let hasRoom = mine + byteCount <= Self.longestCount * limit - taken - byteCount
        guard hasRoom, Share.isFree(own.count, of: all.count, Self.countLimit) else {
            throw Problem(
                name: .tooManyDocuments, status: 429,
                detail: "There is no room for another document: delete those that are not needed any more "
                    + "(DELETE /v1/documents/ID).", headers: ["Retry-After": "60"])
        }
        nextNumber += 1
        coming.append((nextNumber, bearer.owner, byteCount))
        return nextNumber
    }

    private func newFile() throws -> FileDescriptor {
        let path = "\(folder)/document-\(Self.newID())"
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
            _ = unlink(path)
            return file
        } catch {
            throw Self.unkept(error)
        }
    }

    private static func newID() -> String {
        (0..<16).map { _ in
            let digits = String(UInt8.random(in: .min ... .max), radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    static func tooLarge(_ limit: Int) -> Problem {
        Problem(
            name: .tooLarge, status: 413,
            detail: "The document is larger than \(limit >> 20) MiB: make its pictures smaller.")
    }

    fileprivate static func unkept(_ error: Errno) -> Problem {
        Problem(
            name: error == .noSpace ? .storeFull : .storeFailed, status: error == .noSpace ? 507 : 500,
            detail: "The gateway cannot keep the document: \(error)")
    }
}

extension PanelConnection {
    /// Hands a document over to the panel, for captures on this connection.
    /// - Returns: its name there.
    /// - Throws: ``Problem``.
    func open(_ document: UploadedDocument) async throws -> String {
        try await send(
            .openDocument, OpenDocumentCall(byteCount: document.byteCount, sha256: document.sha256))
        let id = try await next(OpenDocumentReply.self).reply.id
        var offset = 0
        while offset < document.byteCount {
            let bytes = try document.read(from: offset, count: AppendCall.piece)
            try await send(.append, AppendCall(id: id, bytes: bytes[...]))
            _ = try await next(NoReply.self)
            offset += bytes.count
        }
        return id
    }
}
