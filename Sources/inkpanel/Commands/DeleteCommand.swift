// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Record

/// `inkpanel delete`: removes captures from the panel's store.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove stored signatures from the panel for good.")

    @Argument(help: "The captures' ids, as capture and list print them.")
    var ids: [CaptureID]

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            var client = try control.connect()
            for id in ids { try client.delete(id) }
        }
    }
}
