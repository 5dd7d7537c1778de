// SPDX-License-Identifier: Apache-2.0

/// The texts, the document and the data of a host's request.
///
/// ```swift
/// let request = CaptureRequest(
///     prompt: ["Rental agreement", "I have read the terms."], rows: [.init(label: "Amount", value: "12.00 €")],
///     signer: "Anna Müller", data: ["order": "4711"])
/// ```
public struct CaptureRequest: Codable, Equatable, Sendable {
    /// The document that the signature belongs to, as the host names it.
    public struct Document: Codable, Equatable, Sendable {
        public var reference: String?
        /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
        public var sha256: String?
        /// true if the panel computed ``sha256`` from the document's bytes; otherwise the host named it.
        public var computed: Bool?

        public init(reference: String? = nil, sha256: String? = nil, computed: Bool? = nil) {
            self.reference = reference
            self.sha256 = sha256
            self.computed = computed
        }

        /// Whether ``sha256`` is as it says, or missing.
        package var hasValidDigest: Bool {
            sha256.map { SealHead.isDigest($0) } ?? true
        }
    }

    /// A label with its value, such as an amount.
    public struct Row: Codable, Equatable, Sendable {
        public var label, value: String

        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }

        /// On one line, where there are no columns.
        public var line: String { label.isEmpty ? value : label + ": " + value }
    }

    /// Lines in any script. The first is the heading.
    public var prompt: [String]
    /// Two columns below the lines of the prompt; nil for none.
    public var rows: [Row]?
    /// The name of the person.
    public var signer: String?
    /// Why the person signs.
    public var reason: String?
    /// The document that is signed.
    public var document: Document?
    /// The host's own data, such as an order number; never shown.
    public var data: [String: String]?
    /// The language of the page, as a BCP 47 tag; nil for the panel's own.
    public var language: String?
    /// The user who asked the person to sign, as the host names them; never shown.
    public var `operator`: String?

    public init(
        prompt: [String] = [], rows: [Row]? = nil, signer: String? = nil, reason: String? = nil,
        document: Document? = nil, data: [String: String]? = nil, language: String? = nil,
        operator: String? = nil
    ) {
        self.prompt = prompt
        self.rows = rows
        self.signer = signer
        self.reason = reason
        self.document = document
        self.data = data
        self.language = language
        self.operator = `operator`
    }
}

/// The parts of a request that the page shows if the request has them. Hidden ones are still recorded.
public struct ShownFields: Codable, Equatable, Sendable {
    /// `prompt` includes the rows.
    public var prompt, signer, reason, date: Bool

    public init(prompt: Bool = true, signer: Bool = true, reason: Bool = true, date: Bool = true) {
        self.prompt = prompt
        self.signer = signer
        self.reason = reason
        self.date = date
    }
}
