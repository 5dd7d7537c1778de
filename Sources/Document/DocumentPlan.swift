// SPDX-License-Identifier: Apache-2.0

/// The contents of a document's fields and their places. The plan is made once, before the first signature; the pad,
/// the trial of the signing and the signed file use the same one.
public struct DocumentPlan: Equatable, Sendable {
    /// All fields that people fill, in the order in which they are offered. Check boxes and choices of the document's
    /// own form that the host has neither filled nor named belong to the first person.
    public var fields: [Field]
    /// The values of the document's own form before anybody answers: those that the host fills in. Ticks that the file
    /// already had in fields that somebody fills are removed, so that people see only their own answers.
    public var values: [DocumentUpdate.Value]
    /// The indices of the fields that are on a dark ground: their contents have a white plate.
    public var plates: Set<Int>
    /// Whether name and date are drawn below each signature.
    public var hasCaptions: Bool
    /// Whether the last signature allows no change at all after it.
    public var isFinal: Bool

    public init(
        fields: [Field] = [], values: [DocumentUpdate.Value] = [], plates: Set<Int> = [], hasCaptions: Bool = false,
        isFinal: Bool = false
    ) {
        self.fields = fields
        self.values = values
        self.plates = plates
        self.hasCaptions = hasCaptions
        self.isFinal = isFinal
    }

    /// The line below a signature; nil if there is nothing to say.
    package static func caption(_ signer: String?, _ date: String?) -> String? {
        let parts = [signer, date].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
