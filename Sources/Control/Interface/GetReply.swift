// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What `Get` answers. A file is written by ``ReplyEncoder/message(_:format:)``.
struct GetReply: Codable {
    var mediaType: String
    var text, base64: String?
    var metadata: RecordMetadata?

    init(_ metadata: RecordMetadata) {
        mediaType = "application/json"
        self.metadata = metadata
    }

    /// Nil when it holds none, or no base64.
    var bytes: [UInt8]? {
        if let text { return Array(text.utf8) }
        return base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

/// What the other methods answer.
struct NoReply: Codable {}

/// What `GetInfo` answers.
struct InfoReply: Codable {
    var vendor, product, version, url: String
    var interfaces: [String]
}

struct DescriptionReply: Codable {
    var description: String
}
