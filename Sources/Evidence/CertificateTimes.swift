// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto
import Glibc

/// When a certificate is valid, whatever its key and whoever signed it.
public struct CertificateTimes: Equatable, Sendable {
    /// Seconds since 1970-01-01 UTC.
    public let begins, ends: Int64

    /// Reads the first certificate of a PEM file, which a server sends first (RFC 8446, 4.4.2).
    /// - Returns: nil if the file has none, or one that is damaged.
    public init?(pem: [UInt8]) {
        // Without a function, libcrypto would ask for a password on the terminal.
        guard let certificate = PEM.read(pem, { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }) else {
            ERR_clear_error()
            return nil
        }
        defer { X509_free(certificate) }
        var (begin, end) = (tm(), tm())
        guard ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &begin) == 1,
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1
        else { return nil }
        (begins, ends) = (Int64(timegm(&begin)), Int64(timegm(&end)))
    }
}
