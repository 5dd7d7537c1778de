// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto
import Glibc

/// The answer of a time stamping authority (RFC 3161, TimeStampResp): it states that a digest existed at a time. Whose
/// the authority is, and whether its certificate was valid, is left to the reader.
public struct TimeStampResponse: Sendable {
    /// The digest that was stamped.
    public let imprint: SHA256Digest
    /// The time of the authority, in seconds since 1970-01-01 UTC.
    public let at: Int64
    /// The subject of the authority's certificate, such as "CN=Stamps, O=Example".
    public let authority: String
    /// Whether the authority's signature fits.
    public let isIntact: Bool

    public static let maximumByteCount = 64 << 10

    /// - Parameter bytes: a TimeStampResp in DER, with the certificate of the authority.
    /// - Returns: nil for any other file, and for a stamp of another digest than SHA-256.
    public init?(_ bytes: [UInt8]) {
        guard bytes.first == 0x30, bytes.count <= Self.maximumByteCount else { return nil }
        defer { ERR_clear_error() }
        let read = bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            let response = d2i_TS_RESP(nil, &start, buffer.count)
            return (response, start == buffer.baseAddress.map { $0 + buffer.count })
        }
        guard let response = read.0 else { return nil }
        defer { TS_RESP_free(response) }
        guard read.1, let token = TS_RESP_get_token(response), let info = TS_RESP_get_tst_info(response),
            let imprint = Self.imprint(of: info), let at = Self.seconds(TS_TST_INFO_get_time(info)),
            let signers = PKCS7_get0_signers(token, nil, 0)
        else { return nil }
        defer { OPENSSL_sk_free(signers) }
        guard OPENSSL_sk_num(signers) == 1, let certificate = OPENSSL_sk_value(signers, 0) else { return nil }
        self.imprint = imprint
        self.at = at
        authority = Self.subject(of: OpaquePointer(certificate))
        isIntact = Self.verify(response)
    }

    private static func imprint(of info: OpaquePointer) -> SHA256Digest? {
        guard let stamped = TS_TST_INFO_get_msg_imprint(info), let algorithm = TS_MSG_IMPRINT_get_algo(stamped),
            OBJ_obj2nid(algorithm.pointee.algorithm) == NID_sha256, let message = TS_MSG_IMPRINT_get_msg(stamped)
        else { return nil }
        let count = Int(ASN1_STRING_length(message))
        return SHA256Digest(bytes: Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(message), count: count)))
    }

    private static func seconds(_ time: UnsafePointer<ASN1_GENERALIZEDTIME>?) -> Int64? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Int64(timegm(&parts))
    }

    private static func subject(of certificate: OpaquePointer) -> String {
        // "CN=Stamps, O=Example" in UTF-8, without letters of control.
        let flags = UInt(XN_FLAG_SEP_CPLUS_SPC | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_ESC_CTRL)
        let text = try? PEM.write("read a name") { file in
            X509_NAME_print_ex(file, X509_get_subject_name(certificate), 0, flags) >= 0 ? 1 : 0
        }
        return String(decoding: (text ?? []).prefix(500), as: UTF8.self)
    }

    /// Checks the status, the signature and the certificate that it names (RFC 5035), but no chain to an authority.
    private static func verify(_ response: OpaquePointer) -> Bool {
        guard let context = TS_VERIFY_CTX_new(), let store = X509_STORE_new() else { return false }
        defer { TS_VERIFY_CTX_free(context) }
        X509_STORE_set_verify_cb(store) { _, _ in 1 }
        // The context owns it from here on.
        setStore(context, store)
        TS_VERIFY_CTX_set_flags(context, Int32(TS_VFY_SIGNATURE | TS_VFY_VERSION))
        return TS_RESP_verify_response(context, response) == 1
    }
}
