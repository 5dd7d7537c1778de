// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Evidence
import Glibc
import HostAPI
import Linux
import Pad
import Panel

/// Reads the configuration again for a panel that runs. For the main thread.
final class SettingsReload {
    private let read: () throws -> RunSettings
    private let log: Log
    /// The settings that the panel runs with.
    private var running: Configuration
    /// Those of the files among them, without options. Their digest shows whether the files have changed since.
    private var file: Configuration
    /// The text of `--notice` that the idle page has.
    private var notice: String?

    /// - Parameter read: reads the files, with the options of the command line.
    init(_ settings: RunSettings, log: Log, read: @escaping () throws -> RunSettings) {
        (running, file, self.log, self.read) = (settings.configuration, settings.file, log, read)
        notice = settings.notice
    }

    /// The settings that change at once; nothing changes if the files have errors.
    func next() -> Result<PanelUpdate, PanelError> {
        let next: RunSettings
        var idle: [Page]?
        do {
            next = try read()
            if next.notice != notice { idle = next.idlePages(try PadContent(running.pad)) }
        } catch {
            let lines = CommandError(error).lines
            for line in lines { log.error("reload: \(line)") }
            log.error("reload: nothing was changed")
            return .failure(.unavailable(reason: "nothing was changed: " + lines.joined(separator: "; ")))
        }
        notice = next.notice
        let changes = running.changes(to: next.configuration)
        running = running.reloaded(from: next.configuration)
        // A setting that an option overrides needs no restart.
        let isWhole = changes.allSatisfy { $0.needsRestart == nil }
        file = isWhole ? next.file : file.reloaded(from: next.file)
        let reply = ReloadReply(
            applied: changes.filter { $0.needsRestart == nil }.map(\.key) + (idle == nil ? [] : ["--notice"]),
            restart: changes.compactMap { change in change.needsRestart.map { "\(change.key): \($0)" } })
        for key in reply.applied { log.notice("reload: \(key) is applied") }
        for key in reply.restart { log.warning("reload: a setting needs a restart: \(key)") }
        if changes.isEmpty, idle == nil { log.notice("reload: nothing differs") }
        var update = PanelUpdate(
            pad: PadRevision(
                policy: running.capture, flow: running.flowLimit, slide: running.pad.slideTime,
                showsClock: running.pad.clock, allowsPairing: running.control.pairing,
                configuration: SHA256Digest(of: Array(file.panelText.utf8)).description, idle: idle),
            retention: running.record.retention)
        update.reply = reply
        return .success(update)
    }
}

struct ConfigReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the running panel read the configuration again.",
        discussion: """
            Checks the files first; if they have errors, the exit status is \(EX_CONFIG), and nothing changes. The \
            settings of [capture], and some others, are applied: at once, or when the page of a capture has gone. The \
            output names them, and those that need a restart, with the service.
            """)

    @OptionGroup var argument: ConfigurationArgument
    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            let option = argument.named
            do throws(ConfigurationError) {
                let problems = ConfigurationCheck.problems(of: try ConfigurationFiles(path: option.effectivePath))
                if !problems.isEmpty { throw ConfigurationError.wrong(problems) }
            } catch {
                guard option.path == nil, case .cannotRead(_, .noSuchFile) = error else { throw error }
            }
            var client = try control.connect()
            let reply = try client.reload()
            let lines =
                reply.applied.map { "applied  \($0)\n" }
                + reply.restart.map { text in
                    let service = text.split(separator: " ").last ?? "inkpanel"
                    return "restart  \(text): systemctl restart \(service)\n"
                }
            try OutputFile.print(lines.isEmpty ? "nothing differs\n" : lines.joined())
        }
    }
}
