// SPDX-License-Identifier: Apache-2.0
import Configuration
import Evidence
import Glibc
import Linux
import Panel
import Record
import Store

/// The store of a panel, with its key and its recipients as the configuration has them.
struct PanelStore {
    /// The name of the key among the credentials of the service (systemd.exec(5), LoadCredentialEncrypted=).
    static let credential = "inkpanel.key"

    let store: CaptureStore
    /// The file of the private key, which may still have to be made.
    let keyFile: KeyFile

    /// - Throws: ``CommandError`` for recipients or delivery without seals, or without a directory in memory for
    ///   journals.
    init(_ configuration: Configuration) throws(CommandError) {
        let (path, evidence) = (configuration.record.directory, configuration.evidence)
        let isEncrypted = !evidence.recipients.isEmpty
        // The seal is all that the panel itself can read of an encrypted record.
        if isEncrypted, !evidence.seals {
            throw .wrongConfiguration("recipients in [evidence] need seals = true")
        }
        let delivery = configuration.delivery
        if delivery.enabled, !evidence.seals {
            throw .wrongConfiguration("enabled = true in [delivery] needs seals = true in [evidence]")
        }
        let keyFile = Self.keyFile(evidence.key, store: path)
        let name = Self.panelName(configuration)
        // Only a key in its usual place is made unasked; any other one is missing for a reason.
        let isOwn = keyFile.path == Self.ownKeyFile(store: path).path
        let chain = SealChain(
            of: path, isRequired: evidence.required || isEncrypted, witness: Self.witness,
            key: { isFirst throws(SealFault) in
                let isMissing = isFirst && isOwn && !keyFile.exists
                return isMissing ? try keyFile.create() : try keyFile.read()
            },
            checkingKey: { key throws(SealFault) in
                try Self.keepCertificate(of: key, named: name, at: Self.certificatePath(in: path))
            })
        store = CaptureStore(
            path: path, chain: evidence.seals ? chain : nil, encryption: try Self.encryption(evidence, store: path),
            delivery: delivery.enabled ? Delivery(isRequired: delivery.required) : nil)
        self.keyFile = keyFile
    }

    /// The panel's name in records and certificates.
    static func panelName(_ configuration: Configuration) -> String {
        configuration.record.panelName ?? RunSettings.hostName ?? "panel"
    }

    var certificatePath: String { Self.certificatePath(in: store.path) }

    private static func certificatePath(in store: String) -> String { DocumentKey.certificatePath(in: store) }

    func readCertificate() throws(CommandError) -> [UInt8] {
        do throws(Errno) { return try DocumentKey.readCertificate(in: store.path) } catch {
            throw error == .noSuchFile
                ? .unavailable("there is no certificate \(certificatePath) yet: the panel makes it at its first start")
                : .cannotRead(certificatePath, error)
        }
    }

    /// The certificate, if it is a file that nobody else could have put there.
    var ownCertificate: [UInt8]? {
        // `try?` in one expression: it flattens the optional of a file that is too long.
        try? PrivateFile.read(certificatePath, maximumByteCount: DocumentKey.longestCertificate, forbidden: 0o022)
    }

    /// Makes the certificate of `key` if it is missing, because the power went after the key was made, or if it is one
    /// that this function made for another key, which was never kept or was replaced by hand.
    /// - Returns: what is wrong with another certificate, which stays.
    static func keepCertificate(
        of key: SigningKey, named name: String, at path: String
    ) throws(SealFault) -> String? {
        let pem: [UInt8]?
        do throws(Errno) {
            pem = try InputFile.read(path, maximumByteCount: DocumentKey.longestCertificate)
        } catch {
            if error != .noSuchFile { return "cannot read the certificate \(path): \(error)" }
            try writeCertificate(of: key, named: name, organization: nil, to: path)
            return nil
        }
        guard let pem else { return "\(path) is too long for a certificate" }
        do throws(EvidenceError) {
            let certificate = try Certificate(pem: pem)
            if certificate.key == key.publicKey { return nil }
            if !certificate.isOwn {
                return "\(path) is the certificate of another key than the panel's \(key.publicKey.fingerprint): put "
                    + "this key's there, or remove it"
            }
        } catch {
            return "\(path): \(error); remove it, and the panel makes another one"
        }
        try writeCertificate(of: key, named: name, organization: nil, to: path)
        return nil
    }

    /// Writes a self-signed certificate without an end of its validity (RFC 5280, 4.1.2.5): a panel has no network to
    /// renew it, and seals stand for years.
    static func writeCertificate(
        of key: SigningKey, named name: String, organization: String?, to path: String
    ) throws(SealFault) {
        let now = WallClock.microseconds / 1_000_000
        do {
            let subject = try CertificateSubject(commonName: name, organization: organization)
            let pem = try key.selfSignedCertificate(subject: subject, from: max(now, 0), until: Certificate.lastTime)
            try AtomicFile.replace(pem, at: path, permissions: 0o644)
        } catch {
            throw .key("cannot write the certificate \(path): \(error)")
        }
    }

    static var witness: SealChain.Witness {
        SealChain.Witness(
            program: Inkpanel.program, boot: Machine.bootID,
            clock: {
                let reading = WallClock.read()
                return (
                    reading.microseconds,
                    Seal.Clock(synchronized: reading.isSynchronized, maximumError: reading.maximumError)
                )
            })
    }

    private static func ownKeyFile(store: String) -> KeyFile { KeyFile(at: store + "/key.pem") }

    private static func keyFile(_ configured: String?, store: String) -> KeyFile {
        if let configured { return KeyFile(at: configured) }
        if let folder = variable("CREDENTIALS_DIRECTORY") {
            let file = KeyFile(at: "\(folder)/\(credential)")
            if file.exists { return file }
        }
        return ownKeyFile(store: store)
    }

    private static func encryption(
        _ evidence: Configuration.Evidence, store: String
    ) throws(CommandError) -> CaptureStore.Encryption? {
        if evidence.recipients.isEmpty { return nil }
        let folder = try memory()
        // A user may run several panels.
        let name = SHA256Digest(of: Array(store.utf8)).description.prefix(16)
        return CaptureStore.Encryption(
            recipients: evidence.recipients, journals: "\(folder)/open-\(name)",
            readableFor: evidence.readableFor)
    }

    /// A directory in memory: the service's own one, or the user's, or one of this user's alone that any user can have.
    private static func memory() throws(CommandError) -> String {
        let others = [
            variable("XDG_RUNTIME_DIR").map { $0 + "/inkpanel" }, "/run/inkpanel", "/dev/shm/inkpanel-\(geteuid())",
        ].compactMap { $0 }
        var first: CommandError?
        var onMedium: String?
        for folder in variable("RUNTIME_DIRECTORY").map({ [$0] }) ?? others {
            do {
                try PrivateFile.makeDirectory(folder)
                try Directory.checkWritable(folder)
                // Its owner could read what is written there.
                guard PrivateFile.isOwnDirectory(folder) else { throw Errno.permissionDenied }
                if try Directory.isInMemory(folder) { return folder }
                onMedium = onMedium ?? folder
            } catch {
                if first == nil {
                    first = .unavailable(
                        "cannot use the directory \(folder): \(error); with recipients, captures are written there "
                            + "before they are encrypted")
                }
            }
        }
        // The store refuses captures there, and says why.
        if let onMedium { return onMedium }
        throw first ?? .unavailable("there is no directory in memory")
    }

    private static func variable(_ name: String) -> String? {
        // RUNTIME_DIRECTORY may list several.
        getenv(name).flatMap { String(cString: $0).split(separator: ":").first.map(String.init) }
    }
}
