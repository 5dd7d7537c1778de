// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Linux

/// `inkpanel list`: the captures in the panel's store.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the signatures that the panel has stored, the newest first.")

    @Flag(help: "As JSON, with everything that is known.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            var client = try control.connect()
            let list = try client.list()
            if json { return try OutputFile.print(try JSONText.encode(list)) }
            try OutputFile.print(CaptureTable(list.captures).text)
            for reason in list.unreadable { Log().warning(reason) }
        }
    }
}
