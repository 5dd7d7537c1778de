// SPDX-License-Identifier: Apache-2.0
import Configuration
import Evidence
import Geometry
import Glibc
import HostAPI
import Linux

/// `inkpanel status --check`: whether all is well with the panel and the programs beside it, a line for each matter,
/// which says what to do.
struct StatusCheck {
    enum Verdict: String {
        case ok, wrong
        /// It cannot be known, such as without rights.
        case unknown
        /// The panel has no such thing.
        case off = "-"
    }

    struct Line: Equatable {
        var verdict: Verdict
        var name: String
        var text: String

        var description: String {
            func padded(_ text: String, _ count: Int) -> String {
                text + String(repeating: " ", count: max(0, count - text.count))
            }
            return "\(padded(verdict.rawValue, 7)) \(padded(name, 13)) \(text.printable)"
        }
    }

    // The alarms have the same limits (deploy/prometheus).
    private static let (freeBytes, certificateDays, undelivered) = (64 << 20, Int64(14), Int64(86400))
    private static let (clockError, backupAge) = (Int64(1_000_000), Int64(3 * 86400))
    private static let day: Int64 = 86400

    let files: StatusFiles
    /// Seconds since 1970-01-01 UTC.
    let now: Int64
    private(set) var lines: [Line] = []

    init(_ files: StatusFiles, now: Int64 = WallClock.microseconds / 1_000_000) {
        (self.files, self.now) = (files, now)
    }

    var isWell: Bool { !lines.contains { $0.verdict == .wrong } }

    mutating func add(_ verdict: Verdict, _ name: String, _ text: String) {
        lines.append(Line(verdict: verdict, name: name, text: text))
    }

    // MARK: the panel

    mutating func checkPanel(_ status: PanelStatus, _ health: PanelHealth) {
        if status.page == .starting {
            add(.wrong, "panel", "it is starting: ask again in a few seconds")
        } else {
            add(.ok, "panel", "\(status.program), page \(status.page)")
        }
        if let fault = status.screen.fault {
            add(.wrong, "screen", "\(fault): inkpanel devices")
        } else if health.display.pictureFits == false {
            add(.wrong, "screen", "it does not show the panel's page: inkpanel screenshot; systemctl restart inkpanel")
        } else {
            add(.ok, "screen", status.screen.name)
        }
        if status.touchDevices.isEmpty {
            add(.wrong, "touch", "there is no touch device: inkpanel devices")
        } else {
            add(.ok, "touch", status.touchDevices.joined(separator: ", "))
        }
        checkStore(status.store)
        checkClock(health.clock)
        checkDelivery(status.store.delivery)
        checkVersion("panel", status.program, restart: "systemctl restart inkpanel")
    }

    /// Notes that the panel does not answer. The rest can still be known.
    mutating func checkWithoutPanel(_ error: PanelClientError) {
        add(.wrong, "panel", "\(error)")
        let clock = WallClock.read()
        checkClock(PanelHealth.Clock(synchronized: clock.isSynchronized, maximumError: clock.maximumError))
    }

    private mutating func checkStore(_ store: PanelStatus.Store) {
        let faults = [store.fault].compactMap(\.self) + (store.seals?.faults ?? [])
        for fault in faults {
            // The other faults say themselves what to do.
            let isOfMedium = fault.hasPrefix("cannot ") && fault == store.fault
            add(.wrong, "store", fault + (isOfMedium ? ": is it mounted, writable, and owned by inkpanel?" : ""))
        }
        let free = "\(store.freeBytes >> 20) MiB free"
        if store.fault == nil, store.freeBytes < Self.freeBytes {
            add(.wrong, "store", "\(free): set maximum-count or maximum-age-days in [record], or take a larger medium")
        } else if faults.isEmpty {
            add(.ok, "store", "\(store.path): \(store.captures) captures, \(free)")
        }
    }

    private mutating func checkClock(_ clock: PanelHealth.Clock) {
        let isRight = clock.synchronized && clock.maximumError <= Self.clockError
        let remedy = isRight ? "" : ": timedatectl timesync-status, or chronyc tracking"
        add(isRight ? .ok : .wrong, "clock", clock.text + remedy)
    }

