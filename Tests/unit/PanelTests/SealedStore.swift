// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Linux
import Record
import Store

@testable import Panel

/// A store with a chain of seals, a key and its certificate.
final class SealedStore {
    private let spool: Spool
    let store: CaptureStore
    let key: SigningKey

    init() throws {
        let (spool, key) = (try Spool(), try SigningKey.generate())
        let witness = SealChain.Witness(program: "test", boot: nil) {
            (1, Seal.Clock(synchronized: false, maximumError: 0))
        }
        let path = spool.path + "/sealed"
        let chain = SealChain(of: path, isRequired: true, witness: witness) { _ in key }
        store = CaptureStore(path: path, chain: chain)
        try store.prepare()
        (self.spool, self.key) = (spool, key)
        try writeCertificate(of: key)
    }

    var path: String { store.path }

    func writeCertificate(of key: SigningKey) throws {
        let pem = try key.selfSignedCertificate(
            subject: try CertificateSubject(commonName: "Panel", organization: nil), from: 0,
            until: Certificate.lastTime)
        try AtomicFile.replace(pem, at: DocumentKey.certificatePath(in: path))
    }

    /// The names in a folder of the store.
    func names(_ folder: String) throws -> [String] { try Directory.names(of: path + "/" + folder).sorted() }
}
