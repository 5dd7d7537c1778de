// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc
import Linux

/// `inkpanel setup machine`: applies the file that people edit on the boot partition, at each boot.
struct SetupMachineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine",
        abstract: "Apply the settings file of the boot partition, as an image does at each boot.",
        discussion: """
            Needs root. The file has a table [machine], and the panel's own settings. A setting with a fault stays as \
            it was. \(MachineResult.name) beside the file names each fault with its line. Secrets are kept on the \
            machine, and overwritten in the file.
            """)

    @Argument(help: "The settings file.")
    var file = "/boot/inkpanel.toml"

    @Flag(help: "Say what would be changed, and change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("Directory with a copy of a system, such as a mounted image.", valueName: "directory"))
    var root = "/"

    @Option(
        help: ArgumentHelp("File for the faults, which `inkpanel run --notice` shows on the glass.", valueName: "path"))
    var notice: String?

    func run() throws {
        try reportingErrors {
            guard let root = Directory.realPath(root) else { throw CommandError.cannotRead(root, .noSuchFile) }
            let setup = MachineSetup(system: InstalledSystem(root: root), file: file)
            var failure: CommandError?
            var (changes, result) = ([SystemChange](), MachineResult(secrets: [], lines: []))
            do throws(CommandError) { (changes, result) = try setup.changes() } catch {
                failure = error
                result = MachineResult(secrets: [], lines: [error.message])
            }
            for change in changes { try OutputFile.print("\(dryRun ? "would change" : "changes") \(change.path)\n") }
            try OutputFile.print(result.text)
            if dryRun {
                if let failure { throw failure }
                return
            }
            var said = result
            do throws(CommandError) { try setup.apply(changes) } catch {
                failure = error
                said = MachineResult(secrets: [], lines: (result.lines ?? []) + [error.message])
            }
            // Each is an answer of its own: one that fails keeps none of the others back.
            do throws(CommandError) { try setup.finish(said) } catch { failure = failure ?? error }
            if let notice {
                do throws(CommandError) { try setup.write(said.notice, to: notice) } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }
}
