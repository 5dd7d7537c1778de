// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import HTTP
import HostAPI

extension Route {
    /// The time for a whole document; below that of an answer.
    private static let uploadTime = Duration.seconds(75)
    private static let mediaType = "application/pdf"
    /// The media types of pictures in place of a PDF file. The panel looks at the bytes.
    private static let pictureTypes = ["image/png", "image/jpeg"]

    /// Documents that people read on the pad: uploaded, and deleted.
    static func documents(_ documents: Documents) -> [Route] {
        var upload = Route("POST", "/v1/documents", .capture) { call, end in
            try call.checkQuery()
            guard let type = try call.bodyType(), ([mediaType] + pictureTypes).contains(type) else {
                let others = pictureTypes.joined(separator: " or ")
                throw Problem(
                    name: .wrongContentType, status: 415, detail: "Content-Type must be \(mediaType), \(others).")
            }
            let document = try await documents.add(
                call.request.bodySequence, announced: call[header: "Content-Length"].flatMap { Int($0) },
                of: end.bearer)
            return HTTPResponse(
                .created, document: UploadReply(document), headers: [.location: "/v1/documents/\(document.id)"])
        }
        upload.body = BodyRule(
            limit: documents.limit, time: uploadTime, isStreamed: true, tooLarge: Documents.tooLarge(documents.limit))
        return [
            upload,
            Route("DELETE", "/v1/documents/{id}", .capture) { call, end in
                try call.checkQuery()
                try await documents.remove(call.parameters["id"] ?? "", of: end.bearer)
                return HTTPResponse(statusCode: .noContent)
            },
        ]
    }

    /// The signed document of an accepted capture.
    static func signedDocument(_ captures: Captures, _ panel: PanelService) -> Route {
        Route("GET", "/v1/captures/{id}/signed.pdf", .record) { call, end in
            try call.checkQuery()
            let id = try call.captureID()
            guard await captures.mayRead(id, end.bearer) else { throw Problem.notFound("There is no such capture.") }
            if let capture = await captures.capture(id, for: end.bearer), await capture.ended == nil {
                throw Problem.notSigned
            }
            let parts = SignedDocumentParts(id: id, panel: panel, end: end)
            // A problem is answered as such only before the first bytes.
            guard let first = try await parts.next() else { throw Problem.panelFailed("the document is empty") }
            await parts.putBack(first)
            return HTTPResponse(
                statusCode: .ok,
                headers: [
                    .contentType: mediaType, .contentDisposition: "attachment; filename=\"\(id).pdf\"",
                ], body: HTTPBodySequence(from: parts))
        }
    }
}

/// The reply to an upload.
private struct UploadReply: Encodable {
    let id: String
    let bytes: Int
    let sha256: String

    init(_ document: UploadedDocument) {
        (id, bytes, sha256) = (document.id, document.byteCount, document.sha256)
    }
}

/// A signed document in parts, each of which is got from the panel when its client has taken those before. Slow clients
/// hold no place of the panel meanwhile.
private actor SignedDocumentParts: AsyncBufferedSequence {
    typealias Element = UInt8

    private let id: CaptureID
    private let panel: PanelService
    private let end: BearerEnd
    private var first: Data?
    private var offset = 0
    private var isComplete = false

    init(id: CaptureID, panel: PanelService, end: BearerEnd) {
        (self.id, self.panel, self.end) = (id, panel, end)
    }

    func putBack(_ part: Data) { first = part }

    /// - Returns: nil at the end.
    /// - Throws: ``Problem``, also when the bearer's right has ended. A client must not take what it has got for the
    ///   whole then.
    func next() async throws -> Data? {
        if let first {
            self.first = nil
            return first
        }
        if isComplete { return nil }
        if await end.hasCome { throw CancellationError() }
        let call = GetDocumentCall(id: id, offset: offset)
        let part = try await Router.$caller.withValue(end.bearer.owner) { [panel] in
            try await panel.documentPart(call)
        }
        guard let bytes = Data(base64Encoded: part.base64), !bytes.isEmpty || !part.more else {
            throw Problem.panelFailed("it is not base64")
        }
        offset += bytes.count
        isComplete = !part.more
        return bytes.isEmpty ? nil : bytes
    }

    nonisolated func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let parts: SignedDocumentParts

        mutating func nextBuffer(suggested count: Int) async throws -> Data? { try await parts.next() }

        mutating func next() async throws -> UInt8? {
            preconditionFailure("the server reads bodies by buffers")
        }
    }
}
