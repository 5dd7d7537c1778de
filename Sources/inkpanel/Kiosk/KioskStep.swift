// SPDX-License-Identifier: Apache-2.0

/// A part of a kiosk's set-up: what it is for, and the files that it needs.
struct KioskStep: Sendable {
    enum State: Equatable {
        /// Nothing is left to do if this is empty.
        case changes([SystemChange])
        /// The system has nothing to set up here.
        case notNeeded(String)
        /// Somebody must do something first.
        case blocked(String)
    }

    let title: String
    let state: @Sendable (InstalledSystem) throws(CommandError) -> State

    /// A file of its own.
    static func file(_ title: String, _ path: String, _ text: String) -> KioskStep {
        KioskStep(title: title) { system throws(CommandError) in
            .changes(try system.text(path) == text ? [] : [.write(path, text: text)])
        }
    }

    /// Keeps a unit of systemd from ever starting, as `systemctl mask` does.
    static func mask(_ title: String, _ unit: String) -> KioskStep {
        KioskStep(title: title) { system in
            let path = "/etc/systemd/system/\(unit)"
            if system.link(path) == "/dev/null" { return .changes([]) }
            if system.exists(path) { return .blocked("\(path) is a file of yours: remove it first") }
            return .changes([.link(path, to: "/dev/null")])
        }
    }
}

extension KioskStep {
    /// - Parameters:
    ///   - keepsLogin: whether terminals other than the panel's keep their logins.
    ///   - data: the file system for the records, as fstab(5) names it; nil leaves fstab as it is.
    static func all(keepsLogin: Bool, data: String?) -> [KioskStep] {
        var steps = [kernelWords, splash, plymouth, mask("no login on the panel's terminal", "getty@tty1.service")]
        if !keepsLogin { steps.append(noLogin) }
        steps += [
            mask("no restart by Ctrl-Alt-Del", "ctrl-alt-del.target"),
            file("no SysRq keys", "/etc/sysctl.d/60-inkpanel.conf", "kernel.sysrq = 0\n"),
            // A Raspberry Pi accepts at most 15 seconds.
            file(
                "hardware watchdog", "/etc/systemd/system.conf.d/inkpanel.conf",
                "[Manager]\nRuntimeWatchdogSec=14\n"),
            time,
        ]
        if let data { steps.append(records(on: data)) }
        return steps
    }

    // MARK: boot

    private static let cmdline = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"]
    private static let grubFile = "/etc/default/grub.d/inkpanel.cfg"

    /// The files of a Raspberry Pi's firmware; nil on other machines.
    private static func firmware(_ system: InstalledSystem) -> String? { cmdline.first(where: system.exists) }

    private static let kernelWords = KioskStep(title: "silent boot") { system throws(CommandError) in
        if let path = firmware(system), let line = try system.text(path) {
            let silent = KernelWords.adding(to: line)
            let words = { (text: String) in text.split(whereSeparator: \.isWhitespace) }
            return .changes(words(line) == words(silent) ? [] : [.write(path, text: silent)])
        }
        guard system.exists("/etc/default/grub") else {
            return .blocked("add these words to the kernel's command line: \(KernelWords.all.joined(separator: " "))")
        }
        let isThere = try system.text(grubFile) == KernelWords.grub
        return .changes(isThere ? [] : [.write(grubFile, text: KernelWords.grub)])
    }

