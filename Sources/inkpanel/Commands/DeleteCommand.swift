// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Linux
import Record

/// `inkpanel delete`: removes captures from the panel's store.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove stored signatures from the panel for good.",
        discussion: """
            One that cannot be removed is told in a line and does not keep the others; the exit status is that of the \
            first.
            """)

    @Argument(help: "The captures' ids, as capture and list print them.")
    var ids: [CaptureID]

    @OptionGroup var control: ControlOptions

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            var client = try control.connect()
            var first: CommandError?
            for id in ids {
                do throws(ControlClientError) {
                    try client.delete(id)
                } catch {
                    // Without a panel there is none for the others either.
                    guard case .refused = error else { throw error }
                    let failure = CommandError(error)
                    log.error(failure.message)
                    first = first ?? failure
                }
            }
            if let first { throw ExitCode(first.status) }
        }
    }
}
