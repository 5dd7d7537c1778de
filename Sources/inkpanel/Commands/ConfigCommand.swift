// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Glibc
import Linux
import Pad
import Pages
import Touch

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check or show the configuration, or make the panel read it again.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigReloadCommand.self])
}

struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration for errors.",
        discussion: """
            Errors are lines FILE:LINE: REASON on standard error, and the exit status is \(EX_CONFIG). Files, groups, \
            users and directories that the configuration names must exist, except the defaults, which the package \
            creates. Drop-ins, FILE.d/*.toml, are read after the file, in the order of their names, and set settings \
            anew; if there are any, the output names each setting that is set, and where.
            """)

    @OptionGroup var argument: ConfigurationArgument

    func run() throws {
        try reportingErrors {
            let option = argument.named
            let files: ConfigurationFiles
            do throws(ConfigurationError) {
                files = try ConfigurationFiles(path: option.effectivePath)
            } catch {
                guard option.path == nil, case .cannotRead(_, .noSuchFile) = error else { throw error }
                return try OutputFile.print("\(option.effectivePath) does not exist; defaults are used\n")
            }
            let problems = ConfigurationCheck.problems(of: files)
            if !problems.isEmpty { throw ConfigurationError.wrong(problems) }
            try OutputFile.print(Self.text(files))
        }
    }

    static func ignored(_ path: String) -> String {
        "\(path.printable) is not read: the names of drop-ins end in .toml"
    }

    private static func text(_ files: ConfigurationFiles) -> String {
        let paths =
            files.paths.map { "\($0): no errors\n" }.joined() + files.ignored.map { "\(Self.ignored($0))\n" }.joined()
        if !files.hasDropIns { return paths }
        return paths
            + files.settings.map { setting in
                let unused = setting.overridden.map(\.description).joined(separator: ", ")
                return "\(setting.place): \(setting.key)" + (unused.isEmpty ? "" : ", instead of \(unused)") + "\n"
            }.joined()
    }
}

struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print all settings with their values, including defaults, as TOML.")

    @OptionGroup var argument: ConfigurationArgument

    func run() throws {
        try reportingErrors {
            try OutputFile.print(try argument.named.read().text)
        }
    }
}

/// The configuration file of a command.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "Configuration file (default: \(Configuration.defaultPath), if it exists).", valueName: "file"))
    var path: String?

    var effectivePath: String { path ?? Configuration.defaultPath }

    /// Reads the file. Without `--config` it may always be missing.
    func read(mayBeMissing: Bool = false) throws(ConfigurationError) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration(path: effectivePath)
        } catch {
            if mayBeMissing || path == nil, case .cannotRead(_, .noSuchFile) = error { return Configuration() }
            throw error
        }
    }
}

/// The configuration file of commands that take it as an argument, too.
struct ConfigurationArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Configuration file, instead of --config.", valueName: "file"))
    var file: String?

    @OptionGroup var option: ConfigurationOption

    func validate() throws {
        if file != nil, option.path != nil { throw ValidationError("the file is named twice; omit --config") }
    }

    var named: ConfigurationOption {
        var named = option
        named.path = file ?? option.path
        return named
    }
}

/// Checks whether the files, groups and directories that a configuration names exist on this machine.
struct ConfigurationCheck {
    private let files: ConfigurationFiles
    private var problems: [ConfigurationProblem]

    /// All problems of the files, in their order.
    static func problems(of files: ConfigurationFiles) -> [ConfigurationProblem] {
        var check = ConfigurationCheck(files: files, problems: files.problems)
        check.pad()
        check.control()
        check.recordings()
        check.records()
        check.key()
        return files.inOrder(check.problems)
    }

    /// `run` exits on these.
    private mutating func pad() {
        let pad = files.configuration.pad
        do throws(CommandError) { _ = try PadContent.messages(pad) } catch { add("messages", "pad", error.message) }
        func check(_ path: String, _ key: String) {
            do throws(CommandError) { _ = try PadContent.picture(path) } catch { add(key, "pad", error.message) }
        }
        for path in pad.idlePictures { check(path, "idle-picture") }
        if let logo = pad.logo { check(logo, "logo") }
        if let accent = pad.accent {
            do throws(AccentError) { _ = try PageTheme(pad.theme).accented(accent) } catch {
                add("accent", "pad", error.description)
            }
        }
    }

    /// The package and the service create the default group and the directory of the default socket.
    private mutating func control() {
        let (control, usual) = (files.configuration.control, Configuration().control)
        if let group = control.group, group != usual.group {
            do throws(ControlSocketError) { _ = try ControlGroup(named: group) } catch {
                add("group", "control", error.description)
            }
        }
        for (key, user, usual) in [
            ("gateway", control.gateway, usual.gateway), ("fleet", control.fleet, usual.fleet),
            ("webhooks", control.webhooks, usual.webhooks),
        ] where user != usual {
            guard let user else { continue }
            do throws(ControlSocketError) { _ = try ControlUser(named: user) } catch {
                add(key, "control", error.description)
            }
        }
        if control.socket != usual.socket { checkParent(of: control.socket, "socket", "control") }
    }

    private mutating func recordings() {
        for choice in files.configuration.touch.devices.compactMap({ TouchChoice(argument: $0) }) {
            do { _ = try choice.recording() } catch { add("device", "touch", "\(error)") }
        }
    }

    /// The panel creates the directory if its parent exists.
    private mutating func records() {
        let directory = files.configuration.record.directory
        if directory != Configuration().record.directory { checkParent(of: directory, "directory", "record") }
    }

    /// Without it, no record is sealed. This user need not be able to read it.
    private mutating func key() {
        guard let key = files.configuration.evidence.key, (try? Directory.contains(key)) == false else { return }
        add("key", "evidence", "there is no file \(key): `inkpanel identity create` makes one")
    }

    private mutating func checkParent(of path: String, _ key: String, _ table: String) {
        let parts = path.split(separator: "/")
        let parent = "/" + parts.dropLast().joined(separator: "/")
        do throws(Errno) { _ = try Directory.open(parent) } catch {
            // The panel's user may have access to a directory that this user has not.
            if error == .noSuchFile || error == .notADirectory { add(key, table, "there is no directory \(parent)") }
        }
    }

    private mutating func add(_ key: String, _ table: String, _ reason: String) {
        problems.append(files.problem(.unusable(key: key, table: table, reason), at: [table, key]))
    }
}
