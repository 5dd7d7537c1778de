// SPDX-License-Identifier: Apache-2.0
public import Document
import HostAPI
public import Record

/// What is put into a document, and where: found once, before the first signature, for the pad, the trial of the
/// signing and the signed file.
public struct DocumentPlan: Equatable, Sendable {
    /// All fields that people fill, in the order in which they are offered. Check boxes and choices of the document's
    /// own form that the host has neither filled nor named belong to the first person.
    public var fields: [FlowField]
    /// What the document's own form has before anybody answers: what the host fills in, and no tick that nobody has
    /// made, so that a person sees what they answer.
    public var values: [DocumentUpdate.Value]
    /// The indices of the fields that are on a dark ground: what is in them has a white plate.
    public var plates: Set<Int>
    /// Whether name and date are drawn below each signature.
    public var hasCaptions: Bool
    /// Whether the last signature allows no change at all after it.
    public var isFinal: Bool

    public init(
        fields: [FlowField] = [], values: [DocumentUpdate.Value] = [], plates: Set<Int> = [], hasCaptions: Bool = false,
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

extension FlowField {
    /// The field in the signed document; nil unless it is a signature.
    package var signatureField: DocumentField? {
        guard kind == .signature, let field else { return nil }
        return DocumentField(name: field, kind: .signature, page: page, rectangle: place, label: label)
    }

    package var place: DocumentRectangle {
        // A plan has four numbers.
        rectangle.count == 4
            ? DocumentRectangle(minX: rectangle[0], minY: rectangle[1], maxX: rectangle[2], maxY: rectangle[3])
            : DocumentRectangle(minX: 0, minY: 0, maxX: 0, maxY: 0)
    }
}
