// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import inkpanel

@Suite("Setup of a kiosk")
struct KioskTests {
    private let directory: TemporaryDirectory
    private var system: InstalledSystem { InstalledSystem(root: directory.path) }

    /// What Raspberry Pi OS has in its boot folder.
    private static let cmdline =
        "console=serial0,115200 console=tty1 root=PARTUUID=fac0d4b8-02 rootfstype=ext4 fsck.repair=yes rootwait quiet "
        + "splash plymouth.ignore-serial-consoles\n"
    private static let silent =
        "console=serial0,115200 root=PARTUUID=fac0d4b8-02 rootfstype=ext4 fsck.repair=yes rootwait quiet splash "
        + "plymouth.ignore-serial-consoles loglevel=3 systemd.show_status=false vt.global_cursor_default=0 logo.nologo "
        + "consoleblank=0\n"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ text: String, to path: String) throws {
        try system.make(.write(path, text: text))
    }

    private func makeRaspberryPi(config: String = "dtparam=audio=on\n[cm4]\notg_mode=1\n") throws {
        try write(Self.cmdline, to: "/boot/firmware/cmdline.txt")
        try write(config, to: "/boot/firmware/config.txt")
        try write("proc /proc proc defaults 0 0", to: "/etc/fstab")
        try write("", to: "/usr/bin/plymouth")
        try write("", to: "/usr/lib/systemd/system/systemd-timesyncd.service")
        try system.make(.link("/etc/systemd/system/multi-user.target.wants/ssh.service", to: "/nowhere"))
    }

    /// - Returns: the lines, and whether a step is blocked.
    @discardableResult
    private func setUp(data: String? = "LABEL=inkpanel", changes: Bool = true) throws -> (lines: [String], Bool) {
        var lines: [String] = []
        var kiosk = KioskSetup(system, try KioskMemory(system), changes: changes) { lines.append($0) }
        try kiosk.setUp(KioskStep.all(keepsLogin: false, data: data))
        return (lines, kiosk.isBlocked)
    }

    @discardableResult
    private func undo() throws -> (lines: [String], Bool) {
        var lines: [String] = []
        var kiosk = KioskSetup(system, try KioskMemory(system), changes: true) { lines.append($0) }
        try kiosk.undo()
        return (lines, kiosk.isBlocked)
    }

    /// Contents or targets of all files. An empty directory does not matter.
    private func tree(_ folder: String = "") throws -> [String: String] {
        var files: [String: String] = [:]
        for name in system.names(in: folder == "" ? "/" : folder) {
            let path = folder + "/" + name
            if let link = system.link(path) {
                files[path] = "-> " + link
            } else if let text = try? system.text(path) {
                files[path] = text
            } else {
                files.merge(try tree(path)) { first, _ in first }
            }
        }
        return files
    }

    @Test("a Raspberry Pi gets what kiosk.md says, once, and undo restores every file")
    func raspberryPi() throws {
        try makeRaspberryPi()
        let before = try tree()
        #expect(try setUp(changes: false).lines.last == "would change 11 files")
        #expect(try tree() == before)
        let (lines, isBlocked) = try setUp()
        #expect(lines.last == "changed 11 files; reboot to use them" && !isBlocked)
        let after = try tree()
        #expect(after["/boot/firmware/cmdline.txt"] == Self.silent)
        #expect(after["/boot/firmware/config.txt"]?.hasSuffix("otg_mode=1\n[all]\ndisable_splash=1\n") == true)
        #expect(after["/etc/fstab"]?.split(separator: "\n").count == 2)
        #expect(after["/etc/systemd/system/getty@tty1.service"] == "-> /dev/null")
        #expect(after["/etc/systemd/logind.conf.d/inkpanel.conf"]?.contains("NAutoVTs=0") == true)
        #expect(after["/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service"] != nil)
        let again = try setUp()
        #expect(again.lines.last == "nothing to change")
        #expect(again.lines.dropLast().allSatisfy { $0.hasPrefix("kept ") || $0.hasPrefix("skipped ") })
        #expect(try tree() == after)
        #expect(try undo().lines.last == "changed 11 files; reboot to use them")
        #expect(try tree() == before)
        #expect(try undo().lines == ["nothing to change"])
    }

    @Test("undo keeps what somebody has edited since")
    func edited() throws {
        try makeRaspberryPi(config: "[all]\n")
        try setUp()
        try write(Self.silent.dropLast() + " loglevel=7 dwc_otg.lpm_enable=0\n", to: "/boot/firmware/cmdline.txt")
        try write("# mine\n[all]\ndisable_splash=1\ngpu_mem=64\n", to: "/boot/firmware/config.txt")
        try write("kernel.sysrq = 1\n", to: "/etc/sysctl.d/60-inkpanel.conf")
        let (lines, isBlocked) = try undo()
        #expect(isBlocked && lines.contains { $0.hasPrefix("blocked    /etc/sysctl.d/60-inkpanel.conf: ") })
        let after = try tree()
        let words = after["/boot/firmware/cmdline.txt"]?.split(whereSeparator: \.isWhitespace) ?? []
        #expect(words.contains("loglevel=7") && words.contains("console=tty1") && !words.contains("loglevel=3"))
        #expect(words.last == "console=tty1" && words.contains("dwc_otg.lpm_enable=0"))
        #expect(after["/boot/firmware/config.txt"] == "# mine\n[all]\ngpu_mem=64\n")
        #expect(after["/etc/sysctl.d/60-inkpanel.conf"] == "kernel.sysrq = 1\n")
        // Only the edited file is still remembered.
        #expect(try KioskMemory(system).entries.map(\.path) == ["/etc/sysctl.d/60-inkpanel.conf"])
    }

    @Test("a second set-up after an edit does not make undo forget the edit")
    func editedBetween() throws {
        try makeRaspberryPi()
        try setUp()
        try write(
            Self.silent.replacing("loglevel=3", with: "loglevel=7 usbhid.mousepoll=8"), to: "/boot/firmware/cmdline.txt"
        )
        try setUp()
        let silent = try #require(try system.text("/boot/firmware/cmdline.txt"))
        #expect(silent.contains("loglevel=3") && !silent.contains("loglevel=7"))
        try undo()
        let words = Set(
            try #require(try system.text("/boot/firmware/cmdline.txt")).split(whereSeparator: \.isWhitespace))
        #expect(words.contains("usbhid.mousepoll=8") && words.contains("console=tty1") && !words.contains("loglevel=3"))
    }

    /// A change is remembered before it is made, so that a power cut between both leaves nothing behind.
    @Test("undo works after a cut at each change")
    func cut() throws {
        try makeRaspberryPi()
        let before = try tree()
        try setUp()
        let all = try KioskMemory(system)
        try undo()
        for count in all.entries.indices {
            // The last one is remembered and not made.
            var memory = KioskMemory()
            for (index, entry) in all.entries.prefix(count + 1).enumerated() {
                let change =
                    entry.link.map { SystemChange.link(entry.path, to: $0) }
                    ?? .write(entry.path, text: entry.after ?? "")
                try memory.note(change, system)
                try memory.store(system)
                if index < count { try system.make(change) }
            }
            try undo()
            #expect(try tree() == before, "cut before \(all.entries[count].path)")
        }
    }

    @Test("GRUB gets a file that a shell reads as grub-mkconfig does")
    func grub() throws {
        try write("GRUB_CMDLINE_LINUX_DEFAULT=\"net.ifnames=0\"\n", to: "/etc/default/grub")
        let (lines, isBlocked) = try setUp(data: nil)
        #expect(isBlocked && lines.contains("then: update-grub"))
        let said = directory.path + "/said"
        let script =
            ". \(directory.path)/etc/default/grub; . \(directory.path)/etc/default/grub.d/inkpanel.cfg; "
            + "echo \"$GRUB_CMDLINE_LINUX_DEFAULT\" > \(said)"
        #expect(Glibc.system(script) == 0)
        #expect(
            try system.text("/said") == "net.ifnames=0 " + KernelWords.all.joined(separator: " ") + "\n")
    }

    @Test("steps that could lock somebody out, hide records or replace files are blocked")
    func blocked() throws {
        try makeRaspberryPi()
        try system.make(.remove("/etc/systemd/system/multi-user.target.wants/ssh.service"))
        try write("[Unit]\n", to: "/etc/systemd/system/getty@tty1.service")
        try write("{}", to: "/var/lib/inkpanel/20260101-000000-0000000000000000.jsonl")
        let (lines, isBlocked) = try setUp()
        #expect(isBlocked)
        #expect(lines.filter { $0.hasPrefix("blocked ") }.count == 3)
        #expect(try system.text("/etc/systemd/system/getty@tty1.service") == "[Unit]\n")
        #expect(!system.exists("/etc/systemd/logind.conf.d/inkpanel.conf"))
        #expect(try system.text("/etc/fstab") == "proc /proc proc defaults 0 0")
    }

    @Test("a link in a copy of a system leads to no file outside")
    func links() throws {
        let outside = try TemporaryDirectory()
        try makeRaspberryPi()
        try system.make(.link("/etc/sysctl.d", to: outside.path))
        try system.make(.remove("/etc/fstab"))
        try AtomicFile.write(Array("x".utf8), to: outside.path + "/fstab")
        try system.make(.link("/etc/fstab", to: outside.path + "/fstab"))
        for data in [nil, "LABEL=a"] {
            #expect(thrownError { try setUp(data: data) } is CommandError)
        }
        #expect(try Directory.names(of: outside.path) == ["fstab"])
        #expect(try InputFile.read(outside.path + "/fstab", maximumByteCount: 9) == [0x78])
    }

    @Test("a damaged memory is an error, not a new beginning")
    func damaged() throws {
        try makeRaspberryPi()
        try write("{", to: KioskMemory.path)
        #expect(thrownError { try setUp() } is CommandError)
        #expect(try system.text("/boot/firmware/cmdline.txt") == Self.cmdline)
    }
}
