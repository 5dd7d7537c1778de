// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux

struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up the machine around the panel.",
        subcommands: [SetupKioskCommand.self, SetupMachineCommand.self, SetupFrameCommand.self])
}

/// `inkpanel setup kiosk`: what docs/kiosk.md explains.
struct SetupKioskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kiosk", abstract: "Make this machine a panel that nobody operates: silent boot, no logins.",
        discussion: """
            Needs root, and a reboot afterwards. Each step is a line that begins with done (missing with --dry-run), \
            kept, skipped or blocked. A second run changes nothing. \(KioskMemory.path) remembers what was changed, \
            for --undo. The exit status is \(EX_UNAVAILABLE) if a step is blocked.
            """)

    @Flag(help: "Say what would be changed, and change nothing.")
    var dryRun = false

    @Flag(help: "Undo what this command has changed.")
    var undo = false

    @Flag(help: "Keep the logins on terminals other than the panel's.")
    var keepLogin = false

    @Option(
        help: ArgumentHelp(
            "File system for the records, ext4, as /etc/fstab names it, such as LABEL=inkpanel.", valueName: "device"))
    var data: String?

    @Option(help: ArgumentHelp("Directory with a copy of a system, such as a mounted image.", valueName: "directory"))
    var root = "/"

    func validate() throws {
        if undo, keepLogin || data != nil { throw ValidationError("--undo takes neither --keep-login nor --data") }
        if let data, data.isEmpty || data.contains(where: \.isWhitespace) {
            throw ValidationError("--data is a device as /etc/fstab names it, such as LABEL=inkpanel")
        }
    }

    func run() throws {
        try reportingErrors {
            guard let root = Directory.realPath(root) else { throw CommandError.cannotRead(root, .noSuchFile) }
            let system = InstalledSystem(root: root)
            var kiosk = KioskSetup(system, try KioskMemory(system), changes: !dryRun) { line throws(CommandError) in
                try OutputFile.print(line + "\n")
            }
            if undo { try kiosk.undo() } else { try kiosk.setUp(KioskStep.all(keepsLogin: keepLogin, data: data)) }
            if kiosk.isBlocked { throw ExitCode(EX_UNAVAILABLE) }
        }
    }
}

/// Carries out steps, and says what each did.
struct KioskSetup {
    private let system: InstalledSystem
    private var memory: KioskMemory
    private let changes: Bool
    private let write: (String) throws(CommandError) -> Void
    private(set) var isBlocked = false
    private var changed: [String] = []

    /// - Parameters:
    ///   - changes: whether to change files; otherwise only to say what is missing.
    ///   - write: gets each line that says something.
    init(
        _ system: InstalledSystem, _ memory: KioskMemory, changes: Bool,
        write: @escaping (String) throws(CommandError) -> Void
    ) {
        self.write = write
        self.system = system
        self.memory = memory
        self.changes = changes
    }

    mutating func setUp(_ steps: [KioskStep]) throws(CommandError) {
        for step in steps {
            switch try step.state(system) {
            case .notNeeded(let reason): try say("skipped", step.title, reason)
            case .blocked(let reason):
                try say("blocked", step.title, reason)
                isBlocked = true
            case .changes(let needed) where needed.isEmpty: try say("kept", step.title, nil)
            case .changes(let needed):
                for change in needed {
                    if changes {
                        try memory.note(change, system)
                        try memory.store(system)
                        try system.make(change)
                    }
                    changed.append(change.path)
                }
                try say(changes ? "done" : "missing", step.title, needed.map(\.path).joined(separator: ", "))
            }
        }
        try finish()
    }

    /// Undoes the last change first.
    mutating func undo() throws(CommandError) {
        for entry in memory.entries.reversed() {
            do throws(CommandError) {
                if let change = try entry.undo(system) {
                    if changes { try system.make(change) }
                    changed.append(entry.path)
                    try say(changes ? "undone" : "would undo", entry.path, nil)
                }
            } catch {
                guard error.status == EX_UNAVAILABLE else { throw error }
                try say("blocked", entry.path, error.message)
                isBlocked = true
                continue
            }
            memory.forget(entry.path)
            if changes { try memory.store(system) }
        }
        try finish()
    }

    private func finish() throws(CommandError) {
        if changed.isEmpty {
            return try write("nothing to change")
        }
        if changed.contains(where: { $0.hasPrefix("/etc/default/grub.d/") }) {
            if changes, system.isRunning { try run("update-grub") }
            try write(
                changes && system.isRunning ? "update-grub has put the words into GRUB's menu" : "then: update-grub")
        }
        try write(
            changes ? "changed \(changed.count) files; reboot to use them" : "would change \(changed.count) files")
    }

    private func say(_ word: String, _ title: String, _ reason: String?) throws(CommandError) {
        let gap = String(repeating: " ", count: max(1, 11 - word.count))
        try write("\(word)\(gap)\(title)\(reason.map { ": \($0)" } ?? "")")
    }

    /// Runs a command of the system to its end.
    private func run(_ command: String) throws(CommandError) {
        var pid = pid_t()
        let name = strdup(command)
        defer { free(name) }
        let error = posix_spawnp(&pid, command, nil, nil, [name, nil], environ)
        if error != 0 { throw .unavailable("cannot run \(command): \(Errno(code: error))") }
        var status = CInt()
        while waitpid(pid, &status, 0) < 0 {
            if errno != EINTR { throw .unavailable("\(command): \(Errno.current)") }
        }
        if status != 0 { throw .unavailable("\(command) failed: see its messages, then run it yourself") }
    }
}
