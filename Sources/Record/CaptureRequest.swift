// SPDX-License-Identifier: Apache-2.0

/// What a host asked to be signed.
public struct CaptureRequest: Codable, Equatable, Sendable {
    /// The document that the signature belongs to, as the host names it.
    public struct Document: Codable, Equatable, Sendable {
        public var reference: String?
        /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
        public var sha256: String?

        public init(reference: String? = nil, sha256: String? = nil) {
            self.reference = reference
            self.sha256 = sha256
        }
    }

    /// Lines in any script.
    public var prompt: [String]
    public var signer: String?
    public var reason: String?
    public var document: Document?
    /// The host's own, such as the number of an order; never shown. Nil when there is none.
    public var data: [String: String]?

    public init(
        prompt: [String] = [], signer: String? = nil, reason: String? = nil, document: Document? = nil,
        data: [String: String]? = nil
    ) {
        self.prompt = prompt
        self.signer = signer
        self.reason = reason
        self.document = document
        self.data = data
    }
}
