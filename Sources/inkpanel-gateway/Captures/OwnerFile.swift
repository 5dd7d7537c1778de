// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Linux
import Synchronization

/// Which token owns which capture, kept over restarts: lines of `CAPTURE TOKEN`, the oldest first.
final class OwnerFile: Sendable {
    /// Captures that are kept. Hosts fetch a record when it is accepted; older ones are for operators.
    private static let limit = 20_000

    private let path: String
    private let log: Log
    private let owners: Mutex<[String: String]>

    /// Blocks.
    /// - Parameter state: the gateway's state directory.
    init(state: String, log: Log) {
        path = state + "/owners"
        self.log = log
        let bytes = (try? InputFile.read(path, maximumByteCount: 1 << 22)).flatMap { $0 } ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count == 2 }
        let kept = lines.suffix(Self.limit)
        owners = Mutex(Dictionary(kept.map { (String($0[0]), String($0[1])) }) { _, last in last })
        guard lines.count > Self.limit else { return }
        let text = kept.map { "\($0[0]) \($0[1])\n" }.joined()
        do throws(Errno) { try AtomicFile.write(Array(text.utf8), to: path) } catch { report(error) }
    }

    func owner(of capture: String) -> String? { owners.withLock { $0[capture] } }

    /// Writes a line. If that fails, the record is reachable until the program ends, and for operators.
    func add(_ capture: String, owner: String) {
        owners.withLock { owners in
            // The file is shortened at the next start.
            if owners.count < 2 * Self.limit { owners[capture] = owner }
        }
        let line = Array("\(capture) \(owner)\n".utf8)
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return report(Errno(code: errno)) }
        defer { close(file) }
        if write(file, line, line.count) != line.count { report(Errno(code: errno)) }
    }

    private func report(_ error: Errno) {
        log.warning("cannot write \(path): \(error); after a restart, hosts cannot get their new records")
    }
}
