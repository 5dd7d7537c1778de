// SPDX-License-Identifier: Apache-2.0

/// The additions of one incremental update to a document (ISO 32000-1, 7.5.6): the fields, answers, marks and ink of a
/// signer, and the signature that covers them.
public struct DocumentUpdate: Codable, Equatable, Sendable {
    /// Ink beside the signature fields, such as initials or a tick: an annotation that nobody can move.
    public struct Mark: Codable, Equatable, Sendable {
        /// The number of the page, from 1.
        public var page: Int
        /// The ink is in its middle, at most in the size in which it was written.
        public var rectangle: DocumentRectangle
        public var ink: DocumentInk
        /// The description for people who do not see the page.
        public var label: String?

        public init(page: Int, rectangle: DocumentRectangle, ink: DocumentInk, label: String? = nil) {
            self.page = page
            self.rectangle = rectangle
            self.ink = ink
            self.label = label
        }
    }

    /// The value that a field of the document's own form gets.
    public struct Value: Codable, Equatable, Sendable {
        public var field: String
        /// The name of a choice of the check box or radio buttons, or "Off"; or the text of a text field.
        public var value: String
        /// The text of a text field as outlines, from the lower left corner of the field; or the tick of a box, which
        /// then looks in the file as it did on the pad. Without it, a box has the file's own picture.
        public var appearance: DocumentInk?

        public init(field: String, value: String, appearance: DocumentInk? = nil) {
            self.field = field
            self.value = value
            self.appearance = appearance
        }
    }

    /// All signature fields that the document does not have yet, also those of later signers. Only the first update of
    /// a document may have any.
    public var newFields: [Field]
    public var values: [Value]
    /// Only the first update of a document may have any: after a signature they would count as changes.
    public var marks: [Mark]
    /// The name of the signature field that is signed.
    public var field: String
    public var ink: DocumentInk?
    /// The name of the person who signed, for the signature's entry `Name`.
    public var signer: String?
    public var reason: String?
    /// The time of signing, for the signature's entry `M`: seconds since 1970, UTC.
    public var time: Int64
    /// Whether nobody may change the fields of the form after this signature, other than to sign.
    public var locksForm: Bool
    /// The name of the signature field whose signature allows no change at all after it, by this update or a later one:
    /// no answer, no further signature. All updates of a session have the same name, because the first one must lock
    /// the field of the last.
    public var finalField: String?
    /// The ID of the capture's record, and the SHA-256 of its lines in hexadecimal.
    public var record: String?
    public var recordSHA256: String?

    public init(
        newFields: [Field] = [], values: [Value] = [], marks: [Mark] = [], field: String,
        ink: DocumentInk? = nil,
        signer: String? = nil, reason: String? = nil, time: Int64, locksForm: Bool = false, finalField: String? = nil,
        record: String? = nil, recordSHA256: String? = nil
    ) {
        self.newFields = newFields
        self.values = values
        self.marks = marks
        self.field = field
        self.ink = ink
        self.signer = signer
        self.reason = reason
        self.time = time
        self.locksForm = locksForm
        self.finalField = finalField
        self.record = record
        self.recordSHA256 = recordSHA256
    }

    /// Whether this signature allows no change at all after it.
    public var isFinal: Bool { finalField == field }
}
