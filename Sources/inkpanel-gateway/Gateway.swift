// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux

@main
struct Gateway: AsyncParsableCommand {
    static let name = "inkpanel-gateway"
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "HTTP access to an Inkpanel signature pad.", version: version,
        subcommands: [RunCommand.self, TokenCommand.self, PairCommand.self])

    /// Runs the command of the command line. Errors are reported in one line.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            let status = exitCode(for: error)
            if status.isSuccess || error is ExitCode { exit(withError: error) }
            Log(identifier: name).error(message(for: error))
            Glibc.exit(status.rawValue)
        }
    }
}
