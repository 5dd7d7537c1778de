// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

@Suite("SSH signatures")
struct SSHSignatureTests {
    @Test func openSSHsSignatureIsValid() throws {
        let signature = try SSHSignature(armoured: OpenSSHFiles.signature)
        #expect(signature.publicKey.text == OpenSSHFiles.publicKey)
        #expect(signature.namespace == OpenSSHFiles.namespace)
        #expect(signature.isValid(for: OpenSSHFiles.message))
        #expect(!signature.isValid(for: []))
        #expect(!signature.isValid(for: Array(OpenSSHFiles.message.dropLast())))
    }

    /// The same signature in lines of 76 characters, as PROTOCOL.sshsig has them.
    @Test func theArmourIsThatOfTheSpecification() throws {
        let armoured = try SSHSignature(armoured: OpenSSHFiles.signature).armoured
        let lines = armoured.split(separator: UInt8(ascii: "\n"))
        let theirs = OpenSSHFiles.signature.split(separator: UInt8(ascii: "\n"))
        #expect(lines.first == theirs.first && lines.last == theirs.last)
        #expect(Array(lines.dropFirst().dropLast().joined()) == Array(theirs.dropFirst().dropLast().joined()))
        #expect(lines.dropFirst().dropLast(2).allSatisfy { $0.count == 76 })
        #expect(armoured.last == UInt8(ascii: "\n"))
    }

    @Test func signaturesAreReadBack() throws {
        var random = SeededGenerator(seed: 3)
        let key = try SigningKey.generate()
        for count in [0, 1, 63, 64, 65, 1000, 65536] + (0..<50).map({ _ in Int.random(in: 0...300, using: &random) }) {
            let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let signature = try key.sign(message, namespace: "a")
            #expect(signature.isValid(for: message))
            #expect(!signature.isValid(for: message + [0]))
            #expect(try SSHSignature(armoured: signature.armoured) == signature)
        }
    }

    @Test func twoSignaturesDiffer() throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        let one = try key.sign([], namespace: "a")
        #expect(try one != key.sign([], namespace: "a"))
    }

    @Test func theSignatureIsForItsNamespaceAndKey() throws {
        let signature = try SSHSignature(armoured: OpenSSHFiles.signature)
        let other = try SigningKey.generate().publicKey
        let lines = OpenSSHFiles.signature.split(separator: UInt8(ascii: "\n")).dropFirst().dropLast()
        let blob = try #require(Base64.decode(Array(lines.joined()), isPadded: true))
        func changed(_ one: [UInt8], to two: [UInt8]) throws -> SSHSignature {
            let start = try #require(blob.firstRange(of: one))
            var copy = blob
            copy.replaceSubrange(start, with: two)
            return try SSHSignature(armoured: Self.armour(copy))
        }
        let namespaced = try changed(Array("inkpanel-seal".utf8), to: Array("inkpanel-soul".utf8))
        #expect(namespaced.namespace == "inkpanel-soul")
        #expect(!namespaced.isValid(for: OpenSSHFiles.message))
        let rekeyed = try changed(signature.publicKey.point, to: other.point)
        #expect(rekeyed.publicKey == other)
        #expect(!rekeyed.isValid(for: OpenSSHFiles.message))
    }

    /// Each of the 8 bits of each byte, in the armour and in what it encodes.
    @Test func everyChangedBitIsNoticed() throws {
        let original = try SSHSignature(armoured: OpenSSHFiles.signature)
        func isAccepted(_ armoured: [UInt8]) -> Bool {
            guard let signature = try? SSHSignature(armoured: armoured) else { return false }
            return signature.isValid(for: OpenSSHFiles.message) && signature.namespace == original.namespace
                && signature.publicKey == original.publicKey
        }
        let lines = OpenSSHFiles.signature.split(separator: UInt8(ascii: "\n")).dropFirst().dropLast()
        let blob = try #require(Base64.decode(Array(lines.joined()), isPadded: true))
        #expect(isAccepted(OpenSSHFiles.signature) && isAccepted(Self.armour(blob)))
        for bit in 0..<8 {
            for index in OpenSSHFiles.signature.indices {
                var changed = OpenSSHFiles.signature
                changed[index] ^= 1 << bit
                #expect(!isAccepted(changed), "byte \(index) of the armour, bit \(bit)")
            }
            for index in blob.indices {
                var changed = blob
                changed[index] ^= 1 << bit
                #expect(!isAccepted(Self.armour(changed)), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func piecesAndAdditionsAreRefused() throws {
        let whole = OpenSSHFiles.signature
        // The last newline may be missing.
        for count in 0..<whole.count - 1 {
            #expect(throws: EvidenceError.self) { try SSHSignature(armoured: Array(whole.prefix(count))) }
        }
        let newline = Array("\n".utf8)
        let windows = Array(String(decoding: whole, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        for wrong in [windows, newline + whole, whole + newline, whole + whole, whole + [0]] {
            #expect(throws: EvidenceError.self) { try SSHSignature(armoured: wrong) }
        }
        let long = whole + [UInt8](repeating: 10, count: SSHSignature.longestArmour)
        #expect(
            thrownError { try SSHSignature(armoured: long) } as? EvidenceError
                == .signature(reason: "it is longer than 16384 bytes"))
    }

    /// Fields as PROTOCOL.sshsig has them, each changed so that only one check is left to refuse it.
    @Test(
        arguments: [
            ("its version is 2, not 1", 2, "n", "", "sha512", 0), ("reserved field", 1, "n", "r", "sha512", 0),
            ("its hash is not sha512", 1, "n", "", "sha256", 0), ("its namespace", 1, "", "", "sha512", 0),
            ("its namespace", 1, "n\u{0}", "", "sha512", 0), ("something follows", 1, "n", "", "sha512", 1),
            ("two numbers", 1, "n", "", "sha512", 2),
        ] as [(String, UInt32, String, String, String, Int)])
    func eachFieldIsChecked(
        message: String, version: UInt32, namespace: String, reserved: String, hash: String, extra: Int
    ) throws {
        var numbers = SSHWriter()
        // Zero as an mpint is empty (RFC 4251).
        numbers.append(extra == 2 ? [] : [1])
        numbers.append([1])
        var signature = SSHWriter()
        signature.append("ecdsa-sha2-nistp256")
        signature.append(numbers.bytes)
        var blob = SSHWriter()
        blob.append(raw: "SSHSIG".utf8)
        blob.append(version)
        blob.append(try SigningKey(pem: OpenSSHFiles.pkcs8).publicKey.blob)
        blob.append(namespace)
        blob.append(reserved)
        blob.append(hash)
        blob.append(signature.bytes)
        if extra == 1 { blob.append(raw: [0]) }
        let armoured = Self.armour(blob.bytes)
        let error = try #require(thrownError { try SSHSignature(armoured: armoured) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
    }

    @Test(arguments: ["", "two words", "tab\t", "größe", String(repeating: "n", count: 256)])
    func namespacesAreChecked(namespace: String) throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        #expect(thrownError { try key.sign([], namespace: namespace) } as? EvidenceError == .namespace)
    }

    /// In one line.
    private static func armour(_ blob: [UInt8]) -> [UInt8] {
        let text = String(decoding: Base64.encode(blob, isPadded: true), as: UTF8.self)
        return Array("-----BEGIN SSH SIGNATURE-----\n\(text)\n-----END SSH SIGNATURE-----\n".utf8)
    }
}
