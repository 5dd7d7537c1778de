// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc
import Linux

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
            DeleteCommand.self, VerifyCommand.self, IdentityCommand.self, StatusCommand.self, ScreenshotCommand.self,
            ConfigCommand.self, DevicesCommand.self, CalibrateCommand.self, SelfTestCommand.self, DemoCommand.self,
            ReplayCommand.self, RenderCommand.self, BenchCommand.self,
        ])
}

extension Inkpanel {
    /// Runs the command of the command line. Usage errors are reported in one line, as all errors are; the parser would
    /// print its usage, too.
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            if let error = unknownCommand(in: words) { throw error }
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

    /// Finds a mistyped command, which the parser would take for an argument of the command before it.
    /// - Returns: nil if all words that should be commands are.
    static func unknownCommand(in words: [String]) -> CommandError? {
        let isHelp = words.first == "help"
        if words == ["help", "help"] { return nil }
        var (path, command): ([String], any ParsableCommand.Type) = ([], Inkpanel.self)
        for word in words.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            // Options and arguments of the command follow.
            if word.hasPrefix("-") || subcommands.isEmpty && !isHelp { break }
            path.append(word)
            if let next = subcommands.first(where: { $0._commandName == word }) {
                command = next
                continue
            }
            let names = subcommands.map { $0._commandName } + (path.count == 1 ? ["help"] : [])
            let full = path.joined(separator: " ").debugDescription
            guard let suggestion = Suggestion.nearest(to: word, of: names) else {
                let parent = (["help"] + path.dropLast()).joined(separator: " ")
                return .wrongUsage("there is no command \(full); see inkpanel \(parent)")
            }
            let meant = (path.dropLast() + [suggestion]).joined(separator: " ")
            return .wrongUsage("there is no command \(full); did you mean \(meant)?")
        }
        return nil
    }

    /// The parser takes an unknown option with a value for two unexpected arguments, and checks the other options first.
    /// - Returns: a message on the first option that the command does not have; `message` if it has all.
    private static func unknownOption(in words: [String], _ message: String) -> String {
        let (path, command) = commands(in: words)
        // The first column of its help, in which a name may follow a short one.
        let names = helpMessage(for: command, includeHidden: true).split(separator: "\n").flatMap { line in
            line.split(separator: " ").prefix { $0.hasPrefix("-") }
                .map { String($0.hasSuffix(",") ? $0.dropLast() : $0) }
        }
        for word in words.dropFirst(path.count).prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
            let name = String(word.prefix { $0 != "=" })
            if names.contains(name) || name == "--help" || name == "--version" || name == "--help-hidden" { continue }
            let suggestion = Suggestion.nearest(to: name, of: names.filter { $0.hasPrefix("--") })
            return "Unknown option '\(name)'" + (suggestion.map { ". Did you mean '\($0)'?" } ?? "")
        }
        return message
    }

    /// The words that are commands, at the start, and the last of them.
    private static func commands(in words: [String]) -> (path: [String], command: any ParsableCommand.Type) {
        var command: any ParsableCommand.Type = Inkpanel.self
        let path = words.prefix { word in
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return false
            }
            command = next
            return true
        }
        return (Array(path), command)
    }

    /// The parser's message as one line, with a hint where to read more.
    static func mistake(_ message: String, in words: [String]) -> String {
        // The parser lists possible values, one a line.
        let lines = unknownOption(in: words, message).split(separator: "\n")
        let list = lines.dropFirst().map { $0.drop { $0 == " " || $0 == "-" } }
        var text = (lines.prefix(1) + list).joined(separator: ", ")
        for (theirs, ours) in [
            (". Please provide one of the following:, ", "; expected one of "),
            (". Please provide one of ", "; expected one of "), (". Did you mean ", "; did you mean "),
        ] {
            text = text.replacing(theirs, with: ours)
        }
        if text.hasSuffix(".") { text.removeLast() }
        let path = ["inkpanel"] + commands(in: words).path
        text = text.prefix(1).lowercased() + text.dropFirst()
        return text.hasSuffix("?") ? text : "\(text); see \(path.joined(separator: " ")) --help"
    }
}

/// `inkpanel bench`, which earlier versions had: says where benchmarks are now.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bench", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws {
        throw CommandError.wrongUsage("benchmarks are in inkpanel-bench, which make bench builds and runs")
    }
}
