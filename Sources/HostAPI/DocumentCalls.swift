// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

// The calls for a document that people read on the pad: handing it over in pieces, and getting it signed.

/// The parameters of `OpenDocument`.
public struct OpenDocumentCall: Codable, Equatable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case size, sha256 }

    private let size: Whole
    /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    public let sha256: String

    /// - Parameters:
    ///   - byteCount: of the whole document.
    ///   - sha256: see ``sha256``.
    public init(byteCount: Int, sha256: String) {
        size = Whole(Int64(byteCount))
        self.sha256 = sha256
    }

    /// The number of its bytes.
    public var byteCount: Int { Int(size.value) }

    /// - Parameter longest: the most bytes of a document.
    package func checked(longest: Int) throws(PanelError) -> OpenDocumentCall {
        let range = 1...longest
        guard range.contains(byteCount) else { throw .outOfRange("size", range, "bytes") }
        guard SealHead.isDigest(sha256) else {
            throw .invalidParameter("sha256", expected: "64 lower-case hexadecimal digits")
        }
        return self
    }
}

/// The reply to `OpenDocument`.
public struct OpenDocumentReply: Codable, Sendable {
    /// The document's name on this connection.
    public var id: String

    package init(id: String) { self.id = id }
}

/// The parameters of `Append`.
public struct AppendCall: Codable, Equatable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id, base64 }

    /// The bytes that one message holds: 45 KiB, which are 60 KiB of Base64.
    public static let piece = 45 << 10

    public var id: String
    public var base64: String

    public init(id: String, bytes: ArraySlice<UInt8>) {
        self.id = id
        base64 = Data(bytes).base64EncodedString()
    }

    /// - Returns: the bytes.
    package func checked() throws(PanelError) -> [UInt8] {
        guard let bytes = Data(base64Encoded: base64), !bytes.isEmpty else {
            throw .invalidParameter("base64", expected: "the next bytes in Base64 (RFC 4648)")
        }
        return Array(bytes)
    }
}

/// The parameters of `CloseDocument`.
public struct CloseDocumentCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id }

    public var id: String

    public init(id: String) { self.id = id }
}

/// The parameters of `GetDocument`.
public struct GetDocumentCall: Codable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case id, offset }

    /// That of the capture.
    public let id: String
    private let offset: Whole

    /// - Parameters:
    ///   - id: of the capture.
    ///   - offset: of the first byte to get.
    public init(id: CaptureID, offset: Int) {
        self.id = id.description
        self.offset = Whole(Int64(offset))
    }

    package func checked() throws(PanelError) -> (id: CaptureID, offset: Int) {
        guard let id = CaptureID(id) else { throw .noSuchCapture(id) }
        guard offset.value >= 0 else { throw .invalidParameter("offset", expected: "0 or more") }
        return (id, Int(offset.value))
    }
}

/// The reply to `GetDocument`: a part of a signed document.
public struct DocumentPart: Codable, Equatable, Sendable {
    public var base64: String
    /// Whether other bytes follow this part.
    public var more: Bool

    package init(_ bytes: [UInt8], more: Bool) {
        base64 = Data(bytes).base64EncodedString()
        self.more = more
    }

    /// nil if the text is not Base64.
    public var bytes: [UInt8]? { Data(base64Encoded: base64).map { Array($0) } }
}