    private mutating func checkDelivery(_ delivery: PanelStatus.Delivery?) {
        guard let delivery else { return add(.off, "delivery", "records are not delivered") }
        let last = files.delivery()
        var texts = ["\(delivery.waiting) files wait"]
        if let oldest = delivery.oldest { texts.append("the oldest since \(Self.time(oldest / 1_000_000))") }
        texts.append(last.delivered.map { "last success \(Self.time($0))" } ?? "no success since the last boot")
        let hasFailed = last.failed.map { $0 > last.delivered ?? 0 } == true
        if let failed = last.failed, hasFailed {
            texts.append("last failure \(Self.time(failed))" + (files.lastDeliveryError().map { ": \($0)" } ?? ""))
        }
        let isLate = delivery.oldest.map { now - $0 / 1_000_000 > Self.undelivered } == true
        let isWrong = delivery.fault != nil || isLate || hasFailed && delivery.waiting > 0
        if let fault = delivery.fault { texts.append(fault) }
        let remedy = isWrong ? "; journalctl -u inkpanel-deliver; systemctl start inkpanel-deliver" : ""
        add(isWrong ? .wrong : .ok, "delivery", texts.joined(separator: ", ") + remedy)
    }

    private mutating func checkVersion(_ name: String, _ running: String?, restart: String) {
        guard let running else { return }
        if running.split(separator: " ").last.map(String.init) == Inkpanel.version {
            add(.ok, "version", "\(name): \(running)")
        } else {
            add(.wrong, "version", "\(name): \(running) runs, and \(Inkpanel.version) is installed: \(restart)")
        }
    }

    // MARK: the configuration

    /// - Parameter running: the digest of the settings that the panel runs with; nil if it is not known.
    mutating func checkConfiguration(_ option: ConfigurationOption, running: String?) -> Configuration {
        var problems: [String] = []
        var settings = Configuration()
        do throws(ConfigurationError) {
            let files = try ConfigurationFiles(path: option.effectivePath)
            settings = files.configuration
            let wrong = ConfigurationCheck.problems(of: files)
            if !wrong.isEmpty { problems = ConfigurationError.wrong(wrong).lines }
        } catch {
            if option.path != nil || error != .cannotRead(path: option.effectivePath, .noSuchFile) {
                problems = error.lines
            }
        }
        for problem in problems { add(.wrong, "configuration", problem) }
        if !problems.isEmpty { return settings }
        let digest = SHA256Digest(of: Array(settings.panelText.utf8)).description
        guard let running, running != digest else {
            add(running == nil ? .unknown : .ok, "configuration", option.effectivePath)
            return settings
        }
        add(
            .wrong, "configuration",
            "the panel runs with other settings than those of \(option.effectivePath): inkpanel config reload")
        return settings
    }

    // MARK: programs beside the panel

    mutating func checkWebhooks() {
        switch files.webhooks() {
        case .missing:
            if files.exists("/etc/inkpanel/webhooks.toml") {
                add(.wrong, "webhooks", "they do not run: systemctl status inkpanel-webhooks")
            } else {
                add(.off, "webhooks", "there are none")
            }
        case .unreadable(let reason): add(.unknown, "webhooks", reason)
        case .value(let status):
            if let fault = status.fault { add(.wrong, "webhooks", "\(fault): journalctl -u inkpanel-webhooks") }
            for webhook in status.webhooks {
                let last = webhook.deliveredAt.map { "last success \(Self.time($0 / 1_000_000))" } ?? "no success yet"
                let text = "\(webhook.name): \(webhook.waiting) wait, \(last)"
                if webhook.disabled {
                    let remedy = "inkpanel-gateway webhooks enable \(webhook.name)"
                    add(.wrong, "webhooks", "\(text); its receiver wants no more messages: \(remedy)")
                } else if let fault = webhook.fault {
                    add(.wrong, "webhooks", "\(text); \(fault): inkpanel-gateway webhooks list")
                } else {
                    add(.ok, "webhooks", text)
                }
            }
            checkVersion("webhooks", status.program, restart: "systemctl restart inkpanel-webhooks")
        }
    }

