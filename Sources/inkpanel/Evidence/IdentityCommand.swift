// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Evidence
import Glibc
import HostAPI
import Linux
import Record
import Store

/// `inkpanel identity`: the key that a panel seals records with.
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Show, make or replace the key that the panel seals records with.",
        subcommands: [ShowIdentityCommand.self, CreateIdentityCommand.self], defaultSubcommand: ShowIdentityCommand.self
    )
}

/// The places of the parts of a panel's identity.
struct IdentityOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(help: ArgumentHelp(Setting["record.directory"].help(""), valueName: "directory"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "File of the private key (default: as in the configuration).", valueName: "file"))
    var key: String?

    func panelStore() throws -> (PanelStore, Configuration) {
        var configuration = try file.read()
        if let store { configuration.record.directory = store }
        if let key { configuration.evidence.key = key }
        // They need a directory in memory, which only a running panel has.
        configuration.evidence.recipients = []
        return (try PanelStore(configuration), configuration)
    }
}

struct ShowIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the fingerprint, the line for allowed_signers, and the certificate.",
        discussion: """
            Reads the certificate beside the captures, as root or the panel's user; only --csr and --fingerprint read \
            the key. --show needs neither: it asks the running panel.
            """)

    /// The file in which deploy/nginx/certificate puts the digest.
    private static let usualGatewayKey = "/var/lib/inkpanel-web/spki"

    @Flag(help: "Show name, program and fingerprint on the pad, for 60 seconds or until Cancel, and wait for that.")
    var show = false

    @Option(
        help: ArgumentHelp(
            "With --show: file with the digest of the gateway's key, to show it too (default: \(usualGatewayKey), if "
                + "it is there).", valueName: "file"))
    var gatewayKey: String?

    @Flag(help: "Print the certificate as PEM.")
    var certificate = false

    @Flag(help: "Print the line for a file allowed_signers of ssh-keygen.")
    var allowedSigners = false

    @Flag(help: "Print the fingerprint of the private key alone.")
    var fingerprint = false

    @Flag(help: "Print a certificate request for a CA (PKCS #10), signed with the key.")
    var csr = false

    @Option(
        help: ArgumentHelp("Name of the panel in the line and the request (default: as in records).", valueName: "name")
    )
    var name: String?

    @Option(help: ArgumentHelp("Organization in the request.", valueName: "name"))
    var organization: String?

    @OptionGroup var options: IdentityOptions
    @OptionGroup var control: ControlOptions

    func validate() throws {
        if [certificate, allowedSigners, fingerprint, csr, show].count(where: { $0 }) > 1 {
            throw ValidationError(
                "--certificate, --allowed-signers, --fingerprint, --csr and --show exclude each other")
        }
        if organization != nil, !csr { throw ValidationError("--organization is for --csr") }
        if gatewayKey != nil, !show { throw ValidationError("--gateway-key is for --show") }
    }

    private func readGatewayKey() throws(CommandError) -> String? {
        let path = gatewayKey ?? Self.usualGatewayKey
        do throws(Errno) {
            let bytes = try InputFile.read(path, maximumByteCount: 1024) ?? []
            return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch {
            // Most panels have no gateway.
            if gatewayKey == nil { return nil }
            throw .cannotRead(path, error)
        }
    }

    func run() throws {
        try reportingErrors {
            if show {
                let key = try readGatewayKey()
                var client = try control.connect()
                return try client.identify(gatewayKey: key)
            }
            let (panel, configuration) = try options.panelStore()
            if fingerprint { return try OutputFile.print("\(panel.keyFile.read().publicKey.fingerprint)\n") }
            let name = name ?? PanelStore.panelName(configuration)
            if csr {
                let subject = try CertificateSubject(commonName: name, organization: organization)
                return try OutputFile.print(
                    String(decoding: try panel.keyFile.read().certificateRequest(subject: subject), as: UTF8.self))
            }
            let pem = try panel.readCertificate()
            let key = try PublicKey(certificate: pem)
            let line = AllowedSigners.line(principal: name, key: key, namespace: Seal.namespace, validAfter: nil) + "\n"
            if certificate { return try OutputFile.print(String(decoding: pem, as: UTF8.self)) }
            if allowedSigners { return try OutputFile.print(line) }
            try OutputFile.print(
                """
                fingerprint      \(key.fingerprint)
                certificate      \(panel.certificatePath)
                allowed_signers  \(line)
                """)
        }
    }
}

struct CreateIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a key and its certificate.",
        discussion: """
            A panel makes its own key at its first start; the service's is made by inkpanel-identity.service. A \
            replacement needs a stopped panel. With the old key, both keys sign the seal that says so; without it, the \
            chain of seals begins anew.
            """)

    @Option(help: ArgumentHelp("Name of the panel in the certificate (default: as in records).", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Organization in the certificate.", valueName: "name"))
    var organization: String?

    @Option(help: ArgumentHelp("Replace the key in this file, which signs the seal that says so.", valueName: "file"))
    var replace: String?

    @Flag(help: "Replace a key that is lost.")
    var lost = false

    @Flag(
        help: ArgumentHelp(
            "Make only the key. Keep it safely, then say --replace or --lost without this for its certificate and "
                + "its seal."
        ))
    var keyOnly = false

    @OptionGroup var options: IdentityOptions

    func validate() throws {
        if replace != nil, lost { throw ValidationError("--replace and --lost exclude each other") }
    }

    func run() throws {
        try reportingErrors {
            let (panel, configuration) = try options.panelStore()
            let old = try replace.map { try KeyFile(at: $0).read() }
            // Seals by a new key would be refused at the next start.
            if old == nil, !lost, !keyOnly, try panel.store.chain?.isEmpty() == false {
                throw CommandError.wrongUsage(
                    "the store has seals of another key: name its file with --replace, or say --lost if nobody has it")
            }
            if keyOnly { return try OutputFile.print("\(panel.keyFile.create().publicKey.fingerprint)\n") }
            // Not through a link: it would be written back for everybody to read.
            let certificate = panel.ownCertificate
            // A key that is there already was made before with --key-only, or by a call that the power ended.
            let isNew = !(panel.keyFile.exists && (old != nil || lost))
            let key = isNew ? try panel.keyFile.create() : try panel.keyFile.read()
            if let old, old.publicKey.fingerprint == key.publicKey.fingerprint {
                throw CommandError.wrongUsage(
                    "\(panel.keyFile.path) has the key to replace: name the file of the new one with --key")
            }
            do {
                try PanelStore.writeCertificate(
                    of: key, named: name ?? PanelStore.panelName(configuration), organization: organization,
                    to: panel.certificatePath)
                if old != nil || lost, try panel.store.chain?.replaceKey(old) == nil {
                    Log().notice("there is no seal of another key yet, so none says that the key was replaced")
                }
            } catch {
                // A key whose replacement no seal names would be refused at the next start.
                if isNew { try? Directory.remove(panel.keyFile.path) }
                if let certificate {
                    try? AtomicFile.replace(certificate, at: panel.certificatePath, permissions: 0o644)
                } else {
                    try? Directory.remove(panel.certificatePath)
                }
                throw error
            }
            try OutputFile.print("\(key.publicKey.fingerprint)\n")
        }
    }
}
