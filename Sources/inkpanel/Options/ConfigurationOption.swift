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
