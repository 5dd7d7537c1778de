// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc
import Linux
import Usage

@main
struct Inkpanel: ParsableCommand {
    static let version = "0.1.0"
    /// Name and version, for records and hosts.
    static let program = "inkpanel \(version)"

    static let configuration = CommandConfiguration(
        commandName: "inkpanel", abstract: "Signature capture and freehand ink on a bare Linux panel.",
        version: version,
        subcommands: [
            RunCommand.self, CaptureCommand.self, ListCommand.self, ShowCommand.self, ExportCommand.self,
            DeleteCommand.self, VerifyCommand.self, DocumentCommand.self, IdentityCommand.self, StatusCommand.self,
            HealthCommand.self, ReportCommand.self, ScreenshotCommand.self,
            ConfigCommand.self, DevicesCommand.self, CalibrateCommand.self, SelfTestCommand.self, SetupCommand.self,
            BackupCommand.self, RestoreCommand.self,
            DemoCommand.self, ReplayCommand.self, RenderCommand.self,
        ])
}

extension Inkpanel {
    /// Runs the command of the command line. Usage errors are reported in one line, as all errors are; the parser would
    /// print its usage, too.
    static func main() {
        guard let words = CommandWords.words(CommandLine.arguments) else {
            Log().error(CommandWords.missing)
            Glibc.exit(EX_OSERR)
        }
        do {
            if let message = unknownCommand(in: words) { throw CommandError.wrongUsage(message) }
            var command = try parseAsRoot(words)
            try command.run()
        } catch let error as CommandError {
            Log().error(error.message)
            Glibc.exit(error.status)
        } catch {
            let status = exitCode(for: error)
            // Help, version and completion scripts are errors of the parser. A command that failed has reported why.
            if status.isSuccess || error is ExitCode { exit(withError: error) }
            Log().error(mistake(message(for: error), in: words))
            Glibc.exit(status.rawValue)
        }
    }
}
