// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import Glibc
import Linux

/// The certificate that identifies the panel to the broker: whose it is, and until when.
struct PanelCertificate: Equatable {
    let name: FleetName
    /// Seconds since 1970-01-01 UTC.
    let begins, expires: Int64

    private static let byteLimit = 64 << 10

    /// Reads the first certificate of a PEM file. Blocks.
    init(path: String) throws(PanelCertificateError) {
        let read: [UInt8]?
        do throws(Errno) { read = try InputFile.read(path, maximumByteCount: Self.byteLimit) } catch {
            throw .cannotRead(path, error)
        }
        let bytes = read ?? []
        guard let file = BIO_new_mem_buf(bytes, CInt(bytes.count)) else { throw .noCertificate(path) }
        defer { BIO_free(file) }
        guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else { throw .noCertificate(path) }
        defer { X509_free(certificate) }
        var text = [CChar](repeating: 0, count: 256)
        let count = X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate), NID_commonName, &text, CInt(text.count))
        let common = String(decoding: text.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let name = FleetName(common) else { throw .name(path, common) }
        var (begin, end) = (tm(), tm())
        guard ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &begin) == 1,
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1
        else { throw .noCertificate(path) }
        self.name = name
        (begins, expires) = (Int64(timegm(&begin)), Int64(timegm(&end)))
    }

    /// - Parameter time: seconds since 1970-01-01 UTC.
    func isValid(at time: Int64) -> Bool { begins <= time && time <= expires }
}

/// Why the panel's certificate cannot be used.
enum PanelCertificateError: Error, Equatable, CustomStringConvertible {
    case cannotRead(String, Errno)
    case noCertificate(String)
    case name(String, String)

    var description: String {
        switch self {
        case .cannotRead(let path, let error):
            "cannot read \(path): \(error); inkpanel-fleet-certificate makes it (docs/operate.md)"
        case .noCertificate(let path): "\(path) is not a certificate in PEM; inkpanel-fleet-certificate makes one"
        case .name(let path, let name):
            "the common name in \(path) is \"\(name.printable)\"; a panel's name is \(FleetName.expectation)"
        }
    }
}
