// SPDX-License-Identifier: Apache-2.0

/// What of a request the page shows, where there is such a thing. What it does not show is in the record all the same.
public struct ShownFields: Codable, Equatable, Sendable {
    public var prompt, signer, reason, date: Bool

    public init(prompt: Bool = true, signer: Bool = true, reason: Bool = true, date: Bool = true) {
        self.prompt = prompt
        self.signer = signer
        self.reason = reason
        self.date = date
    }
}
