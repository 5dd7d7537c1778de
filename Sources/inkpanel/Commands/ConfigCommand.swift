// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Glibc
import Linux

/// `inkpanel config`: what the configuration's file says.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the configuration, or show it.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}

/// `inkpanel config check`: all that is wrong with a file.
struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say what is wrong with the configuration, or that nothing is.",
        discussion: """
            Each problem is a line FILE:LINE: REASON on standard error, and the exit status is \(EX_CONFIG) then. What \
            the file names is looked at, too: messages and picture are read; a group, a socket's directory and the \
            records' must be there, unless they are the defaults, which the package makes.
            """)

    @OptionGroup var argument: ConfigurationArgument

    func run() throws {
        try reportingErrors {
            let option = argument.named
            let file: ConfigurationFile
            do throws(ConfigurationError) {
                file = try ConfigurationFile(path: option.effectivePath)
            } catch {
                guard option.path == nil, case .cannotRead(_, .noSuchFile) = error else { throw error }
                return try OutputFile.print("\(option.effectivePath) is not there: the defaults hold\n")
            }
            let problems = ConfigurationCheck.problems(of: file)
            if !problems.isEmpty { throw ConfigurationError.wrong(path: file.path, problems) }
            try OutputFile.print("\(file.path): nothing is wrong\n")
        }
    }
}

/// `inkpanel config show`: what holds.
struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print all keys with the values that hold, the defaults included, as TOML.")

    @OptionGroup var argument: ConfigurationArgument

    func run() throws {
        try reportingErrors {
            try OutputFile.print(try argument.named.read().text)
        }
    }
}
