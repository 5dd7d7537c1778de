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

    @Flag(help: "Write it onto a card's boot partition, as /boot/inkpanel-report.txt. Needs root.")
    var save = false

    // The root of a copy of this machine's files.
    @Option(help: .hidden)
    var root = ""

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if save, output != "-" { throw ValidationError("--save writes to a place of its own: leave out --output") }
    }

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
            let text = Array(report.text.printableLines.utf8)
            if save { try Self.save(text, in: root + "/boot") } else { try OutputFile.write(text, to: output) }
        }
    }

    /// - Parameter folder: the boot partition, which is read-only but for this moment.
    private static func save(_ text: [UInt8], in folder: String) throws(CommandError) {
        let path = folder + "/inkpanel-report.txt"
        do throws(Errno) {
            try FileSystem.makingWritable(folder) { () throws(Errno) in
                try AtomicFile.write(text, to: path, permissions: 0o644)
                try Directory.synchronizeParent(of: path)
            }
        } catch {
            throw .unavailable("cannot write \(path): \(error); without a card's boot partition, use --output FILE")
        }
    }

    /// Creates a file that a service waits for (systemd.path(5)), as the panel itself may not read all of a report.
    static func request(by path: String, _ log: Log) {
        do throws(Errno) {
            try AtomicFile.write([], to: path, permissions: 0o644)
            log.notice("a person at the pad asks for a report: \(path)")
        } catch {
            log.warning("a person at the pad asks for a report, but \(path) cannot be created: \(error)")
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
