// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Glibc
import HostAPI
import Linux
import Record

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the panel: page, devices, store.",
        discussion: """
            With --check, the panel and the programs beside it are checked, as root all of them: screen, touch, store, \
            clock, delivery, webhooks, connection to the broker, certificates, configuration, versions, backups. Each \
            has a line: ok, wrong with what to do, unknown, or - for what the panel does not have. The exit status is \
            1 if anything is wrong.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Check everything; a line for each matter.")
    var check = false

    // The root of a copy of this machine's files.
    @Option(help: .hidden)
    var root = ""

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var control: ControlOptions

    func validate() throws {
        if json, check { throw ValidationError("--json or --check, not both") }
        if file.path != nil, !check { throw ValidationError("--config is for --check") }
    }

    func run() throws {
        try reportingErrors {
            if check { return try checkAll() }
            var client = try control.connect()
            let status = try client.status()
            if json { return try OutputFile.print(JSONText.encode(status)) }
            // The state counts, also of a panel that does not say what it can do.
            let documents = try? client.abilities().documents
            try OutputFile.print(Self.text(status, documents))
        }
    }

    private func checkAll() throws {
        var check = StatusCheck(StatusFiles(root: root))
        var running: String?
        do throws(PanelClientError) {
            var client = try control.connect()
            let status = try client.status()
            running = status.configuration
            check.checkPanel(status, try client.health())
        } catch {
            check.checkWithoutPanel(error)
        }
        let settings = check.checkConfiguration(file, running: running)
        check.checkWebhooks()
        check.checkFleet(settings)
        check.checkGateway()
        check.checkBackup()
        try OutputFile.print(check.lines.map { $0.description + "\n" }.joined())
        if !check.isWell { throw ExitCode(EXIT_FAILURE) }
    }

    static func text(
        _ status: PanelStatus, _ documents: PanelAbilities.Documents?, clock: WallClock.Reading = WallClock.read()
    ) -> String {
        let (screen, store) = (status.screen, status.store)
        var lines = ["program  \(status.program)", "page     \(status.page)"]
        if let configuration = status.configuration { lines.append("config   \(configuration)") }
        if let running = status.running { lines.append("capture  \(running.id), \(running.strokes) strokes") }
        if status.waiting > 0 { lines.append("waiting  \(status.waiting) captures") }
        lines += status.touchDevices.isEmpty ? ["touch    none"] : status.touchDevices.map { "touch    \($0)" }
        lines += [
            screen.fault.map { "screen   none: \($0)" } ?? "screen   \(screen.name), \(screen.size)",
            "store    \(store.path): \(store.captures) captures, \(store.freeBytes >> 20) MiB free",
        ]
        if let fault = store.fault { lines.append("fault    \(fault)") }
        if let seals = store.seals {
            if let key = seals.key { lines.append("key      \(key)") }
            if let head = seals.head { lines.append("seal     \(head.n), \(head.digest)") }
            lines += seals.faults.map { "fault    \($0)" }
        }
        if let delivery = store.delivery {
            lines.append("outbox   \(delivery.waiting) files")
            if let fault = delivery.fault { lines.append("fault    \(fault)") }
        }
        let health = PanelHealth.Clock(synchronized: clock.isSynchronized, maximumError: clock.maximumError)
        lines.append("clock    \(health.text)")
        lines += (store.recipients ?? []).map { "readers  \($0)" }
        // Many panels have no need of documents, and lack the package.
        if let documents, documents.ready, let warning = documents.warning { lines.append("warning  \(warning)") }
        return lines.joined(separator: "\n") + "\n"
    }
}

struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Print figures of the panel for a monitoring system.",
        discussion: """
            In the text format of Prometheus. A panel that does not answer gives inkpanel_up 0, and the exit status is \
            0 nevertheless: the figures are right. docs/operate.md has alarms for them.
            """)

    @Flag(help: "Print JSON; then a panel that does not answer is an error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "File to write, such as inkpanel.prom in the directory of node_exporter's textfile collector.",
            valueName: "file"))
    var output: String?

    // The root of a copy of this machine's files.
    @Option(help: .hidden)
    var root = ""

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            var health: PanelHealth?
            do throws(PanelClientError) {
                var client = try control.connect()
                health = try client.health()
            } catch {
                if json { throw error }
                Log().warning("\(error)")
            }
            let others = StatusFiles(root: root).metrics(now: WallClock.microseconds / 1_000_000)
            let text = json ? try JSONText.encode(health) : PanelHealth.metrics(health) + others
            guard let output else { return try OutputFile.print(text) }
            // The collector is another user.
            try OutputFile.write(Array(text.utf8), to: output, option: "--output", permissions: 0o644)
        }
    }
}

/// `inkpanel screenshot`: the picture on the screen of a running panel.
struct ScreenshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screenshot", abstract: "Write the picture on the panel's screen to a file.",
        discussion: """
            The picture shows the page with all ink, also that of a person who is signing: treat it like a record.
            """)

    @Argument(help: ArgumentHelp("PNG file; - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup var control: ControlOptions

    func validate() throws { try OutputFile.checkSuffix(of: output, among: ["png"], option: nil, hasFormat: false) }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output, option: nil)
            var client = try control.connect()
            try OutputFile.write(try client.screenshot(), to: output, option: nil)
        }
    }
}
