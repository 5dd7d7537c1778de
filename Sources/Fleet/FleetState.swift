// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import JSON
import Linux

/// What people see of the connection, in a file for `inkpanel-fleet status`.
struct FleetState: Codable, Equatable {
    var panel: String
    var broker: String
    /// When the connection began, microseconds since 1970-01-01 UTC; nil while there is none.
    var connectedSince: Int64?
    /// Why there is none, or what is wrong with it, for people.
    var fault: String?
    /// Whether the panel's program answers.
    var panelAnswers: Bool
    /// When the panel's certificate ends, seconds since 1970-01-01 UTC.
    var certificateEnds: Int64
    var requests: FleetSession.Counts

    /// Certificates should be renewed before.
    private static let renewal: Int64 = 30 * 86400

    static let usualPath = "/run/inkpanel-fleet/state.json"

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
        lines.append(
            "requests\t\(requests.accepted) accepted, \(requests.refused) refused, \(requests.ignored) ignored")
        return lines.joined(separator: "\n")
    }
}

extension FleetCommand {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say how the connection to the broker is. Fails without a connection.")

        @Option(help: "File of the program that runs.")
        var stateFile = FleetState.usualPath

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let bytes: [UInt8]
            do throws(Errno) {
                bytes = try InputFile.read(stateFile, maximumByteCount: 64 << 10) ?? []
            } catch {
                throw ValidationError(
                    "inkpanel-fleet does not run (\(stateFile): \(error)): systemctl status inkpanel-fleet")
            }
            guard let state = try? JSONValue(bytes).decode(FleetState.self) else {
                throw ValidationError("\(stateFile) is not a file of inkpanel-fleet")
            }
            print(
                json
                    ? String(decoding: state.bytes, as: UTF8.self) : state.text(now: WallClock.microseconds / 1_000_000)
            )
            if state.connectedSince == nil { throw ExitCode(EX_UNAVAILABLE) }
        }
    }
}