    /// The firmware's rainbow square.
    private static let splash = KioskStep(title: "no picture of the firmware") { system throws(CommandError) in
        guard let path = firmware(system)?.replacing("cmdline.txt", with: "config.txt"),
            let text = try system.text(path)
        else { return .notNeeded("only a Raspberry Pi has one") }
        let line = "disable_splash=1"
        let isThere = text.split(whereSeparator: \.isNewline).contains { $0.filter { $0 != " " } == line[...] }
        var addition = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        // A line belongs to the last section.
        let section = text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("[") } ?? "[all]"
        if section != "[all]" { addition += "[all]\n" }
        return .changes(isThere ? [] : [.write(path, text: text + addition + line + "\n")])
    }

    private static let plymouth = KioskStep(title: "boot splash until the first page") { system throws(CommandError) in
        let path = "/etc/systemd/system/plymouth-quit.service.d/inkpanel.conf"
        let text = "[Service]\nExecStart=\nExecStart=-/usr/bin/plymouth quit --retain-splash\n"
        guard system.exists("/usr/bin/plymouth") || system.exists("/bin/plymouth") else {
            return .notNeeded("plymouth is not installed")
        }
        return .changes(try system.text(path) == text ? [] : [.write(path, text: text)])
    }

    // MARK: login

    private static let noLogin = KioskStep(title: "no login on other terminals") { system throws(CommandError) in
        let path = "/etc/systemd/logind.conf.d/inkpanel.conf"
        let text = "[Login]\nNAutoVTs=0\nReserveVT=0\n"
        if try system.text(path) == text { return .changes([]) }
        if !hasAnotherLogin(system) {
            return .blocked(
                "nobody could log in any more: install openssh-server or enable a serial console first, "
                    + "or use --keep-login")
        }
        return .changes([.write(path, text: text)])
    }

    private static func hasAnotherLogin(_ system: InstalledSystem) -> Bool {
        let units =
            system.names(in: "/etc/systemd/system/multi-user.target.wants")
            + system.names(in: "/etc/systemd/system/sockets.target.wants")
            + system.names(in: "/etc/systemd/system/getty.target.wants")
        return units.contains { unit in
            ["ssh.service", "sshd.service", "ssh.socket", "dropbear.service"].contains(unit)
                || unit.hasPrefix("serial-getty@")
        }
    }

    // MARK: time, records

    private static let time = KioskStep(title: "time service") { system in
        let services = ["systemd-timesyncd", "chrony", "chronyd", "ntpsec", "ntp", "openntpd"]
        let folder = "/etc/systemd/system/"
        let wants = ["sysinit.target.wants", "multi-user.target.wants"]
        for service in services where wants.contains(where: { system.exists("\(folder)\($0)/\(service).service") }) {
            return .notNeeded("\(service) is enabled")
        }
        let unit = "/usr/lib/systemd/system/systemd-timesyncd.service"
        guard system.exists(unit) || system.exists("/lib/systemd/system/systemd-timesyncd.service") else {
            return .blocked("install systemd-timesyncd, or chrony")
        }
        // The links that systemctl enable makes.
        return .changes(
            ["dbus-org.freedesktop.timesync1.service", "sysinit.target.wants/systemd-timesyncd.service"]
                .map { folder + $0 }.filter { !system.exists($0) }.map { .link($0, to: unit) })
    }

    /// `nofail`: without the file system the panel starts, and says that it cannot write.
    private static func records(on data: String) -> KioskStep {
        KioskStep(title: "records on \(data)") { system throws(CommandError) in
            let (path, folder) = ("/etc/fstab", "/var/lib/inkpanel")
            let table = try system.text(path) ?? ""
            for line in table.split(whereSeparator: \.isNewline) {
                let fields = line.split(whereSeparator: \.isWhitespace)
                if fields.count < 2 || fields[0].hasPrefix("#") || fields[1] != folder { continue }
                return fields[0] == data
                    ? .changes([]) : .blocked("\(path) has \(fields[0]) for \(folder): change it by hand")
            }
            let hidden = system.names(in: folder).filter { $0 != "lost+found" }
            if !hidden.isEmpty, !system.isMounted(folder) {
                return .blocked(
                    "\(folder) has records, which the new file system would hide: stop the panel, move them onto it, "
                        + "then do this again")
            }
            let end = table.isEmpty || table.hasSuffix("\n") ? "" : "\n"
            let line = "\(data)  \(folder)  ext4  noatime,nodev,nosuid,noexec,nofail  0  2\n"
            return .changes([.write(path, text: table + end + line)])
        }
    }
}
