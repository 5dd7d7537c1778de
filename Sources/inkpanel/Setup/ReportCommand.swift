// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import HostAPI
import Linux
import Screen
import Touch

/// `inkpanel report`: one text about a board, for people who look for a fault from elsewhere.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write what helps to find a fault of this board, for you to read and send.",
        discussion: """
            Board, kernel, screens with their modes and EDID, touch devices and why each is used or not, report rates \
            and delays of the last captures, versions, failed units, warnings. Names, texts in quotes, serial numbers, \
            addresses and tokens are left out; read it all the same before you send it. Run this as root: else parts \
            are missing.
            """)

    @Option(help: "File to write; - prints it.")
    var output = "-"

    // The root of a copy of this machine's files.
    @Option(help: .hidden)
    var root = ""

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            // Programs that are asked may end early.
            signal(SIGPIPE, SIG_IGN)
            var report = MachineReport(MachineFiles(root: root))
            report.addMachine()
            report.addScreens(DisplayFinder().inventory())
            report.addTouchDevices()
            do throws(PanelClientError) {
                var client = try control.connect()
                report.add(try client.status())
                report.addCaptures(try Self.lastCaptures(&client))
            } catch {
                report.add("panel", ["\(error)"])
            }
            report.addPrograms()
            report.addMessages()
            let text = report.text
            try OutputFile.write(Array(text.printableLines.utf8), to: output)
        }
    }

    /// The newest captures whose records can be read.
    private static func lastCaptures(_ client: inout PanelClient) throws(PanelClientError) -> [RecordMetadata] {
        var found: [RecordMetadata] = []
        for capture in try client.list().captures.prefix(10) {
            if let metadata = try? client.metadata(of: capture.id) { found.append(metadata) }
        }
        return found
    }
}
