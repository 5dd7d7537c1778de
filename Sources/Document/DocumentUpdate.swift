// SPDX-License-Identifier: Apache-2.0

/// What one incremental update of a document adds (ISO 32000-1, 7.5.6): the fields, answers and ink of a signer, and
/// the signature that covers them.
public struct DocumentUpdate: Codable, Equatable, Sendable {
    /// Ink in a signature field: filled paths, as a content stream without fonts and transparency.
    public struct Ink: Codable, Equatable, Sendable {
        /// The size of the ink's own coordinates, in points, y up, from 0, 0.
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
        /// For check boxes and radio buttons, the name of a choice, or "Off".
        public var value: String

        public init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// All signature fields that the document does not have yet, those of later signers, too. Only the first update of
    /// a document may have any.
    public var newFields: [DocumentField]
    public var values: [Value]
    /// The name of the signature field that is signed.
    public var field: String
    public var ink: Ink?
    /// Who signed, for `Name`.
    public var signer: String?
    public var reason: String?
    /// When, for `M`: seconds since 1970, UTC.
    public var time: Int64
    /// The names of fields that nobody may change after this signature.
    public var locks: [String]
    /// The record of the capture, and its digest in hexadecimal.
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
