// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

/// Whose key a certificate has (X.520): the panel and the organisation that runs it, never a person who signs on it.
public struct CertificateSubject: Equatable, Sendable {
    /// The upper bound of X.520 for these names, in characters of Unicode.
    public static let longestName = 64

    public let commonName: String
    public let organization: String?

    /// - Parameters:
    ///   - commonName: such as "Panel 12, counter 3"; 1 to 64 characters.
    ///   - organization: 1 to 64 characters, or nil.
    public init(commonName: String, organization: String? = nil) throws(EvidenceError) {
        guard Self.isName(commonName) else { throw .certificateName(field: "common name") }
        guard organization.map(Self.isName) ?? true else { throw .certificateName(field: "organization") }
        self.commonName = commonName
        self.organization = organization
    }

    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Adds the names to libcrypto's `name`, the organization first.
    fileprivate func add(to name: OpaquePointer?) -> Bool {
        func add(_ type: Int32, _ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return X509_NAME_add_entry_by_NID(name, type, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
        }
        return (organization.map { add(NID_organizationName, $0) } ?? true) && add(NID_commonName, commonName)
    }
}

extension SigningKey {
    /// A certificate of the key by itself (RFC 5280), for signatures of documents, with a random serial number of 128
    /// bits.
    /// - Parameters:
    ///   - from: when it begins, in seconds since 1970, UTC; not negative.
    ///   - until: when it ends, after `from`.
    /// - Returns: a PEM file.
    public func selfSignedCertificate(
        subject: CertificateSubject, from: Int64, until: Int64
    ) throws(EvidenceError) -> [UInt8] {
        guard 0 <= from, from < until, until <= Certificate.lastTime, let start = time_t(exactly: from),
            let end = time_t(exactly: until)
        else { throw .certificateTime }
        guard let certificate = X509_new() else { throw .failed("make a certificate") }
        defer { X509_free(certificate) }
        let name = X509_get_subject_name(certificate)
        // Version 3 is written as 2.
        guard X509_set_version(certificate, 2) == 1, Self.setSerialNumber(of: certificate), subject.add(to: name),
            X509_set_issuer_name(certificate, name) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate), start) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), end) != nil,
            X509_set_pubkey(certificate, key) == 1,
            Self.addExtension(NID_basic_constraints, "critical,CA:FALSE", to: certificate),
            Self.addExtension(NID_key_usage, "critical,digitalSignature,nonRepudiation", to: certificate),
            X509_sign(certificate, key, EVP_sha256()) > 0
        else { throw .failed("make a certificate") }
        return try PEM.write("write a certificate") { PEM_write_bio_X509($0, certificate) }
    }

    private static func setSerialNumber(of certificate: OpaquePointer) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1, let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else {
            return false
        }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func addExtension(_ type: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
        guard let made = X509V3_EXT_conf_nid(nil, nil, type, value) else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }

    /// Asks an authority for a certificate of the key (PKCS #10, RFC 2986).
    /// - Returns: a PEM file.
    public func certificateRequest(subject: CertificateSubject) throws(EvidenceError) -> [UInt8] {
        guard let request = X509_REQ_new() else { throw .failed("make a certificate request") }
        defer { X509_REQ_free(request) }
        // Version 1 is written as 0.
        guard X509_REQ_set_version(request, 0) == 1, subject.add(to: X509_REQ_get_subject_name(request)),
            X509_REQ_set_pubkey(request, key) == 1, X509_REQ_sign(request, key, EVP_sha256()) > 0
        else { throw .failed("make a certificate request") }
        return try PEM.write("write a certificate request") { PEM_write_bio_X509_REQ($0, request) }
    }
}

/// The first certificate in a PEM file, as far as it tells whose it is.
public struct Certificate: Equatable, Sendable {
    /// The last second of the year 9999, where X.509's times end, in seconds since 1970, UTC. It stands for no end (RFC
    /// 5280, 4.1.2.5).
    public static let lastTime: Int64 = 253_402_300_799
    /// The longest file that is read, in bytes.
    private static let longestFile = 64 << 10

    public let key: PublicKey
    /// Whether it has no end and is signed with its own key, as those of
    /// ``SigningKey/selfSignedCertificate(subject:from:until:)`` until ``lastTime``. An authority's has an end.
    public let isOwn: Bool

    /// Reads a certificate. If it is not ``isOwn``, neither its issuer nor its end is checked.
    public init(pem: [UInt8]) throws(EvidenceError) {
        guard pem.count <= Self.longestFile else {
            throw .certificate(reason: "the file is longer than \(Self.longestFile) bytes")
        }
        // Without a function, libcrypto would ask for a password on the terminal.
        guard let certificate = PEM.read(pem, { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }) else {
            let reason = EvidenceError.libcryptoReason()
            throw .certificate(reason: "the file has no PEM block CERTIFICATE, or a damaged one (\(reason))")
        }
        defer { X509_free(certificate) }
        guard let key = X509_get0_pubkey(certificate), let point = PublicKey.point(of: key) else {
            throw .certificate(reason: "its key is not on the curve P-256")
        }
        self.key = PublicKey(checked: point)
        isOwn =
            X509_self_signed(certificate, 1) == 1
            && ASN1_TIME_cmp_time_t(X509_get0_notAfter(certificate), time_t(Self.lastTime)) == 0
        // A signature that does not fit leaves errors in the thread's queue.
        ERR_clear_error()
    }
}

extension PublicKey {
    /// The key of the first certificate in a PEM file, which itself is not checked.
    public init(certificate pem: [UInt8]) throws(EvidenceError) { self = try Certificate(pem: pem).key }
}
