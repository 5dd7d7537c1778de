// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import TestSupport
import Testing

@testable import Evidence

/// Tests/system/Document verifies the same with other programs.
@Suite("CMS signatures")
struct CMSSignatureTests {
    private static let content = Array("All but the hole.".utf8)

    @Test func theSignedAttributesAreThoseOfPAdES() throws {
        let message = try Self.Message(Self.signature(certificates: 1))
        #expect(
            message.attributes.sorted()
                == [
                    NID_pkcs9_contentType, NID_pkcs9_messageDigest, NID_id_smime_aa_signingCertificateV2,
                ].sorted())
        #expect(message.unsignedAttributeCount == -1)
        #expect(message.isDetached)
    }

    @Test func libcryptoVerifiesIt() throws {
        let message = try Self.Message(Self.signature(certificates: 1))
        #expect(message.isValid(for: Self.content))
        #expect(!message.isValid(for: Self.content + [0]))
        #expect(!message.isValid(for: []))
    }

    @Test func theChainIsInIt() throws {
        let (one, five) = (try Self.signature(certificates: 1), try Self.signature(certificates: 5))
        #expect(try Self.Message(one).certificateCount == 1)
        #expect(try Self.Message(five).certificateCount == 5)
        #expect(try Self.Message(five).isValid(for: Self.content))
        #expect(one.count < 1200)
    }

    @Test func theCertificateMustBeTheKeys() throws {
        let (key, other) = (try SigningKey.generate(), try SigningKey.generate())
        let (own, others) = (try Self.certificate(of: key), try Self.certificate(of: other))
        for certificates in [others, others + own] {
            let error = thrownError { try key.cmsSignature(of: .zero, certificates: certificates) }
            #expect(error as? EvidenceError == .otherKeysCertificate)
        }
        #expect(throws: Never.self) { try key.cmsSignature(of: .zero, certificates: own + others) }
        let error = thrownError { try key.cmsSignature(of: .zero, certificates: OtherKeys.certificateP384) }
        #expect(error as? EvidenceError == .otherKeysCertificate)
    }

    @Test(arguments: [
        ([], "no PEM block CERTIFICATE"), (OpenSSHFiles.pkcs8, "no PEM block CERTIFICATE"),
        (OtherKeys.certificate + OtherKeys.certificate.dropLast(40), "or a damaged one"),
        (Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8), "or a damaged one"),
        (Array([[UInt8]](repeating: OtherKeys.certificate, count: 9).joined()), "more than 8"),
        ([UInt8](repeating: 10, count: 65537), "longer than 65536 bytes"),
    ])
    func otherFilesAreRefused(certificates: [UInt8], message: String) throws {
        let key = try SigningKey(pem: OpenSSHFiles.pkcs8)
        let error = try #require(
            thrownError { try key.cmsSignature(of: .zero, certificates: certificates) } as? EvidenceError)
        #expect(error.description.contains(message), "\(error)")
        #expect(ERR_peek_error() == 0, "an error stays in the thread's queue")
    }

    private static func certificate(of key: SigningKey) throws -> [UInt8] {
        try key.selfSignedCertificate(
            subject: CertificateSubject(commonName: "Panel 12"), from: 1_773_500_966, until: Certificate.lastTime)
    }

    private static func signature(certificates count: Int) throws -> [UInt8] {
        let key = try SigningKey.generate()
        var certificates = try certificate(of: key)
        for _ in 1..<count { certificates += try certificate(of: SigningKey.generate()) }
        return try key.cmsSignature(of: SHA256Digest(of: content), certificates: certificates)
    }

    /// A CMS as libcrypto reads it.
    private final class Message {
        let message: OpaquePointer
        let signer: OpaquePointer

        init(_ der: [UInt8]) throws {
            message = try der.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                return try #require(d2i_CMS_ContentInfo(nil, &start, bytes.count))
            }
            let signers = try #require(CMS_get0_SignerInfos(message))
            #expect(OPENSSL_sk_num(signers) == 1)
            signer = OpaquePointer(try #require(OPENSSL_sk_value(signers, 0)))
        }

        deinit { CMS_ContentInfo_free(message) }

        var attributes: [Int32] {
            (0..<CMS_signed_get_attr_count(signer)).map {
                OBJ_obj2nid(X509_ATTRIBUTE_get0_object(CMS_signed_get_attr(signer, $0)))
            }
        }

        var unsignedAttributeCount: Int32 { CMS_unsigned_get_attr_count(signer) }
        var isDetached: Bool { CMS_is_detached(message) == 1 }

        var certificateCount: Int32 {
            guard let certificates = CMS_get1_certs(message) else { return 0 }
            defer { OPENSSL_sk_pop_free(certificates) { X509_free(OpaquePointer($0)) } }
            return OPENSSL_sk_num(certificates)
        }

        func isValid(for content: [UInt8]) -> Bool {
            content.withUnsafeBytes { bytes in
                let file = BIO_new_mem_buf(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), Int32(bytes.count))
                defer {
                    BIO_free_all(file)
                    ERR_clear_error()
                }
                let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
                return CMS_verify(message, nil, nil, file, nil, flags) == 1
            }
        }
    }
}
