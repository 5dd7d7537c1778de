// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// Where a command leaves a finished file.
enum OutputFile {
    /// Asks before long work whether a file could be written there afterwards.
    static func check(_ path: String) throws(CommandError) {
        if path == "-" || access(path, W_OK) == 0 { return }
        let isNew = errno == ENOENT
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard isNew, access(folder, W_OK) == 0 else { throw .cannotWrite(path, .current) }
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
