// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

@Suite("Keys on P-256")
struct SigningKeyTests {
    @Test func readsTheFormatsOfOthers() throws {
        for pem in [OpenSSHFiles.pkcs8, OpenSSHFiles.sec1] {
            let key = try SigningKey(pem: pem)
            #expect(key.publicKey.text == OpenSSHFiles.publicKey)
            #expect(key.publicKey.fingerprint == OpenSSHFiles.fingerprint)
            #expect(try key.pem() == OpenSSHFiles.pkcs8)
        }
        #expect(throws: Never.self) { try SigningKey(pem: OtherKeys.afterParameters) }
    }

    @Test func aNewKeyIsReadBack() throws {
        let key = try SigningKey.generate()
        #expect(try SigningKey(pem: key.pem()).publicKey == key.publicKey)
        #expect(try SigningKey.generate().publicKey != key.publicKey)
    }

    @Test(arguments: [
        (OtherKeys.p384, "EC on the curve secp384r1, not P-256"), (OtherKeys.ed25519, "ED25519, not P-256"),
        (OtherKeys.explicit, "P-256 with explicit parameters, not P-256"), (OtherKeys.encrypted, "openssl pkcs8"),
        (OpenSSHFiles.openSSH, "ssh-keygen -p -m PKCS8"), ([], "no PEM block"),
        (Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8), "cannot be read: "),
        ([UInt8](repeating: 10, count: 16385) + OpenSSHFiles.pkcs8, "longer than 16384 bytes"),
    ])
    func otherKeysAreRefused(pem: [UInt8], message: String) throws {
        let error = try #require(thrownError { try SigningKey(pem: pem) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
    }

    /// The public half of another key, in its place.
    @Test func halvesOfTwoKeysAreRefused() throws {
        let key = try SigningKey.generate()
        let other = try SigningKey.generate()
        func der(_ key: SigningKey) throws -> [UInt8] {
            let lines = try key.pem().split(separator: UInt8(ascii: "\n")).dropFirst().dropLast()
            return try #require(Base64.decode(Array(lines.joined()), isPadded: true))
        }
        let mixed = try der(key).dropLast(65) + other.publicKey.point
        let body = String(decoding: Base64.encode(mixed, isPadded: true), as: UTF8.self)
        let pem = Array("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n".utf8)
        let error = try #require(thrownError { try SigningKey(pem: pem) } as? EvidenceError)
        #expect(error == .privateKey(reason: "its private and public halves do not belong together"))
    }

    @Test func publicKeysAreReadBack() throws {
        for _ in 0..<20 {
            let key = try SigningKey.generate().publicKey
            #expect(PublicKey(text: key.text) == key)
            #expect(PublicKey(text: key.text + " a comment") == key)
            #expect(PublicKey(point: key.point) == key)
            #expect(key.fingerprint.utf8.count == 50)
        }
    }

    @Test func pointsOffTheCurveAreRefused() throws {
        let point = try SigningKey.generate().publicKey.point
        #expect(PublicKey(point: []) == nil)
        #expect(PublicKey(point: Array(point.dropLast())) == nil)
        #expect(PublicKey(point: point + [0]) == nil)
        #expect(PublicKey(point: [UInt8](repeating: 0, count: 65)) == nil)
        #expect(PublicKey(point: [4] + [UInt8](repeating: 255, count: 64)) == nil)
        // The infinite point, and a compressed one.
        #expect(PublicKey(point: [0]) == nil)
        #expect(PublicKey(point: [2] + point[1..<33]) == nil)
        for index in point.indices {
            var changed = point
            changed[index] ^= 1
            #expect(PublicKey(point: changed) == nil, "byte \(index)")
        }
    }

    @Test(arguments: [
        "", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256 ", "ssh-ed25519 AAAA", "ecdsa-sha2-nistp256 AAAA",
        "ssh-rsa " + OpenSSHFiles.publicKey.dropFirst(20), "ecdsa-sha2-nistp256 ====",
        OpenSSHFiles.publicKey.replacing("ecdsa-sha2-nistp256", with: "ecdsa-sha2-nistp384"),
    ])
    func otherLinesAreNoKey(text: String) {
        #expect(PublicKey(text: text) == nil)
    }
}
