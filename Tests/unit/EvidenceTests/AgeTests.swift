// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Evidence

@Suite("age files")
struct AgeTests {
    private static let one = try? AgeIdentity.identities(inFile: Array(AgeFiles.one.utf8))
    private static let two = try? AgeIdentity.identities(inFile: Array(AgeFiles.two.utf8))

    @Test func theProgramsFileIsReadByEach() throws {
        let (one, two) = (try #require(Self.one), try #require(Self.two))
        for identities in [one, two, one + two, two + one, [try AgeIdentity.generate()] + two] {
            #expect(try Age.decrypt(AgeFiles.encrypted, with: identities) == AgeFiles.message)
        }
        for others in [[], [try AgeIdentity.generate()]] {
            #expect(
                thrownError { try Age.decrypt(AgeFiles.encrypted, with: others) } as? EvidenceError == .otherRecipient)
        }
    }

    /// C2SP/CCTV's vectors (age-vectors.txt). Tests/system/Evidence has the compressed ones, too.
    @Test func vectors() throws {
        let path = #filePath.replacing("AgeTests.swift", with: "age-vectors.txt")
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        var count = 0
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 5)
            if fields[4].hasPrefix("zlib:") { continue }
            count += 1
            let file = try #require(Base64.decode(Array(fields[4].utf8), isPadded: true))
            let identities = try fields[3] == "-" ? [] : [AgeIdentity(fields[3])]
            let result = Result { try Age.decrypt(file, with: identities) }
            switch (fields[1], result) {
            case ("success", .success(let plain)):
                #expect(SHA256Digest(of: plain).description == fields[2], "\(fields[0])")
            case ("no match", .failure(EvidenceError.otherRecipient)): break
            case ("header failure", .failure(EvidenceError.ageFile(let reason))):
                #expect(reason.hasPrefix("its header") && !reason.contains("code, so"), "\(fields[0]): \(reason)")
            case ("HMAC failure", .failure(EvidenceError.ageFile(let reason))):
                #expect(reason.hasPrefix("its header does not fit its authentication code"), "\(fields[0]): \(reason)")
            case ("payload failure", .failure(EvidenceError.ageFile(let reason))):
                #expect(reason.hasPrefix("its payload"), "\(fields[0]): \(reason)")
            default: Issue.record("\(fields[0]): \(fields[1]) expected, but \(result)")
            }
        }
        #expect(count == 49)
    }

    @Test func filesAreReadBack() throws {
        var random = SeededGenerator(seed: 5)
        let identities = try (0..<4).map { _ in try AgeIdentity.generate() }
        let sizes =
            [0, 1, 65535, 65536, 65537, 131071, 131072, 131073]
            + (0..<40).map { _ in Int.random(in: 0...3000, using: &random) }
        for size in sizes {
            let plain = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            let used = identities.prefix(Int.random(in: 1...4, using: &random))
            let file = try Age.encrypt(plain, to: used.map(\.recipient))
            let chunks = max(1, (size + 65535) / 65536)
            #expect(file.count == 22 + 98 * used.count + 48 + 16 + size + 16 * chunks)
            for identity in used { #expect(try Age.decrypt(file, with: [identity]) == plain) }
        }
    }

    @Test func twoFilesOfTheSameDiffer() throws {
        let recipient = try AgeRecipient(AgeFiles.recipients[0])
        let one = try Age.encrypt([], to: [recipient])
        let two = try Age.encrypt([], to: [recipient])
        // All random parts: the share, the wrapped key, the code, the nonce and the payload.
        for range in [33..<76, 77..<120, 124..<167, 168..<184, 184..<200] {
            #expect(one[range] != two[range], "\(range)")
        }
    }

    @Test func everyChangedBitIsNoticed() throws {
        let identities = try #require(Self.one) + #require(Self.two)
        for bit in 0..<8 {
            for index in AgeFiles.encrypted.indices {
                var changed = AgeFiles.encrypted
                changed[index] ^= 1 << bit
                #expect(throws: EvidenceError.self, "byte \(index), bit \(bit)") {
                    try Age.decrypt(changed, with: identities)
                }
            }
        }
    }

    /// Also at the borders of chunks, where a shorter file has whole ones only.
    @Test func cutAndLengthenedFilesAreRefused() throws {
        let identity = try AgeIdentity.generate()
        let file = try Age.encrypt([UInt8](repeating: 7, count: 131072 + 100), to: [identity.recipient])
        let header = try AgeHeader(file).byteCount
        let chunk = 65536 + 16
        let borders = (0...2).map { header + 16 + $0 * chunk }
        for count in Array(0...(header + 40)) + borders.flatMap({ ($0 - 20)...($0 + 20) }) {
            #expect(throws: EvidenceError.self, "\(count)") {
                try Age.decrypt(Array(file.prefix(count)), with: [identity])
            }
        }
        for more in [[0], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: chunk)] {
            #expect(throws: EvidenceError.self) { try Age.decrypt(file + more, with: [identity]) }
        }
        // The first two chunks exchanged.
        let payload = header + 16
        let exchanged =
            Array(file[..<payload]) + file[(payload + chunk)..<(payload + 2 * chunk)]
            + file[payload..<(payload + chunk)] + file[(payload + 2 * chunk)...]
        #expect(exchanged.count == file.count)
        #expect(throws: EvidenceError.self) { try Age.decrypt(exchanged, with: [identity]) }
    }

    @Test func headersAreReadBack() throws {
        var random = SeededGenerator(seed: 6)
        let key = try Secret.random(16)
        for _ in 0..<100 {
            let stanzas = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                AgeHeader.Stanza(
                    arguments: (0..<Int.random(in: 1...4, using: &random)).map { _ in
                        String(
                            decoding: (0..<Int.random(in: 1...9, using: &random)).map { _ in
                                UInt8.random(in: 0x21...0x7e, using: &random)
                            }, as: UTF8.self)
                    },
                    body: (0..<Int.random(in: 0...200, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    })
            }
            let header = try AgeHeader(stanzas, fileKey: key)
            let read = try AgeHeader(header.bytes + [1, 2, 3])
            #expect(read.stanzas == stanzas && read.byteCount == header.bytes.count)
            #expect(try read.isAuthentic(fileKey: key))
            #expect(try !read.isAuthentic(fileKey: .random(16)))
        }
    }

    @Test func theHeaderHasALimit() throws {
        let stanza = AgeHeader.Stanza(arguments: ["unknown"], body: [UInt8](repeating: 0, count: 48))
        let key = try Secret.random(16)
        let most = try AgeHeader([AgeHeader.Stanza](repeating: stanza, count: 850), fileKey: key).bytes
        #expect(try AgeHeader(most).stanzas.count == 850)
        let tooMany = try AgeHeader([AgeHeader.Stanza](repeating: stanza, count: 900), fileKey: key).bytes
        let error = try #require(thrownError { try AgeHeader(tooMany) } as? EvidenceError)
        #expect(error == .ageFile(reason: "its header is longer than 65536 bytes"))
    }

    @Test(arguments: [0, 101])
    func theNumberOfRecipientsHasALimit(count: Int) throws {
        let recipients = [AgeRecipient](repeating: try AgeRecipient(AgeFiles.recipients[0]), count: count)
        #expect(thrownError { try Age.encrypt([], to: recipients) } as? EvidenceError == .recipientCount(count))
    }

    @Test(arguments: [
        ("-----BEGIN AGE ENCRYPTED FILE-----\n", "armoured"), ("age-encryption.org/v2\n", "another version"),
        ("PK\u{3}\u{4}\n", "not that of age"), ("", "cut, or it is no age file"),
    ])
    func otherFilesAreRefused(text: String, message: String) throws {
        let error = try #require(thrownError { try Age.decrypt(Array(text.utf8), with: []) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
    }
}
