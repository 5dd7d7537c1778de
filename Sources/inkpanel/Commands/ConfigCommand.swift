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
            Each problem is a line FILE:LINE: REASON on standard error, and the exit status is \(EX_CONFIG) then. The \
            files that the configuration names for the pad, messages and a picture, are read, too.
            """)

    @Argument(
        help: ArgumentHelp("The file (default: \(Configuration.defaultPath), if it is there).", valueName: "file"))
    var file: String?

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            var option = ConfigurationOption()
            option.path = file
            let configuration = try option.read()
            _ = try PadContent(configuration.pad)
            let path = file ?? Configuration.defaultPath
            let isThere = access(path, F_OK) == 0
            print(isThere ? "\(path): nothing is wrong" : "\(path) is not there: the defaults hold")
        }
    }
}

/// `inkpanel config show`: what holds.
struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print all keys with the values that hold, the defaults included, as TOML.")

    @OptionGroup var file: ConfigurationOption

    func run() throws {
        try reportingErrors {
            try OutputFile.print(try file.read().text)
        }
    }
}