    mutating func checkFleet(_ settings: Configuration) {
        switch files.fleet() {
        case .missing:
            if let broker = settings.fleet.broker {
                add(.wrong, "fleet", "\(broker.text): inkpanel-fleet does not run: systemctl status inkpanel-fleet")
            } else {
                add(.off, "fleet", "there is no broker")
            }
        case .unreadable(let reason): add(.unknown, "fleet", reason)
        case .value(let state):
            if let since = state.connectedSince {
                let fault = state.fault.map { "; \($0)" } ?? ""
                let text = "\(state.broker): connected since \(Self.time(since / 1_000_000))\(fault)"
                add(state.fault == nil ? .ok : .wrong, "fleet", text)
            } else {
                add(.wrong, "fleet", "\(state.broker): \(state.fault ?? "not connected"): inkpanel-fleet status")
            }
            checkEnd(
                "of this panel for the broker", state.certificateEnds, remedy: "inkpanel-fleet-certificate renew")
            if let end = state.brokerCertificateEnds {
                checkEnd(
                    "of the broker", end, remedy: "its administrator makes another: inkpanel-fleet-certificate broker")
            }
            checkVersion("fleet", state.program, restart: "systemctl restart inkpanel-fleet")
        }
    }

    mutating func checkGateway() {
        switch files.gatewayCertificate() {
        case .missing: add(.off, "certificate", "of the gateway: there is none")
        case .unreadable(let reason): add(.unknown, "certificate", "of the gateway: \(reason)")
        case .value(let times):
            let isGiven = files.exists("/etc/inkpanel/tls/certificate.pem")
            checkEnd(
                "of the gateway", times.ends,
                remedy: (isGiven ? "put another one into /etc/inkpanel/tls, then " : "")
                    + "systemctl start inkpanel-web-renew")
        }
    }

    private mutating func checkEnd(_ whose: String, _ end: Int64, remedy: String) {
        let days = (end - now) / Self.day
        if end <= now {
            add(.wrong, "certificate", "\(whose): it has ended on \(Self.time(end)): \(remedy)")
        } else if days < Self.certificateDays {
            add(.wrong, "certificate", "\(whose): \(days) days left, until \(Self.time(end)): \(remedy)")
        } else {
            add(.ok, "certificate", "\(whose): \(days) days left")
        }
    }

    mutating func checkBackup() {
        switch files.backup() {
        case .missing: add(.off, "backup", "none was made")
        case .unreadable(let reason): add(.unknown, "backup", reason)
        case .value(let backup):
            let time = Self.time(backup.at)
            let text = backup.isDone ? "the last one is of \(time)" : "all have failed since \(time)"
            let isWrong = !backup.isDone || now - backup.at > Self.backupAge
            add(isWrong ? .wrong : .ok, "backup", text + (isWrong ? ": journalctl -u inkpanel-backup" : ""))
        }
    }

    /// Date and time of this machine, such as 2026-11-28 21:05.
    static func time(_ seconds: Int64) -> String {
        let time = LocalTime(microseconds: seconds.multipliedReportingOverflow(by: 1_000_000).partialValue)
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "\(time.year)-\(two(time.month))-\(two(time.day)) \(two(time.hour)):\(two(time.minute))"
    }
}

extension StatusFiles {
    /// The last error in rclone's log; nil without an error, or if this user may not read the journal.
    func lastDeliveryError() -> String? {
        guard root.isEmpty else { return nil }
        let journal = FilterProgram(
            path: "/usr/bin/journalctl",
            arguments: [
                "--quiet", "--no-pager", "--output=cat", "--lines=200", "--unit=inkpanel-deliver.service",
                "--identifier=rclone",
            ])
        let deadline = MonotonicClock.nanoseconds + 5_000_000_000
        guard let output = try? journal.run(input: [], mostOutput: 1 << 20, deadline: deadline) else { return nil }
        return Self.lastError(in: String(decoding: output, as: UTF8.self))
    }

    /// - Parameter log: lines such as `2026/11/28 21:05:45 ERROR : NAME: Failed to copy: AccessDenied`.
    static func lastError(in log: String) -> String? {
        let line = log.split(separator: "\n").last { line in
            ["ERROR", "CRITICAL", "Fatal"].contains { line.contains($0 as Substring) }
        }
        return line.map { String($0.prefix(300)) }
    }
}

extension PanelHealth.Clock {
    /// The state of the clock, for people.
    var text: String {
        synchronized
            ? "synchronized, within \((maximumError + 999) / 1000) ms"
            : "not synchronized: dates of records may be wrong"
    }
}
