// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Record

/// The alternatives that were accepted in place of signatures, by the signatures' names in the record. A mark counts
/// when both of its witnesses have signed.
struct Insteads {
    private var parts: [String: InsteadPart] = [:]
    /// The accepted ink, by ``InsteadPart/name(of:)``.
    private var inks: [String: SignedInk] = [:]
    /// The names that were typed, as the record has them.
    private var typed: [String: ConfirmedField] = [:]

    private static let partsOfMark: [InsteadPart] = [.mark, .witness1, .witness2]

    mutating func accept(_ ink: SignedInk, _ part: InsteadPart, of signature: String) {
        if !part.isWitness {
            // A new mark needs new witnesses.
            remove(signature)
            parts[signature] = part
        }
        inks[part.name(of: signature)] = ink
    }

    mutating func confirm(_ field: ConfirmedField, of signature: String) {
        remove(signature)
        parts[signature] = field.part
        if field.entered != nil { typed[signature] = field }
    }

    /// Forgets what was accepted in place of a signature, for example because the person has signed.
    mutating func remove(_ signature: String) {
        parts[signature] = nil
        typed[signature] = nil
        for part in InsteadPart.allCases { inks[part.name(of: signature)] = nil }
    }

    /// The part that stands in place of the signature; nil if none does, or if a mark lacks a witness.
    subscript(signature: String) -> InsteadPart? {
        parts[signature].flatMap { isBegun(signature) ? nil : $0 }
    }

    /// Whether a mark lacks a witness. The field must be filled then.
    func isBegun(_ signature: String) -> Bool {
        parts[signature] == .mark && inks(of: signature).count < Self.partsOfMark.count
    }

    /// The ink of everybody who took part: of the person's mark and then its witnesses, or of a representative.
    func inks(of signature: String) -> [SignedInk] {
        let written = parts[signature].map { $0 == .mark ? Self.partsOfMark : [$0] } ?? []
        return written.compactMap { inks[$0.name(of: signature)] }
    }

    /// The words that the page showed for a typed name; nil for other signatures.
    func typedWords(of signature: String) -> String? { typed[signature]?.words }

    /// Whether the person acted, rather than a representative or the host. Only then does the caption have the person's
    /// name.
    func isByPerson(_ signature: String) -> Bool {
        parts[signature] != .representative && typed[signature]?.host != true
    }

    /// The accepted alternatives, as hosts get them.
    var given: [GivenInstead] {
        parts.keys.sorted().compactMap { name in
            self[name].map {
                GivenInstead(name: name, alternative: $0.alternative, host: typed[name]?.host)
            }
        }
    }
}

/// The pages in place of a signature: the choice, then one page, or those of a mark and its witnesses.
extension Flow {
    /// Whether the page has a box that confirms in place of a signature. If the page is read aloud, the person must
    /// hear all of it.
    var isConfirming: Bool { if case .instead(_, let part) = step { part.isWithoutInk } else { false } }

    /// The alternatives that people can choose on the pad. A typed name comes from the host.
    static func choosable(_ alternatives: [Alternative]) -> [Alternative] { alternatives.filter { $0 != .typed } }

    /// Whether a witness writes on the page. The page before it takes ink, too.
    var isWitnessing: Bool { if case .instead(_, let part) = step { part.isWitness } else { false } }

    /// The page after one of these; nil for other pages, and at the end.
    var nextInstead: FlowStep? {
        switch step {
        case .choosing(let name):
            let offered = Self.choosable(alternatives)
            let chosen = pageOption.flatMap { offered.indices.contains($0) ? offered[$0] : nil }
            return chosen.map { .instead(name, $0.firstPart) }
        case .instead(let name, .mark): return .instead(name, .witness1)
        case .instead(let name, .witness1): return .instead(name, .witness2)
        default: return nil
        }
    }

    /// The page before one of these; nil for other pages.
    var previousInstead: FlowStep? {
        switch step {
        case .choosing(let name), .instead(let name, .typed): document == nil ? .signature : .field(name)
        case .instead(let name, _): .choosing(name)
        default: nil
        }
    }
}

extension Capture {
    /// The words beside the box that confirms in place of a signature.
    var confirmedWords: String {
        typedName.map { requested.messages.words(of: $0) } ?? requested.messages[.insteadConfirm]
    }

    /// The name on the page, if it was typed in place of a signature.
    var typedName: TypedName? { if case .instead(_, .typed) = flow.step { flow.typedName } else { nil } }

    /// The person confirms in place of a signature.
    /// - Parameters:
    ///   - heard: all words of the page were read aloud.
    ///   - byHost: the host has accepted a typed name.
    mutating func confirm(
        _ name: String, heard: Bool, byHost: Bool = false, at now: Timestamp, _ actions: inout [PadAction]
    ) {
        let field = ConfirmedField(
            name: name, words: confirmedWords, heard: heard ? true : nil, entered: typedName,
            host: byHost ? true : nil)
        append(.confirmed(field), at: now, &actions)
        flow.confirm(field)
    }
}

extension Alternative {
    /// The part on the alternative's first page.
    fileprivate var firstPart: InsteadPart {
        switch self {
        case .confirmed: .confirmed
        case .mark: .mark
        case .representative: .representative
        case .typed: .typed
        }
    }
}

extension InsteadPart {
    /// The message on the part's page that says who acts, and how. The record keeps its words. nil for a mark, and for
    /// a typed name, whose words are ``MessageTable/words(of:)``.
    var message: Message? {
        switch self {
        case .confirmed: .insteadConfirm
        case .mark, .typed: nil
        case .witness1, .witness2: .markWitness
        case .representative: .representative
        }
    }
}
