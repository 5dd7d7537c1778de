// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Geometry
import Glibc
import HostAPI
import Linux
import Usage

/// The program `inkpanel-fleet`.
public struct FleetCommand: ParsableCommand {
    static let name = "inkpanel-fleet"
    static let version = "0.1.0"

    public static let configuration = CommandConfiguration(
        commandName: name, abstract: "Signatures for hosts that reach the panel through an MQTT broker only.",
        version: version, subcommands: [Run.self, Status.self])

    public init() {}

    /// Runs the command of the command line. Errors are reported in one line.
    public static func main() {
        var command = parseOrEnd(name)
        do { try command.run() } catch { end(name, with: error) }
    }

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Connect to the broker, and ask the panel for what hosts want.")

        @Option(help: "Configuration file (default: \(Configuration.defaultPath)).")
        var config: String?

        @Option(help: "Broker, HOST:PORT (default: fleet.broker of the configuration).")
        var broker: String?

        @Option(help: "Socket of the panel's host API (default: that of the configuration).")
        var panel: String?

        @Option(help: "Directory of panel.crt, panel.key, ca.crt and the requests of a day.")
        var state = "/var/lib/inkpanel-fleet"

        @Option(help: "File in which this program says how it is, for the command status.")
        var stateFile = FleetState.usualPath

        func run() throws {
            let settings = try self.settings()
            guard let text = broker ?? settings.fleet.broker?.text else {
                throw ValidationError("no broker is named: set broker in [fleet] of \(Configuration.defaultPath)")
            }
            guard let place = NetworkAddress(text) else {
                let fault = NetworkAddress.fault(text).map { "; \($0)" } ?? ""
                throw ValidationError("--broker: expected \(NetworkAddress.expectation)\(fault)")
            }
            let address = BrokerAddress(
                host: place.host.text, port: place.port,
                keepAlive: Int(settings.fleet.keepAlive.microseconds / 1_000_000),
                credentials: state)
            BrokerConnection.initializeLibrary()
            let certificate: PanelCertificate
            do throws(PanelCertificateError) {
                certificate = try PanelCertificate(path: state + "/panel.crt")
            } catch {
                throw ValidationError(error.description)
            }
            signal(SIGPIPE, SIG_IGN)
            do throws(Errno) {
                let loop = try FleetLoop(
                    address: address, panelSocket: panel ?? settings.control.socket,
                    hosts: settings.fleet.hosts.compactMap { FleetName($0) }, state: state,
                    statePath: stateFile, certificate: certificate, log: Log(identifier: FleetCommand.name))
                try loop.run()
            } catch {
                throw ValidationError("cannot wait for the broker and the panel: \(error)")
            }
        }

        /// The settings of the file; without any file, the usual ones.
        private func settings() throws -> Configuration {
            do throws(ConfigurationError) {
                return try Configuration(path: config ?? Configuration.defaultPath)
            } catch {
                if config == nil, case .cannotRead(_, .noSuchFile) = error { return Configuration() }
                throw ValidationError(error.description)
            }
        }
    }
}
