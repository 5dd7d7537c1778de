// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import JSON
import Linux
import Usage

/// The connection as people see it, in a file for `inkpanel-fleet status`.
struct FleetState: Codable, Equatable {
    var panel: String
    var broker: String
    /// When the connection began, microseconds since 1970-01-01 UTC; nil while disconnected.
    var connectedSince: Int64?
    /// When the last connection ended, in the same way; nil while there is one, and before the first.
    var connectedUntil: Int64?
    /// The reason why there is no connection, or what is wrong with it, for people.
    var fault: String?
    /// Whether the panel's program answers.
    var panelAnswers: Bool
    /// When the panel's certificate ends, seconds since 1970-01-01 UTC.
    var certificateEnds: Int64
    /// The same of the broker's, as the last connection has shown it.
    var brokerCertificateEnds: Int64?
    /// Name and version of the program that runs.
    var program: String?
    var requests: FleetSession.Counts

    /// Certificates should be renewed before.
    private static let renewal: Int64 = 30 * 86400

    static let usualPath = "/run/inkpanel-fleet/state.json"

    /// Figures in the text format of Prometheus, for a program that runs (nil: for one that does not).
    /// https://prometheus.io/docs/instrumenting/exposition_formats
    /// - Parameter now: microseconds since 1970-01-01 UTC.
    static func metrics(_ state: FleetState?, now: Int64) -> String {
        var text = ""
        func add(_ name: String, _ help: String, _ value: Int64?) {
            guard let value else { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(value)\n"
        }
        let isConnected = state?.connectedSince != nil
        add("inkpanel_fleet_up", "Whether inkpanel-fleet runs.", state == nil ? 0 : 1)
        add("inkpanel_fleet_connected", "Whether the panel is connected to its broker.", isConnected ? 1 : 0)
        let away = (isConnected ? now : state?.connectedUntil).map { max(0, now - $0) / 1_000_000 }
        add("inkpanel_fleet_disconnected_seconds", "Time since the last connection.", away)
        let left = state.map { $0.certificateEnds - now / 1_000_000 }
        add("inkpanel_fleet_certificate_seconds", "Time until the certificate ends.", left)
        add(
            "inkpanel_fleet_broker_certificate_seconds", "Time until the broker's certificate ends.",
            state?.brokerCertificateEnds.map { $0 - now / 1_000_000 })
        return text
    }

    /// Lines for people.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func text(now: Int64) -> String {
        func date(_ seconds: Int64) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
        var lines = ["panel\t\(panel)", "broker\t\(broker)"]
        lines.append("connected\t" + (connectedSince.map { "since " + date($0 / 1_000_000) } ?? "no"))
        if let fault { lines.append("fault\t\(fault.printable)") }
        lines.append("panel answers\t" + (panelAnswers ? "yes" : "no: is inkpanel running?"))
        let isDue = certificateEnds - now < Self.renewal
        lines.append("certificate\tuntil \(date(certificateEnds))" + (isDue ? ": renew it" : ""))
        if let end = brokerCertificateEnds {
            let isDue = end - now < Self.renewal
            lines.append("broker's certificate\tuntil \(date(end))" + (isDue ? ": it needs another one" : ""))
        }
        lines.append(
            "requests\t\(requests.accepted) accepted, \(requests.refused) refused, \(requests.ignored) ignored")
        return lines.joined(separator: "\n")
    }
}

extension FleetCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say how the connection to the broker is. Fails without a connection.",
            discussion: """
                With --metrics the exit status is 0 without a connection, and if inkpanel-fleet does not run: the \
                figures are right. docs/operate.md has alarms for them.
                """)

        @Option(help: "File of the program that runs.")
        var stateFile = FleetState.usualPath

        @Flag(help: "Print JSON.")
        var json = false

        @Flag(help: "Print figures for a monitoring system, in the text format of Prometheus.")
        var metrics = false

        @Option(
            help: ArgumentHelp(
                "With --metrics: file to write, such as inkpanel-fleet.prom in the directory of node_exporter's "
                    + "textfile collector.",
                valueName: "file"))
        var output: String?

        func validate() throws {
            if json, metrics { throw ValidationError("--json or --metrics, not both") }
            if output != nil, !metrics { throw ValidationError("--output needs --metrics") }
        }

        func run() throws {
            if metrics { return try writeMetrics() }
            let state = try state()
            print(
                json
                    ? String(decoding: state.bytes, as: UTF8.self) : state.text(now: WallClock.microseconds / 1_000_000)
            )
            if state.connectedSince == nil { throw ExitCode(EX_UNAVAILABLE) }
        }

        private func writeMetrics() throws {
            var state: FleetState?
            do { state = try self.state() } catch { Log().warning("\(error)") }
            let text = FleetState.metrics(state, now: WallClock.microseconds)
            guard let output else { return print(text, terminator: "") }
            // The collector is another user.
            do throws(Errno) { try AtomicFile.write(Array(text.utf8), to: output, permissions: 0o644) } catch {
                throw CommandFailure("cannot write \(output): \(error)", EX_CANTCREAT)
            }
        }

        private func state() throws -> FleetState {
            let bytes: [UInt8]
            do throws(Errno) {
                bytes = try InputFile.read(stateFile, maximumByteCount: 64 << 10) ?? []
            } catch {
                if error == .permissionDenied {
                    throw CommandFailure("cannot read \(stateFile): \(error); run it as root", EX_NOPERM)
                }
                throw CommandFailure(
                    "inkpanel-fleet does not run (\(stateFile): \(error)): systemctl status inkpanel-fleet",
                    EX_UNAVAILABLE)
            }
            guard let state = try? JSONValue(bytes).decode(FleetState.self) else {
                throw CommandFailure("\(stateFile) is not a file of inkpanel-fleet", EX_DATAERR)
            }
            return state
        }
    }
}
