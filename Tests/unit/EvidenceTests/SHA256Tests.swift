// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

@Suite("SHA-256 and Base64")
struct SHA256Tests {
    /// FIPS 180-4's examples, from NIST's SHA256.pdf; the empty one from its CAVP vectors.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func vectors(text: String, hex: String) throws {
        let digest = SHA256Digest(of: Array(text.utf8))
        #expect(digest.description == hex)
        #expect(SHA256Digest(hex: hex) == digest)
    }

    @Test func piecesGiveTheSameDigest() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<50 {
            let count = Int.random(in: 0...1000, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var hash = SHA256Hash()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 0...200, using: &random))
                rest = rest.dropFirst(piece.count)
                piece.withUnsafeBytes { hash.update($0) }
            }
            #expect(hash.finish() == SHA256Digest(of: bytes))
        }
    }

    @Test func onlyItsOwnTextIsRead() {
        let hex = SHA256Digest.zero.description
        #expect(hex == String(repeating: "0", count: 64))
        #expect(SHA256Digest(hex: hex) == .zero)
        let start = hex.dropLast()
        for text in ["", String(start), hex + "0", start + "A", start + "g"] {
            #expect(SHA256Digest(hex: text) == nil, "\(text)")
        }
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64Vectors(text: String, base64: String) {
        let bytes = Array(text.utf8)
        let unpadded = base64.replacing("=", with: "")
        #expect(Base64.encode(bytes, isPadded: true) == Array(base64.utf8))
        #expect(Base64.encode(bytes, isPadded: false) == Array(unpadded.utf8))
        #expect(Base64.decode(Array(base64.utf8), isPadded: true) == bytes)
        #expect(Base64.decode(Array(unpadded.utf8), isPadded: false) == bytes)
    }

    @Test func base64HasOneFormOnly() {
        for text in ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "=", "====", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm-v", "Zm9v="] {
            #expect(Base64.decode(Array(text.utf8), isPadded: true) == nil, "\(text)")
        }
        for text in ["Zg==", "Z", "Zh", "Zm9vZ", "Zm9", "Zm9v\n"] {
            #expect(Base64.decode(Array(text.utf8), isPadded: false) == nil, "\(text)")
        }
    }

    @Test func base64OfRandomBytes() {
        var random = SeededGenerator(seed: 2)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            for isPadded in [true, false] {
                #expect(Base64.decode(Base64.encode(bytes, isPadded: isPadded), isPadded: isPadded) == bytes)
            }
        }
    }
}
