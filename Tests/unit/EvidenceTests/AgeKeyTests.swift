// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

@Suite("Bech32 and the keys of age")
struct AgeKeyTests {
    /// BIP 173, "Test vectors".
    @Test(arguments: [
        "A12UEL5L", "a12uel5l", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "?1ezyfcl",
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
        "11" + String(repeating: "q", count: 82) + "c8247j",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
    ])
    func validBech32(text: String) throws {
        let (prefix, bytes) = try Bech32.decode(text)
        // The padding of 2 bits is not kept, so 82 groups are written as they are.
        #expect(Bech32.encode(bytes, prefix: prefix) == text.lowercased())
    }

    /// The same, invalid.
    @Test(arguments: [
        "\u{20}1nwldj5", "\u{7f}1axkwrx", "\u{80}1eym55h", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3",
        "de1lg7wt\u{ff}", "A1G7SGD8", "10a06t8", "1qzzfhee", "a12UEL5L", "", "1", "a12uel5",
    ])
    func invalidBech32(text: String) {
        #expect(throws: Bech32.Failure.self) { try Bech32.decode(text) }
    }

    @Test func bech32FindsMistakes() throws {
        var random = SeededGenerator(seed: 4)
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Bech32.encode(bytes, prefix: "age")
            #expect(try Bech32.decode(text).bytes == bytes)
            var wrong = Array(text)
            let index = Int.random(in: 4..<wrong.count, using: &random)
            wrong[index] = wrong[index] == "q" ? "p" : "q"
            #expect(throws: Bech32.Failure.self) { try Bech32.decode(String(wrong)) }
        }
    }

    /// c2sp.org/age, "The X25519 recipient type".
    @Test func theSpecificationsKeys() throws {
        let identity = try AgeIdentity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        #expect(identity.recipient.description == recipient)
        #expect(try AgeRecipient(recipient) == identity.recipient)
    }

    @Test func theProgramsKeys() throws {
        for (file, recipient) in zip([AgeFiles.one, AgeFiles.two], AgeFiles.recipients) {
            for text in [file, file.replacing("\n", with: "\r\n")] {
                let identities = try AgeIdentity.identities(inFile: Array(text.utf8))
                #expect(identities.map(\.recipient.description) == [recipient])
            }
        }
        let both = try AgeIdentity.identities(inFile: Array((AgeFiles.one + AgeFiles.two).utf8))
        #expect(both.map(\.recipient.description) == AgeFiles.recipients)
    }

    @Test func newKeysAreReadBack() throws {
        let identity = try AgeIdentity.generate()
        #expect(identity.text.hasPrefix("AGE-SECRET-KEY-1") && identity.text.utf8.count == 74)
        #expect(try AgeIdentity(identity.text).recipient == identity.recipient)
        #expect(try AgeRecipient(identity.recipient.description) == identity.recipient)
        #expect(try AgeIdentity.generate().recipient != identity.recipient)
    }

    @Test(arguments: [
        ("", "must begin with age1"), ("age1", "is cut"), (AgeFiles.recipients[0].uppercased(), "in lower case"),
        (String(AgeFiles.recipients[0].dropLast()), "checksum"), (AgeFiles.recipients[0] + "q", "checksum"),
        (" " + AgeFiles.recipients[0], "must begin with age1"), (AgeFiles.recipients[0] + "\n", "characters"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", "SSH keys are not supported"),
        (Bech32.encode([1], prefix: "age1yubikey"), "age1yubikey; only X25519"),
        (Bech32.encode([1], prefix: "age"), "62 characters"),
        (Bech32.encode([UInt8](repeating: 0, count: 32), prefix: "age"), "everybody could open"),
        (Bech32.encode([1] + [UInt8](repeating: 0, count: 31), prefix: "age"), "everybody could open"),
    ])
    func otherRecipientsAreRefused(text: String, message: String) throws {
        let error = try #require(thrownError { try AgeRecipient(text) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
    }

    @Test func aSecretKeyIsNotRepeatedInAMessage() throws {
        let identity = try AgeIdentity.generate().text
        for text in [identity, identity.lowercased(), String(identity.dropLast())] {
            let error = try #require(thrownError { try AgeRecipient(text) } as? EvidenceError)
            #expect(error.description.contains("this is a secret key"))
            #expect(!error.description.lowercased().contains(text.lowercased().dropFirst(16).prefix(8)))
        }
        let wrong = String(identity.dropLast(2)) + "QQ"
        let error = try #require(thrownError { try AgeIdentity(wrong) } as? EvidenceError)
        #expect(error.description.contains("checksum"))
        #expect(!error.description.contains(wrong.dropFirst(16).prefix(8)))
    }

    @Test(
        arguments: [
            ("", nil, "no line AGE-SECRET-KEY-1"), ("# only a comment\n", nil, "no line AGE-SECRET-KEY-1"),
            ("\n\nnonsense", 3, "must begin with"), ("#\nage1qqq", 2, "this is a recipient"),
            ("AGE-PLUGIN-YUBIKEY-1QQQ", 1, "plugins are not supported"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----", 1, "SSH keys are not supported"),
            ("age-encryption.org/v1\n-> scrypt", 1, "encrypted itself"), ("AGE-SECRET-KEY-1QQQ", 1, "is cut"),
            (" AGE-SECRET-KEY-1QQQ", 1, "must begin with"),
            (Bech32.encode([1], prefix: "age-secret-key-pq-").uppercased(), 1, "another type"),
            (Bech32.encode([1], prefix: "age-secret-key-").uppercased(), 1, "another type"),
        ] as [(String, Int?, String)])
    func otherIdentitiesAreRefused(file: String, line: Int?, message: String) throws {
        let error = try #require(thrownError { try AgeIdentity.identities(inFile: Array(file.utf8)) } as? EvidenceError)
        guard case .identity(line, let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains(message), "\(error)")
    }

    @Test func longFilesOfIdentitiesAreRefused() throws {
        let long = [UInt8](repeating: UInt8(ascii: "#"), count: AgeIdentity.longestFile + 1)
        let error = try #require(thrownError { try AgeIdentity.identities(inFile: long) } as? EvidenceError)
        #expect(error.description.contains("longer than 65536 bytes"))
    }

    /// RFC 7748, section 5.2.
    @Test func x25519() throws {
        let scalar = Secret(copying: bytes(hex: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let point = bytes(hex: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
        let shared = try #require(X25519.sharedSecret(scalar, point))
        #expect(
            shared.withBytes { Array($0) }
                == bytes(hex: "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"))
    }

    /// RFC 5869, A.3: without salt and info. The first 32 of its 42 bytes.
    @Test func hkdf() throws {
        let input = Secret(copying: [UInt8](repeating: 0x0b, count: 22))
        let key = try HKDFSHA256.derive(from: input, salt: [], info: "")
        #expect(
            key.withBytes { Array($0) }
                == bytes(hex: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"))
    }
}
