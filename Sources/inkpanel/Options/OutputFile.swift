// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux

/// Where a command leaves a finished file.
enum OutputFile {
    /// Asks before long work whether a file could be written there afterwards.
    /// - Parameter option: the command's for the path, for the message.
    static func check(_ path: String, option: String = "--output") throws(CommandError) {
        if path == "-" { return }
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .cannotWrite(path, .isDirectory, option: option) }
            if access(path, W_OK) == 0 { return }
            throw .cannotWrite(path, .current, option: option)
        }
        guard errno == ENOENT else { throw .cannotWrite(path, .current, option: option) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        if access(folder, W_OK) != 0 { throw .cannotWrite(path, .current, option: option) }
    }

    /// What follows the last dot of the file's name, in lower case; nil when nothing does.
    static func suffix(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
        return suffix.isEmpty ? nil : suffix
    }

    /// Refuses a name that asks for a format that is not made here: the file would hold something else than it says.
    /// - Parameters:
    ///   - suffixes: of what is made.
    ///   - hasFormat: whether the command has `--format`.
    /// - Throws: `ValidationError`.
    static func checkSuffix(of path: String, among suffixes: [String], hasFormat: Bool) throws {
        guard let suffix = suffix(of: path), !suffixes.contains(suffix) else { return }
        let names = suffixes.map { "." + $0 }.joined(separator: ", ")
        throw ValidationError(
            "--output \(path): no file .\(suffix) can be made; end the name with "
                + (suffixes.count == 1 ? names : "one of \(names)") + (hasFormat ? ", or say --format" : ""))
    }

    /// Prints a text to standard output, line feeds included, without what could steer a terminal: all output of
    /// commands goes this way or through ``Log``, but for files that were asked for there with `--output -`.
    static func print(_ text: String) throws(CommandError) {
        try write(Array(text.printableLines.utf8), to: "-")
    }

    /// Writes all of it or nothing.
    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - option: the command's for the path, for the message.
    ///   - permissions: of a new file, less the umask: what is not said to be for others is its owner's alone.
    static func write(
        _ bytes: [UInt8], to path: String, option: String = "--output", permissions: mode_t = 0o600
    ) throws(CommandError) {
        do throws(Errno) {
            guard path == "-" else { return try AtomicFile.write(bytes, to: path, permissions: permissions) }
            let output = FileDescriptor(owning: try retryingOnInterrupt { dup(STDOUT_FILENO) })
            try output.writeAll(bytes)
        } catch {
            if path != "-" { throw .cannotWrite(path, error, option: option) }
            throw CommandError(message: "cannot write to standard output: \(error)", status: EX_IOERR)
        }
    }
}
