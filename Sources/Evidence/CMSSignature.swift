// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

extension SigningKey {
    /// The longest file of certificates that is read, in bytes, and the most certificates in it.
    private static let longestChainFile = 64 << 10
    private static let mostCertificates = 8

    /// Signs bytes of a PDF file by their digest. The result is a CMS (RFC 5652) without the bytes, with the
    /// certificates, and with the signed attributes that PAdES baseline B-B demands (ETSI EN 319 142-1, 6.3): content
    /// type, message digest and signing certificate (RFC 5035). It has no time, which is in the PDF.
    /// - Parameters:
    ///   - digest: of the signed bytes.
    ///   - certificates: a PEM file of up to 8 certificates: that of this key, then those of its issuers. Their dates
    ///     are not checked.
    /// - Returns: the CMS in DER. Two signatures of the same bytes differ.
    public func cmsSignature(of digest: SHA256Digest, certificates: [UInt8]) throws(EvidenceError) -> [UInt8] {
        let certificates = try CertificateChain(pem: certificates)
        guard let own = certificates.first, let certified = X509_get0_pubkey(own),
            PublicKey.point(of: certified) == publicKey.point
        else { throw .otherKeysCertificate }
        // CMS_final would add the time, which only OpenSSL 3.5 lets one leave out. So the code below replaces it.
        let flags = UInt32(CMS_BINARY | CMS_DETACHED | CMS_PARTIAL | CMS_NOSMIMECAP | CMS_CADES)
        guard let message = CMS_sign(nil, nil, nil, nil, flags) else { throw .failed("sign") }
        defer { CMS_ContentInfo_free(message) }
        guard let signer = CMS_add1_signer(message, own, key, EVP_sha256(), flags) else { throw .failed("sign") }
        for issuer in certificates.rest {
            guard CMS_add1_cert(message, issuer) == 1 else { throw .failed("sign") }
        }
        let data = OBJ_nid2obj(NID_pkcs7_data)
        guard
            CMS_signed_add1_attr_by_NID(signer, NID_pkcs9_contentType, V_ASN1_OBJECT, UnsafeRawPointer(data), -1) == 1,
            CMS_signed_add1_attr_by_NID(
                signer, NID_pkcs9_messageDigest, V_ASN1_OCTET_STRING, digest.bytes, Int32(digest.bytes.count)) == 1
        else { throw .failed("sign") }
        let attributes = try Self.signedAttributes(of: signer)
        guard let context = EVP_MD_CTX_new() else { throw .failed("sign") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, attributes, attributes.count) == 1,
            ASN1_STRING_set(CMS_SignerInfo_get0_signature(signer), signature, Int32(count)) == 1
        else { throw .failed("sign") }
        var start: UnsafeMutablePointer<UInt8>?
        let length = i2d_CMS_ContentInfo(message, &start)
        guard length > 0, let start else { throw .failed("sign") }
        defer { CRYPTO_free(start, #file, #line) }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    /// The signed attributes as they are signed: a SET OF in DER, whose elements are in the order of their bytes (RFC
    /// 5652, 5.4; X.690, 11.6).
    private static func signedAttributes(of signer: OpaquePointer) throws(EvidenceError) -> [UInt8] {
        let count = CMS_signed_get_attr_count(signer)
        guard count == 3 else { throw .failed(doing: "sign", reason: "there are \(count) signed attributes, not 3") }
        var elements: [[UInt8]] = []
        for number in 0..<count {
            var start: UnsafeMutablePointer<UInt8>?
            let length = i2d_X509_ATTRIBUTE(CMS_signed_get_attr(signer, number), &start)
            guard length > 0, let start else { throw .failed("sign") }
            elements.append(Array(UnsafeBufferPointer(start: start, count: Int(length))))
            CRYPTO_free(start, #file, #line)
        }
        elements.sort { $0.lexicographicallyPrecedes($1) }
        let content = Array(elements.joined())
        return [0x31] + derLength(content.count) + content
    }

    /// A length in DER (X.690, 10.1).
    private static func derLength(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }

    /// The certificates of a PEM file, one at least.
    private struct CertificateChain: ~Copyable {
        private var certificates: [OpaquePointer] = []

        init(pem: [UInt8]) throws(EvidenceError) {
            guard pem.count <= longestChainFile else {
                throw .certificate(reason: "the file is longer than \(longestChainFile) bytes")
            }
            var found: [OpaquePointer] = []
            var isWhole = false
            _ = PEM.read(pem) { file in
                // Without a function, libcrypto would ask for a password on the terminal.
                while found.count <= mostCertificates,
                    let next = PEM_read_bio_X509(file, nil, { _, _, _, _ in -1 }, nil)
                {
                    found.append(next)
                }
                isWhole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
                return nil
            }
            let reason = EvidenceError.libcryptoReason()
            certificates = found
            guard found.count <= mostCertificates else {
                throw .certificate(reason: "the file has more than \(mostCertificates)")
            }
            guard isWhole, !found.isEmpty else {
                throw .certificate(reason: "the file has no PEM block CERTIFICATE, or a damaged one (\(reason))")
            }
        }

        deinit { for certificate in certificates { X509_free(certificate) } }

        var first: OpaquePointer? { certificates.first }
        var rest: ArraySlice<OpaquePointer> { certificates.dropFirst() }
    }
}
