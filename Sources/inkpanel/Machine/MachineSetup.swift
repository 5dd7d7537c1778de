// SPDX-License-Identifier: Apache-2.0
import Configuration
import Glibc
import Linux

/// The settings file of a system: reading it, applying it, and answering beside it.
struct MachineSetup {
    let system: InstalledSystem
    let file: String

    /// - Throws: ``CommandError`` if a file of the system cannot be read.
    func changes() throws(CommandError) -> ([SystemChange], MachineResult) {
        let document: [UInt8]
        do throws(ConfigurationError) { document = try ConfigurationFiles.read(file) } catch {
            if case .cannotRead(_, .noSuchFile) = error { return ([], MachineResult(secrets: [], lines: nil)) }
            return ([], MachineResult(secrets: [], lines: error.lines))
        }
        let read = SettingsFile(document: document, path: file)
        let wanted = try MachineChanges(system, read, path: file)
        let problems = (read.problems + wanted.problems).sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        let lines = problems.map { problem in
            (problem.line.map { "line \($0): " } ?? "") + "\(problem.reason)"
        }
        return (wanted.changes, MachineResult(secrets: keepsSecrets ? read.secrets : [], lines: lines))
    }

    /// A machine without its data partition has its files in memory, until the next boot.
    private var keepsSecrets: Bool {
        !["/etc", "/var"].contains { (try? Directory.isInMemory(system.root + $0)) == true }
    }

    func apply(_ changes: [SystemChange]) throws(CommandError) {
        for change in changes { try system.make(change) }
        guard system.isRunning, let text = try system.text("/etc/hostname"),
            let name = text.split(separator: "\n").first
        else { return }
        // systemd has set the name before this program.
        if sethostname(String(name), name.utf8.count) != 0 { throw .unavailable("sethostname: \(Errno.current)") }
    }

    /// Overwrites secrets, which the machine has now, and writes the result. Only then is the partition writable.
    func finish(_ result: MachineResult) throws(CommandError) {
        let answer = MachineResult.path(beside: file)
        let isAnswered = (try? InputFile.read(answer, maximumByteCount: 1 << 16)) == Array(result.text.utf8)
        if result.secrets.isEmpty, isAnswered { return }
        do throws(Errno) {
            try FileSystem.makingWritable(PrivateFile.folder(of: file)) { () throws(Errno) in
                if !result.secrets.isEmpty { try MachineSecret.overwrite(result.secrets, in: file) }
                if !isAnswered {
                    try AtomicFile.write(Array(result.text.utf8), to: answer, permissions: 0o644)
                    try Directory.synchronizeParent(of: answer)
                }
            }
        } catch {
            throw .unavailable("cannot write beside \(file): \(error)")
        }
    }

    func write(_ text: String, to path: String) throws(CommandError) {
        do throws(Errno) { try AtomicFile.write(Array(text.utf8), to: path, permissions: 0o644) } catch {
            throw .unavailable("cannot write \(path): \(error)")
        }
    }
}
