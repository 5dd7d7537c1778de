// SPDX-License-Identifier: Apache-2.0
package import ArgumentParser
import Configuration
import Glibc
import Linux

/// Mistakes in a program's command line, as one line each: the parser would print its usage, too.
extension ParsableCommand {
    /// Finds a mistyped command, which the parser would take for an argument of the command before it.
    /// - Returns: what is wrong; nil if all words that should be commands are.
    package static func unknownCommand(in words: [String]) -> String? {
        let isHelp = words.first == "help"
        if words == ["help", "help"] { return nil }
        var (path, command): ([String], any ParsableCommand.Type) = ([], Self.self)
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
                return "there is no command \(full); see \(_commandName) \(parent)"
            }
            let meant = (path.dropLast() + [suggestion]).joined(separator: " ")
            return "there is no command \(full); did you mean \(meant)?"
        }
        return nil
    }

    /// The parser takes an unknown option with a value for two unexpected arguments, and checks the other options
    /// first.
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
        var command: any ParsableCommand.Type = Self.self
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
    package static func mistake(_ message: String, in words: [String]) -> String {
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
        let path = [_commandName] + commands(in: words).path
        text = text.prefix(1).lowercased() + text.dropFirst()
        return text.hasSuffix("?") ? text : "\(text); see \(path.joined(separator: " ")) --help"
    }
}

/// Why a command failed, for ``ArgumentParser/ParsableCommand/end(_:with:line:)``.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String
    /// The exit status, one of sysexits(3).
    package let status: Int32

    package init(_ description: String, _ status: Int32) {
        self.description = description
        self.status = status
    }
}

/// The words of the command line, which Swift reads from /proc.
package enum CommandWords {
    /// - Returns: the words after the program's name; nil if Swift has read not even that: every command would look
    ///   like none, which prints help.
    package static func words(_ arguments: [String]) -> [String]? {
        arguments.isEmpty ? nil : Array(arguments.dropFirst())
    }

    package static let missing = "there is no /proc, which has the command line: mount -t proc proc /proc"
}

extension ParsableCommand {
    /// The command of the command line. After a mistake in it, and after help, the program ends.
    /// - Parameter program: its name, for the log.
    package static func parseOrEnd(_ program: String) -> any ParsableCommand {
        guard let words = CommandWords.words(CommandLine.arguments) else {
            end(program, reporting: CommandWords.missing, EX_OSERR)
        }
        if let message = unknownCommand(in: words) { end(program, reporting: message, EX_USAGE) }
        do { return try parseAsRoot(words) } catch { end(program, with: error) { mistake($0, in: words) } }
    }

    /// Ends the program with the error of a command, in one line.
    package static func end(_ program: String, with error: any Error, line: (String) -> String = { $0 }) -> Never {
        if let failure = error as? CommandFailure { end(program, reporting: failure.description, failure.status) }
        let status = exitCode(for: error)
        // Help and version are errors of the parser. A command that failed has reported why.
        if status.isSuccess || error is ExitCode { exit(withError: error) }
        end(program, reporting: line(message(for: error)), status.rawValue)
    }

    private static func end(_ program: String, reporting message: String, _ status: Int32) -> Never {
        Log(identifier: program).error(message)
        Glibc.exit(status)
    }
}
