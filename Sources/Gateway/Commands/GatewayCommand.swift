// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Glibc
import Linux
import Usage

/// The program `inkpanel-gateway`.
public struct GatewayCommand: AsyncParsableCommand {
    static let name = "inkpanel-gateway"
    static let version = "0.1.0"

    public static let configuration = CommandConfiguration(
        commandName: name, abstract: "HTTP access to an Inkpanel signature pad.", version: version,
        subcommands: [RunCommand.self, TokenCommand.self, PairCommand.self])

    public init() {}

    /// Runs the command of the command line. Errors are reported in one line.
    public static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        if let message = unknownCommand(in: words) { end(reporting: message, EX_USAGE) }
        var command: any ParsableCommand
        do { command = try parseAsRoot(words) } catch { end(with: error) { mistake($0, in: words) } }
        do {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { end(with: error) { $0 } }
    }

    private static func end(reporting message: String, _ status: Int32) -> Never {
        Log(identifier: name).error(message)
        Glibc.exit(status)
    }

    private static func end(with error: any Error, line: (String) -> String) -> Never {
        let status = exitCode(for: error)
        // Help and version are errors of the parser.
        if status.isSuccess || error is ExitCode { exit(withError: error) }
        end(reporting: line(message(for: error)), status.rawValue)
    }
}
