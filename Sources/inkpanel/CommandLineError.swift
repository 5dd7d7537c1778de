// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc
import Linux

extension Inkpanel {
    /// Parses the command line and runs its command. What is wrong with the command line is told in one line, as every
    /// other error is; the parser's own report has three and a usage that fills the screen.
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
            // Help, version and completion scripts come as errors too, and a command that has failed has said why.
            if status.isSuccess || error is ExitCode { exit(withError: error) }
            Log().error(mistake(message(for: error), in: words))
            Glibc.exit(status.rawValue)
        }
    }

    /// The parser takes a mistyped command for an argument of the command before it, and complains of the first option
    /// after it; `help` shows the help of what it knows.
    /// - Returns: nil when all words that should be commands are.
    static func unknownCommand(in words: [String]) -> CommandError? {
        let isHelp = words.first == "help"
        var (path, command): ([String], any ParsableCommand.Type) = ([], Inkpanel.self)
        for word in words.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            // What follows are options and arguments of the command.
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
                return .wrongUsage("there is no command \(full); inkpanel \(parent) says what there is")
            }
            let meant = (path.dropLast() + [suggestion]).joined(separator: " ")
            return .wrongUsage("there is no command \(full); did you mean \(meant)?")
        }
        return nil
    }

    /// One line of the parser's message, and where to read more.
    static func mistake(_ message: String, in words: [String]) -> String {
        // Words that are to be chosen from are a list, a line each.
        let lines = message.split(separator: "\n")
        let list = lines.dropFirst().map { $0.drop { $0 == " " || $0 == "-" } }
        var text = (lines.prefix(1) + list).joined(separator: ", ")
        for (theirs, ours) in [
            (". Please provide one of the following:, ", "; expected one of "),
            (". Please provide one of ", "; expected "), (". Did you mean ", "; did you mean "),
        ] {
            text = text.replacing(theirs, with: ours)
        }
        if text.hasSuffix(".") { text.removeLast() }
        var command: any ParsableCommand.Type = Inkpanel.self
        var path = ["inkpanel"]
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
            path.append(word)
        }
        text = text.prefix(1).lowercased() + text.dropFirst()
        return text.hasSuffix("?") ? text : "\(text); see \(path.joined(separator: " ")) --help"
    }
}
