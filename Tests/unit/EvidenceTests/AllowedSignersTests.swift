// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

/// Tests/system/Evidence compares the same with `ssh-keygen`.
@Suite("Allowed signers")
struct AllowedSignersTests {
    private static let key = OpenSSHFiles.publicKey

    private func signers(_ text: String) throws -> [AllowedSigners.Signer] {
        let allowed = try AllowedSigners(Array(text.utf8))
        #expect(allowed.unusable.isEmpty)
        return allowed.signers
    }

    /// The only line that cannot be used, and why.
    private func fault(_ text: String) throws -> (line: Int, reason: String)? {
        let allowed = try AllowedSigners(Array(text.utf8))
        #expect(allowed.signers.isEmpty && allowed.unusable.count < 2)
        return allowed.unusable.first
    }

    @Test func aFileOfSeveralLines() throws {
        let key = try #require(PublicKey(text: Self.key))
        let other = try SigningKey.generate().publicKey
        let signers = try signers(
            """
            # The panels of the shop

            panel-12@example.org namespaces="inkpanel-seal",valid-after="20260314" \(Self.key)
            \tpanel-13@example.org \(other.text) a comment
            anna@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIyyMRXX5oTZDOrXyLZfZCVEoG9SH0bWqJ9U3pQg5c9F
            """)
        #expect(
            signers == [
                AllowedSigners.Signer(
                    principals: ["panel-12@example.org"], namespaces: ["inkpanel-seal"], validAfter: 1_773_446_400,
                    validBefore: nil, key: key),
                AllowedSigners.Signer(
                    principals: ["panel-13@example.org"], namespaces: nil, validAfter: nil, validBefore: nil, key: other
                ),
            ])
    }

    @Test func formsOfALine() throws {
        let expected = try signers("a,b namespaces=\"x,y\" \(Self.key)")
        for text in [
            "a,b namespaces=\"x,y\" \(Self.key)\n", "\"a,b\" namespaces=\"x,y\" \(Self.key)\r\n",
            "  a,b\t\tNameSpaces=\"x,y\"   \(Self.key.replacing(" ", with: "\t"))\tcomment \"unclosed",
        ] {
            #expect(try signers(text) == expected, "\(text)")
        }
        #expect(expected[0].principals == ["a", "b"] && expected[0].namespaces == ["x", "y"])
        #expect(try signers("a namespaces=\"x y\\\"z\" \(Self.key)")[0].namespaces == ["x y\"z"])
        #expect(try signers("") == [] && signers("\n\n#\n") == [])
    }

    /// The seconds are those of GNU date: `date -u -d "2026-03-14 15:09:26" +%s`.
    @Test(
        arguments: [
            ("20260314", 1_773_446_400), ("20260314Z", 1_773_446_400), ("202603141509", 1_773_500_940),
            ("20260314150926", 1_773_500_966), ("20260314150926Z", 1_773_500_966), ("20260314150926UTC", 1_773_500_966),
            ("19700102", 86400), ("20000229", 951_782_400), ("20240229", 1_709_164_800), ("21000301", 4_107_542_400),
            ("99991231235959Z", 253_402_300_799), ("20260314z", 1_773_446_400), ("20260314utc", 1_773_446_400),
            // Days and seconds that do not exist, as timegm(3) counts them.
            ("20260230", 1_772_409_600), ("20250229", 1_740_787_200), ("20260314120060", 1_773_489_660),
        ] as [(String, Int64)])
    func times(text: String, seconds: Int64) throws {
        let signer = try #require(try signers("a valid-after=\"\(text)\" \(Self.key)").first)
        #expect(signer.validAfter == seconds)
        #expect(signer.isValid(at: seconds) && signer.isValid(at: .max) && !signer.isValid(at: seconds - 1))
        let until = try #require(try signers("a valid-before=\"\(text)\" \(Self.key)").first)
        #expect(until.validBefore == seconds)
        #expect(until.isValid(at: seconds) && until.isValid(at: .min) && !until.isValid(at: seconds + 1))
    }

    @Test(arguments: [
        "", "Z", "2026", "2026031", "202603141", "20261301", "20260001", "20260132", "20260100",
        "2026031424", "202603142400", "202603141260", "20260314120062", "+2026031", "19700101", "18991231",
        "2026031412000Z", "20260314 ", "２０２６０３１４", "1773446400",
    ])
    func otherTimesAreRefused(text: String) throws {
        let fault = try #require(try self.fault("\na valid-after=\"\(text)\" \(Self.key)"))
        #expect(fault.line == 2 && fault.reason.hasPrefix("valid-after is not a time"))
    }

    /// `KEY` stands for the key: with an interpolation in the list, Swift 6.0.3 crashes.
    @Test(arguments: [
        ("a", "ends too early"), ("a ssh-rsa", "ends too early"), ("a ssh-rsa x", "is no option"),
        ("a ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlz", "the key is damaged"),
        ("a KEYAAAA", "the key is damaged"), ("a cert-authority KEY", "(cert-authority) are not supported"),
        ("a namespaces=\"n\",cert-authority KEY", "(cert-authority) are not supported"),
        ("a no-touch-required KEY", "no-touch-required is no option"),
        ("a namespaces=n KEY", "a value in quotes"),
        ("a namespaces KEY", "a value in quotes"), ("a namespaces=\"n KEY", "quotation mark is missing"),
        ("a namespaces=\"n\",namespaces=\"m\" KEY", "there twice"),
        ("a namespaces=\"n\", KEY", "after the comma"),
        ("a namespaces=\"n\"x KEY", "a comma is missing"), ("a, b KEY", "b is no option"),
        ("a valid-after=\"20260314\",valid-before=\"20260314\" KEY", "is not after valid-after"),
        ("\ra KEY", "a is no option"), ("\r# a KEY", "is no option"),
        ("a namespaces=\"n\" namespaces=\"n\" KEY", "no key"),
        ("a ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=", "the key is damaged"),
    ])
    func wrongLinesAreNamed(line: String, message: String) throws {
        let text = line.replacing("KEY", with: Self.key)
        let fault = try #require(try self.fault("#\n\(text)\n"))
        #expect(fault.line == 2 && fault.reason.contains(message), "\(fault)")
        // The other lines count.
        let allowed = try AllowedSigners(Array("\(text)\nb \(Self.key)\n".utf8))
        #expect(allowed.signers.map(\.principals) == [["b"]] && allowed.unusable.map(\.line) == [1])
    }

    /// As for OpenSSH: names, options and comments are bytes.
    @Test func bytesThatAreNoTextMatchNoName() throws {
        let key = try #require(PublicKey(text: Self.key))
        func names(_ text: String, _ name: String) throws -> Bool {
            // é stands for a byte of Latin-1.
            let bytes = text.replacing("KEY", with: Self.key).unicodeScalars.map { UInt8($0.value) }
            let allowed = try AllowedSigners(bytes)
            #expect(allowed.unusable.isEmpty)
            return !allowed.signers(of: key, namespace: "inkpanel-seal", principal: name).isEmpty
        }
        for line in [
            "a,\u{e9} KEY", "a namespaces=\"\u{e9},*\" KEY", "a KEY comment \u{e9}\u{1}", "\u{1},a KEY", "a KEY \0junk",
            "\r\n# \u{e9}\n\na KEY\r\n",
        ] {
            #expect(try names(line, "a"), "\(line)")
        }
        for name in ["\u{e9}", "\u{fffd}", "a"] { #expect(try !names("\u{e9} KEY", name)) }
    }

    @Test func theFileHasALimit() throws {
        let most = [UInt8](repeating: UInt8(ascii: "#"), count: AllowedSigners.longestFile)
        #expect(try AllowedSigners(most).signers.isEmpty)
        #expect(thrownError { try AllowedSigners(most + [10]) } as? EvidenceError == .longAllowedSigners)
    }

    /// As match_pattern_list() of OpenSSH.
    @Test(arguments: [
        ("inkpanel-seal", true), ("inkpanel-*", true), ("*", true), ("ink*-s?al", true), ("other,inkpanel-seal", true),
        ("*,!inkpanel-seal", false), ("!inkpanel-seal,*", false), ("!other,*", true), ("!other", false),
        ("inkpanel", false), ("inkpanel-seal?", false), ("inkpanel-seal*", true), ("Inkpanel-seal", false),
        ("*a*a*a*a*a*a*a*a*a*a*a*a*b", false), ("**", true), ("*l", true), ("*e", false),
    ])
    func namespacesArePatterns(patterns: String, isFound: Bool) throws {
        let allowed = try AllowedSigners(Array("a namespaces=\"\(patterns)\" \(Self.key)".utf8))
        let key = try #require(PublicKey(text: Self.key))
        #expect(allowed.signers(of: key, namespace: "inkpanel-seal").isEmpty != isFound)
        let other = try SigningKey.generate().publicKey
        #expect(allowed.signers(of: other, namespace: "inkpanel-seal").isEmpty)
    }

    @Test func aNameMustMatch() throws {
        let key = try #require(PublicKey(text: Self.key))
        for (names, isFound) in [
            ("panel-12", true), ("\"panel-12,x\"", true), ("x,\"panel-12\"", true), ("panel-*", true),
            ("*,!panel-12", false),
            ("!panel-12,*", false), ("!x,*", true), ("Panel-12", false), ("panel-1", false), ("\"\"", false),
            ("x,,panel-12", true),
        ] {
            let allowed = try AllowedSigners(Array("\(names) \(Self.key)".utf8))
            #expect(!allowed.signers(of: key, namespace: "n", principal: "panel-12").isEmpty == isFound, "\(names)")
            #expect(allowed.signers(of: key, namespace: "n").count == 1)
        }
    }

    @Test func ownLinesAreReadBack() throws {
        let key = try #require(PublicKey(text: Self.key))
        let line = AllowedSigners.line(
            principal: "panel-12@example.org", key: key, namespace: "inkpanel-seal", validAfter: "20260314")
        #expect(
            line
                == "panel-12@example.org namespaces=\"inkpanel-seal\",valid-after=\"20260314\" \(Self.key)")
        let names = [
            "", "Kasse 12", "a\"b", "a,b", "*", "!a", "#a", "a\nb", "größe", "a\\\"b", "\u{a0}x", "e\u{301}",
        ]
        for name in names {
            let line = AllowedSigners.line(principal: name, key: key, namespace: "n", validAfter: nil)
            let signer = try #require(try signers(line).first, "\(line)")
            #expect(signer.principals.count == 1 && signer.namespaces == ["n"] && signer.key == key)
            if name == "größe" { #expect(signer.principals == [name]) }
        }
    }

    @Test func randomTextNeverCrashes() throws {
        var random = SeededGenerator(seed: 7)
        let line = Array("a namespaces=\"n\",valid-after=\"20260314Z\",valid-before=\"20270314\" \(Self.key)\n".utf8)
        var refused = 0
        for _ in 0..<2000 {
            var changed = line
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: 0..<80, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if try !AllowedSigners(changed).unusable.isEmpty { refused += 1 }
        }
        #expect(refused > 500)
    }
}
