// SPDX-License-Identifier: Apache-2.0

/// The demands of a signature field on its signature (ISO 32000-1, 12.7.4.5, table 234). Verifiers call a signature
/// invalid that does not meet them.
enum SeedValues {
    /// Bits of `Ff`; those that are not here cannot be met.
    private static let filter = 1 << 0
    private static let encoding = 1 << 1
    private static let version = 1 << 2
    private static let reasons = 1 << 3
    private static let digest = 1 << 6

    /// The reason why a signature of this program would not be valid in the field; nil if it would.
    /// - Parameters:
    ///   - values: the field's `SV`; null for none.
    ///   - reason: for signing.
    ///   - certification: what it allows after it, if the signature certifies the document (`P` of `DocMDP`).
    static func fault(_ values: PDFObject, reason: String?, certification: Int?) -> String? {
        guard values.isDictionary else { return nil }
        let flags = values["Ff"].integer ?? 0
        func texts(_ key: String) -> [String] {
            let list = values[key]
            return (0..<min(list.count, 100)).compactMap { list[$0].text ?? list[$0].name }
        }
        if flags & ~(filter | encoding | version | reasons | digest) != 0 {
            return "it demands a signature of its own kind"
        }
        if flags & filter != 0, values["Filter"].name != "Adobe.PPKLite" { return "it demands another program" }
        // Whoever signs has to take the first encoding that is known to them.
        if flags & encoding != 0, texts("SubFilter").first != "ETSI.CAdES.detached" {
            return "it demands a signature in another encoding than PAdES"
        }
        if flags & version != 0, (values["V"].number ?? 0) > 2 { return "it demands a newer signature" }
        if flags & digest != 0, !texts("DigestMethod").contains(where: { $0.uppercased() == "SHA256" }) {
            return "it demands another digest than SHA-256"
        }
        if flags & reasons != 0 {
            // A full stop alone stands for no reason.
            let allowed = texts("Reasons").filter { $0 != "." }
            let isAllowed = reason.map { allowed.contains($0) } ?? allowed.isEmpty
            if !isAllowed {
                let list = allowed.prefix(8).map(\.debugDescription).joined(separator: ", ")
                return allowed.isEmpty ? "it allows no reason for signing" : "it demands one of the reasons \(list)"
            }
        }
        // These say by themselves what is demanded, without a flag in the dictionary above.
        if values["TimeStamp"]["Ff"].integer ?? 0 != 0 { return "it demands a time stamp in the signature" }
        if values["Cert"]["Ff"].integer ?? 0 != 0 { return "it demands certain certificates" }
        switch (values["MDP"]["P"].integer, certification) {
        case (nil, _), (0, nil): return nil
        case (let wanted?, let own?) where wanted == own: return nil
        case (1, .some): return "it demands that nothing follows its signature: sign it alone, or with final"
        case (_, nil): return "it demands that its signature certifies the document, which only a first one can"
        default: return "it demands that its signature certifies the document in its own way"
        }
    }
}
