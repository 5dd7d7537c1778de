// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Usage

/// HTTP access for other computers, a process of its own, so that Foundation stays out of the panel's.
@main
struct GatewayCommand: AsyncParsableCommand {
    static let name = "inkpanel-gateway"
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "HTTP access to an Inkpanel signature pad.", version: version,
        subcommands: [RunCommand.self, TokenCommand.self, PairCommand.self, WebhooksCommand.self])

    /// Runs the command of the command line, on the main thread: a command may block signals for all threads. Errors
    /// are reported in one line.
    @MainActor
    static func main() async {
        nonisolated(unsafe) var command = parseOrEnd(name)
        do {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { end(name, with: error) }
    }
}
