// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Compatibility
import Configuration
import FlyingFox
import FlyingSocks
import Foundation
import Gateway
import Glibc
import HTTP
import Linux
import Webhooks

/// Serves the API until the program is ended.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve the API on a Unix socket for nginx, or on a loopback port.")

    @OptionGroup var configuration: ConfigurationOption

    @Option(help: "Socket of the panel's host API (default: that of the configuration).")
    var panel: String?

    @Option(help: "Unix socket to listen on, for a web server in front.")
    var socket = "/run/inkpanel-gateway/http.sock"

    @Option(help: "Port of the loopback address to listen on instead; 0 for any. For tests and for trying the pad.")
    var loopback: UInt16?

    @Option(help: "Socket of a virtual panel (inkpanel run --virtual), to show it on a page; with --loopback only.")
    var virtual: String?

    @Option(
        help: ArgumentHelp(
            "Configuration file of the virtual panel, whose look the page may change; prints a line then: start the "
                + "panel anew.", valueName: "file"))
    var virtualConfig: String?

    @Option(help: ArgumentHelp("Languages that no font of this machine has; the page says so.", valueName: "tags"))
    var virtualLacks = ""

    @Option(help: "File with the SHA-256 of the certificate's public key in Base64, for pairing.")
    var keyDigest = "/var/lib/inkpanel-web/spki"

    @Option(help: "File in which the webhooks say how they are.")
    var webhooksStatus = WebhookStatus.usualPath

    @Flag(help: "Print the address of the page of --virtual, with a token for everything.")
    var printURL = false

    @OptionGroup var state: StateOption

    func validate() throws {
        if virtual != nil, loopback == nil {
            throw ValidationError("--virtual needs --loopback: whoever sees a virtual panel can touch it")
        }
        if virtualConfig != nil, virtual == nil { throw ValidationError("--virtual-config needs --virtual") }
        if printURL, virtual == nil { throw ValidationError("--print-url needs --virtual") }
        if let virtual, !(1...Configuration.longestSocketPath ~= virtual.utf8.count) {
            throw ValidationError("--virtual is a path of at most \(Configuration.longestSocketPath) bytes")
        }
    }

    func run() async throws {
        let log = Log(identifier: GatewayCommand.name)
        let settings = try configuration.settings() ?? Configuration()
        let pool = HTTPServer.defaultPool()
        let panel = PanelService(socket: self.panel ?? settings.control.socket, pool: pool)
        let visitor = printURL ? try VisitorToken(state: state.path) : nil
        let bearers = Bearers(
            file: TokenFile(state: state.path), uses: LastUses(state: state.path), visitor: visitor?.token, log: log)
        let documents = Documents(state: state.path, limit: settings.document.maximumSize << 20)
        let captures = Captures(
            panel: panel, owners: OwnerFile(state: state.path, log: log),
            keys: IdempotencyKeys(state: state.path, log: log),
            documents: documents)
        let mirror = MirrorFeeds(panel: panel)
        let pairings = Pairings(
            panel: panel, file: TokenFile(state: state.path), window: PairingWindow(state: state.path), log: log
        ) { [keyDigest, virtual] in
            // A virtual panel and who tries pairing are on this machine, where nobody stands between.
            Self.keyDigest(in: keyDigest) ?? (virtual == nil ? nil : [])
        }
        let address = WebAddress(names: settings.gateway.names, origins: settings.gateway.origins)
        var routes = Route.api(
            panel, captures, documents, mirror, bearers, pairings, address,
            program: "\(GatewayCommand.name) \(GatewayCommand.version)", webhooks: webhooksStatus)
        routes += Route.compatible(
            CompatiblePad(captures: captures, documents: documents, bearers: bearers, panel: panel, mirror: mirror))
        routes += Route.webFiles(isVirtual: virtual != nil)
        if let virtual {
            let virtual = VirtualPanel(path: virtual, pool: pool, log: log)
            routes += Route.virtual(virtual)
            let lacking = virtualLacks.split(separator: " ").map { String($0) }
            routes += Route.virtualLook(VirtualLook(path: virtualConfig, lacking: lacking), of: virtual, panel)
        }
        let router = Router(
            routes: routes, address: address, bearers: bearers, isBehindServer: loopback == nil, log: log)
        signal(SIGPIPE, SIG_IGN)
        Self.raiseDescriptorLimit()
        try await pool.prepare()
        let listener: Socket
        do { listener = try listeningSocket() } catch let error as SocketError {
            throw ValidationError(obstacle(error))
        }
        if case .ip4(_, let port) = try listener.sockname() {
            log.notice("listens on http://127.0.0.1:\(port)")
            // The part after # stays in the browser.
            if let visitor {
                print("http://127.0.0.1:\(port)/#token=\(visitor.text)")
                fflush(nil)
            }
        } else {
            log.notice("listens on \(socket)")
        }
        try await Server(router: router, pool: pool).run(on: listener)
    }

    /// Without a descriptor, a connection has to wait. This limit is above the number of ports that clients
    /// on this machine have; the unit sets it itself.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65536))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Read for each pairing, because certificates are renewed.
    /// - Returns: nil if there is no such file: nothing in front of the gateway has a certificate.
    private static func keyDigest(in path: String) -> [UInt8]? {
        guard let bytes = (try? InputFile.read(path, maximumByteCount: 256)).flatMap({ $0 }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return Data(base64Encoded: text).flatMap { $0.count == 32 ? [UInt8]($0) : nil }
    }

    /// Why it does not listen, and what to do.
    private func obstacle(_ error: SocketError) -> String {
        let place = loopback.map { "127.0.0.1:\($0)" } ?? socket
        guard case .failed(_, let code, let message) = error else { return "\(place): \(error.localizedDescription)" }
        let remedy = code == EADDRINUSE ? "; another program has this port: choose another one, or 0 for any" : ""
        return "cannot listen on \(place): \(message)\(remedy)"
    }

    private func listeningSocket() throws -> Socket {
        let listener: Socket
        if let loopback {
            listener = try Socket(domain: AF_INET)
            try listener.setValue(true, for: .localAddressReuse)
            // Connections inherit it. Otherwise the kernel holds a second small packet back until the client has
            // acknowledged the first, 40 ms later (tcp(7)).
            try listener.setValue(true, for: BoolSocketOption(level: CInt(IPPROTO_TCP), name: TCP_NODELAY))
            try listener.bind(to: .inet(ip4: "127.0.0.1", port: loopback))
        } else {
            if let other = try? LocalSocket.connect(to: socket) {
                _ = consume other
                throw ValidationError("another program listens on \(socket)")
            }
            _ = unlink(socket)
            // nginx's user is a member of the group of the socket.
            umask(0o117)
            listener = try Socket(domain: AF_UNIX)
            try listener.bind(to: .unix(path: socket))
        }
        try listener.listen()
        return listener
    }
}

/// The configuration of panel and gateway.
struct ConfigurationOption: ParsableArguments {
    @Option(help: "Configuration file (default: \(Configuration.defaultPath)).")
    var config: String?

    /// - Returns: nil if no file is named and the usual one does not exist.
    func settings() throws -> Configuration? {
        do throws(ConfigurationError) { return try Configuration(path: config ?? Configuration.defaultPath) } catch {
            if config == nil, case .cannotRead(_, .noSuchFile) = error { return nil }
            throw ValidationError(error.description)
        }
    }
}

/// The directory where the gateway keeps tokens.
struct StateOption: ParsableArguments {
    @Option(name: .customLong("state"), help: "Directory of tokens.")
    var path = "/var/lib/inkpanel-gateway"
}
