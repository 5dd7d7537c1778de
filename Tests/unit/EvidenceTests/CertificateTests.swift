// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Evidence

/// Tests/system/Evidence reads the same with OpenSSL's program.
@Suite("Certificates")
struct CertificateTests {
    @Test func theKeyOfACertificate() throws {
        #expect(try PublicKey(certificate: OtherKeys.certificate).text == OpenSSHFiles.publicKey)
        #expect(
            try PublicKey(certificate: Array("Panel 12\n".utf8) + OtherKeys.certificate + OtherKeys.certificateP384)
                .text == OpenSSHFiles.publicKey)
    }

    @Test(arguments: [
        (OtherKeys.certificateP384, "its key is not on the curve P-256"), ([], "no PEM block CERTIFICATE"),
        (OpenSSHFiles.pkcs8, "no PEM block CERTIFICATE"), (Array(OtherKeys.certificate.dropLast(40)), "no PEM block"),
        (Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8), "or a damaged one"),
        ([UInt8](repeating: 10, count: 65537), "longer than 65536 bytes"),
    ])
    func otherFilesAreRefused(pem: [UInt8], message: String) throws {
        let error = try #require(thrownError { try PublicKey(certificate: pem) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
    }

    @Test func ownCertificatesAreReadBack() throws {
        let key = try SigningKey.generate()
        let subject = try CertificateSubject(commonName: "Kasse 12, Empfang", organization: "Müller & Söhne")
        let one = try key.selfSignedCertificate(subject: subject, from: 1_773_500_966, until: 2_000_000_000)
        let two = try key.selfSignedCertificate(subject: subject, from: 1_773_500_966, until: 2_000_000_000)
        #expect(one != two, "the serial numbers are the same")
        #expect(try PublicKey(certificate: one) == key.publicKey)
        let endless = try key.selfSignedCertificate(subject: subject, from: 0, until: Certificate.lastTime)
        #expect(try Certificate(pem: endless).isOwn && !Certificate(pem: one).isOwn)
        #expect(try !Certificate(pem: OtherKeys.certificate).isOwn)
        let text = String(decoding: try key.certificateRequest(subject: subject), as: UTF8.self)
        #expect(text.hasPrefix("-----BEGIN CERTIFICATE REQUEST-----\n"))
        #expect(text.hasSuffix("-----END CERTIFICATE REQUEST-----\n"))
    }

    @Test(arguments: [(0, 0), (10, 9), (-1, 10), (0, 253_402_300_800), (.min, .max), (.max, .max)] as [(Int64, Int64)])
    func timesAreChecked(from: Int64, until: Int64) throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        let subject = try CertificateSubject(commonName: "Panel")
        let error = thrownError { try key.selfSignedCertificate(subject: subject, from: from, until: until) }
        #expect(error as? EvidenceError == .certificateTime)
    }

    @Test(arguments: [(0, 1), (0, 253_402_300_799), (2_524_607_999, 2_524_608_000)] as [(Int64, Int64)])
    func timesAtTheEdges(from: Int64, until: Int64) throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        let subject = try CertificateSubject(commonName: "Panel")
        #expect(throws: Never.self) { try key.selfSignedCertificate(subject: subject, from: from, until: until) }
    }

    @Test func namesAreChecked() throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        // 64 characters of 4 bytes each.
        let longest = String(repeating: "\u{1F58B}", count: 64)
        let subject = try CertificateSubject(commonName: longest, organization: longest)
        #expect(throws: Never.self) { try key.certificateRequest(subject: subject) }
        for name in ["", longest + "x", "two\nlines", "nul\0", "\u{85}"] {
            #expect(
                thrownError { try CertificateSubject(commonName: name) } as? EvidenceError
                    == .certificateName(field: "common name"))
            #expect(
                thrownError { try CertificateSubject(commonName: "Panel", organization: name) } as? EvidenceError
                    == .certificateName(field: "organization"))
        }
    }
}

@Suite("Times of certificates")
struct CertificateTimesTests {
    @Test("are those of the first certificate in a file; other files have none")
    func times() throws {
        let key = try SigningKey.generate()
        let subject = try CertificateSubject(commonName: "Panel 12")
        let first = try key.selfSignedCertificate(subject: subject, from: 1_700_000_000, until: 1_800_000_000)
        let second = try key.selfSignedCertificate(subject: subject, from: 1, until: 2)
        let times = try #require(CertificateTimes(pem: first + second))
        #expect(times.begins == 1_700_000_000 && times.ends == 1_800_000_000)
        for other in [[], Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8), Array(first.dropLast(200))] {
            #expect(CertificateTimes(pem: other) == nil)
        }
    }
}
