// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
package import Linux
package import Store

/// The key of a panel and its certificate, which sign documents.
package struct DocumentKey: Sendable {
    /// A certificate has 700 bytes, an authority's with its issuers several times that.
    package static let longestCertificate = 16 << 10

    private let chain: SealChain?
    private let store: String

    /// The key that seals the records of a store.
    package init(of store: CaptureStore) {
        chain = store.chain
        self.store = store.path
    }

    /// The path of the certificate: a PEM file, which may have those of its issuers after it.
    package static func certificatePath(in store: String) -> String { store + "/certificate.pem" }

    /// - Returns: the certificates as a PEM file.
    package static func readCertificate(in store: String) throws(Errno) -> [UInt8] {
        guard
            let bytes = try InputFile.read(
                certificatePath(in: store), maximumByteCount: longestCertificate)
        else { throw Errno.fileTooLarge }
        return bytes
    }

    /// Reads the certificate, and opens the chain if it is not open. Waits for the medium.
    func read() throws(DocumentKeyFault) -> (key: SigningKey, certificates: [UInt8]) {
        guard let chain else { throw .noSeals }
        do throws(StoreError) { try chain.open() } catch { throw .noKey(reason: error.description) }
        guard let key = chain.signingKey else { throw .noKey(reason: "the chain of seals is not open") }
        let path = Self.certificatePath(in: store)
        let pem: [UInt8]
        do throws(Errno) { pem = try Self.readCertificate(in: store) } catch {
            throw .noCertificate(path: path, reason: "\(error)")
        }
        do throws(EvidenceError) {
            guard try Certificate(pem: pem).key == key.publicKey else {
                throw EvidenceError.certificate(reason: "it is of another key than the panel's")
            }
        } catch {
            throw .noCertificate(path: path, reason: error.description)
        }
        return (key, pem)
    }
}

/// The reason why a panel signs no documents.
enum DocumentKeyFault: Error, Equatable, Sendable, CustomStringConvertible {
    case noSeals
    case noKey(reason: String)
    case noCertificate(path: String, reason: String)

    var description: String {
        switch self {
        case .noSeals: "the panel has no key to sign it with: set seals = true in [evidence]"
        case .noKey(let reason): "the panel's key cannot sign it: \(reason); see inkpanel identity"
        case .noCertificate(let path, let reason):
            "the panel's certificate \(path) cannot be used: \(reason); inkpanel identity says which one it should be"
        }
    }
}
