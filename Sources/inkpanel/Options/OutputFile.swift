// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// Where a command leaves a finished file.
enum OutputFile {
    /// Writes all of it or nothing.
    /// - Parameter path: `-` is standard output.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        do throws(Errno) {
            guard path == "-" else { return try AtomicFile.write(bytes, to: path) }
            let output = FileDescriptor(owning: try retryingOnInterrupt { dup(STDOUT_FILENO) })
            try output.writeAll(bytes)
        } catch {
            throw .cannotWrite(path == "-" ? "to standard output" : path, error)
        }
    }
}
