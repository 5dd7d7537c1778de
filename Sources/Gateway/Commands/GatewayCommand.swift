// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Usage

/// The program `inkpanel-gateway`.
public struct GatewayCommand: AsyncParsableCommand {
    static let name = "inkpanel-gateway"
    static let version = "0.1.0"

    public static let configuration = CommandConfiguration(
        commandName: name, abstract: "HTTP access to an Inkpanel signature pad.", version: version,
        subcommands: [RunCommand.self, TokenCommand.self, PairCommand.self, WebhooksCommand.self])

    public init() {}

    /// Runs the command of the command line. Errors are reported in one line.
    @MainActor
    public static func main() async {
        nonisolated(unsafe) var command = parseOrEnd(name)
        do {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { end(name, with: error) }
    }
}
