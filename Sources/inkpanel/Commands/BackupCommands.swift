// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back up the panel while it works: records, seals, configuration, gateway.",
        discussion: """
            Needs root. The file is a tar archive, which only root can read. With recipients it also has the keys and \
            other secrets, encrypted; without, it has none. docs/backup.md has the whole procedure. With --into, as \
            inkpanel-backup.timer does, the file gets the name of the machine and the time.
            """)

    @Argument(help: ArgumentHelp("File to write.", valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("Folder for the file, instead of its name.", valueName: "folder"))
    var into: String?

    @Option(help: ArgumentHelp("With --into: remove older ones of this machine, and keep so many.", valueName: "count"))
    var keep: Int?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Key of age that can decrypt the secrets; may be repeated.", valueName: "age1…"))
    var recipient: [String] = []

    func validate() throws {
        if (file == nil) == (into == nil) { throw ValidationError("name a file, or a folder with --into") }
        if let keep, into == nil || keep < 1 { throw ValidationError("--keep is 1 or more, with --into") }
    }

    func run() throws {
        try reportingErrors {
            let place = file.map { [$0] } ?? into.map { ["--into", $0] } ?? []
            try BackupScript.run(
                ["save"] + place + (keep.map { ["--keep", "\($0)"] } ?? [])
                    + recipient.flatMap { ["--recipient", $0] })
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup on this board or another one.",
        discussion: """
            Needs root, a stopped panel, and a store without seals of its own. The panel keeps its name; a new key \
            goes on with the chain of seals, and a seal says so. What is replaced below /etc/inkpanel keeps its \
            contents under another name. After a failure, or a power cut, do the same again.
            """)

    @Argument(help: ArgumentHelp("A file of inkpanel backup.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Identity of age that decrypts the secrets.", valueName: "file"))
    var identity: String?

    @Flag(help: "Restore also records and seals that do not fit.")
    var withFaults = false

    func run() throws {
        try reportingErrors {
            try BackupScript.run(
                ["restore", file] + (identity.map { ["--identity", $0] } ?? [])
                    + (withFaults ? ["--with-faults"] : []))
        }
    }
}

/// deploy/backup, installed beside the program: it calls tar and age.
private enum BackupScript {
    /// Replaces this process.
    static func run(_ words: [String]) throws(CommandError) {
        guard let program = Directory.realPath("/proc/self/exe"),
            let script = Directory.realPath(parent(of: parent(of: program)) + "/lib/inkpanel/backup")
        else {
            throw .unavailable("lib/inkpanel/backup is missing beside the program: use the package, or make install")
        }
        if geteuid() != 0 { throw CommandError(message: "run it as root", status: EX_NOPERM) }
        setenv("INKPANEL", program, 1)
        var arguments = ([script] + words).map { strdup($0) }
        arguments.append(nil)
        execv(script, arguments)
        throw .unavailable("cannot run \(script): \(Errno.current)")
    }

    private static func parent(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
