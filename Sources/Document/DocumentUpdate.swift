// SPDX-License-Identifier: Apache-2.0

/// The additions of one incremental update to a document (ISO 32000-1, 7.5.6): the fields, answers and ink of a signer,
/// and the signature that covers them.
public struct DocumentUpdate: Codable, Equatable, Sendable {
    /// Ink in a signature field: filled paths, as a content stream without fonts and transparency.
    public struct Ink: Codable, Equatable, Sendable {
        /// The size of the ink in its own coordinates, in points. They begin at 0, 0 in the lower left corner, y up.
        public var width, height: Double
        /// Path and colour operators (ISO 32000-1, 8.5); ASCII.
        public var content: String

        public init(width: Double, height: Double, content: String) {
            self.width = width
            self.height = height
            self.content = content
        }
    }

    /// The value that a field of the document's own form gets.
    public struct Value: Codable, Equatable, Sendable {
        public var field: String
        /// The name of a choice of the check box or radio buttons, or "Off".
        public var value: String

        public init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// All signature fields that the document does not have yet, also those of later signers. Only the first update of
    /// a document may have any.
    public var newFields: [DocumentField]
    public var values: [Value]
    /// The name of the signature field that is signed.
    public var field: String
    public var ink: Ink?
    /// The name of the person who signed, for the signature's entry `Name`.
    public var signer: String?
    public var reason: String?
    /// The time of signing, for the signature's entry `M`: seconds since 1970, UTC.
    public var time: Int64
    /// The names of fields that nobody may change after this signature.
    public var locks: [String]
    /// The ID of the capture's record, and the SHA-256 of its lines in hexadecimal.
    public var record: String?
    public var recordSHA256: String?

    public init(
        newFields: [DocumentField] = [], values: [Value] = [], field: String, ink: Ink? = nil, signer: String? = nil,
        reason: String? = nil, time: Int64, locks: [String] = [], record: String? = nil, recordSHA256: String? = nil
    ) {
        self.newFields = newFields
        self.values = values
        self.field = field
        self.ink = ink
        self.signer = signer
        self.reason = reason
        self.time = time
        self.locks = locks
        self.record = record
        self.recordSHA256 = recordSHA256
    }
}
