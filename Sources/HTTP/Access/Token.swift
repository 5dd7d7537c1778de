// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import Evidence
package import Foundation
import HostAPI
import Linux

/// The rights that a token's bearer may have.
package enum Scope: String, CaseIterable, Codable, Sendable {
    /// Ask for signatures; follow, cancel, clear and accept captures that the same token asked for.
    case capture
    /// Get files of the records of these captures, and list them.
    case record
    /// The panel's status.
    case panel
    /// Choose what the simulated person of a panel for tests does.
    case simulate
    /// See and touch a virtual panel (`--virtual`).
    case virtual
    /// Follow the mirror of a capture, up to a level.
    case mirrorState = "mirror:state"
    case mirrorPresence = "mirror:presence"
    case mirrorInk = "mirror:ink"
    /// All of this, with the captures of all tokens.
    case admin

    package static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The right to use the gateway. Only the SHA-256 of its secret is kept: 256 random bits need no slow hash.
package struct Token: Codable, Equatable, Sendable {
    /// Identifies the token in its text and as owner of captures.
    package var id: String
    /// The administrator's name for it.
    package var name: String
    package var scopes: Set<Scope>
    /// Origins of web pages that may use it; empty for all that the configuration allows.
    package var origins: [String]
    /// nil for no end.
    package var expires: Date?
    package var created: Date
    /// SHA-256 of the whole text, in hexadecimal.
    package var digest: String
    /// Id of the token that made this session; nil for a token of its own.
    package var parent: String?
    /// Ids of the tokens whose captures this one may mirror, besides its own; nil for none.
    package var mirrors: [String]?

    /// Id of the token that captures belong to.
    package var owner: String { parent ?? id }

    /// Makes a token, whose text is not kept.
    package static func make(
        name: String, scopes: Set<Scope>, origins: [String] = [], expires: Date?, now: Date
    ) -> (token: Token, text: String) {
        let id = [UInt8](randomCount: 6).base64URL
        let text = "ipt_\(id)_\([UInt8](randomCount: 32).base64URL)"
        let token = Token(
            id: id, name: name, scopes: scopes, origins: origins, expires: expires, created: now,
            digest: SHA256Digest(of: Array(text.utf8)).description)
        return (token, text)
    }

    /// One rule for who adds tokens and for hosts that pair: a name that is too long for one would be refused by the
    /// other.
    /// - Returns: what a name of a host must be; nil if this one is so.
    package static func expectation(ofName name: String) -> String? {
        guard 1...64 ~= name.utf8.count, !name.isBlank else { return "1 to 64 bytes of UTF-8, not only blanks" }
        return HiddenCharacter(in: name).map { "a text without \($0)" }
    }

    package func allows(_ scope: Scope) -> Bool { scopes.contains(scope) || scopes.contains(.admin) }

    /// - Throws: ``Problem`` with status 403.
    package func check(_ scope: Scope) throws {
        guard !allows(scope) else { return }
        throw Problem(
            name: .missingScope, status: 403, detail: "This needs a token with the scope \(scope.rawValue).")
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension String {
    /// Compares secrets in a time that does not depend on where they differ.
    package func isEqualInConstantTime(to other: String) -> Bool {
        let (one, other) = (Array(utf8), Array(other.utf8))
        return one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}

extension [UInt8] {
    /// Random bytes for secrets, from libcrypto. Ends the program if the system has none to give: going on would make
    /// secrets that can be guessed.
    package init(randomCount count: Int) {
        self.init(repeating: 0, count: count)
        precondition(RAND_bytes(&self, CInt(count)) == 1, "the system's random generator failed")
    }

    /// RFC 4648, section 5, without padding and with `-` and `_`; `_` separates the parts of a token, so it is written
    /// as `~`.
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "~").replacing("=", with: "")
    }

    /// The bytes in hexadecimal, in lower case.
    package var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
