// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Linux

/// Which file says what is not said on the command line.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration's file (default: \(Configuration.defaultPath), if it is there).", valueName: "file"))
    var path: String?

    /// What the file is, whether it was named or not.
    var effectivePath: String { path ?? Configuration.defaultPath }

    /// Without the file that nobody named, the defaults hold.
    func read() throws(ConfigurationError) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration(path: path ?? Configuration.defaultPath)
        } catch {
            if path == nil, case .cannotRead(_, .noSuchFile) = error { return Configuration() }
            throw error
        }
    }
}

/// The same for commands that are about the file, which take it without `--config`, too.
struct ConfigurationArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The file, instead of with --config.", valueName: "file"))
    var file: String?

    @OptionGroup var option: ConfigurationOption

    func validate() throws {
        if file != nil, option.path != nil { throw ValidationError("the file is named twice; leave --config out") }
    }

    var named: ConfigurationOption {
        var named = option
        named.path = file ?? option.path
        return named
    }
}
