// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Linux
import Synchronization

/// Which token owns which capture, kept over restarts: lines of `CAPTURE TOKEN`, the oldest first.
final class OwnerFile: Sendable {
    /// Captures that are kept; up to twice as many are between two prunings. Hosts fetch a record when it is accepted;
    /// older ones are for operators.
    static let usualLimit = 20_000
    /// A larger file is not one of this program's.
    private static let byteLimit = 16 << 20

    private let path: String
    private let limit: Int
    private let log: Log
    private let owners: Mutex<Owners>

    private struct Owners {
        var tokens: [String: String] = [:]
        /// The captures, oldest first.
        var order: [String] = []

        mutating func add(_ capture: String, _ token: String) {
            if tokens.updateValue(token, forKey: capture) == nil { order.append(capture) }
        }

        mutating func prune(to limit: Int) {
            for capture in order.dropLast(limit) { tokens[capture] = nil }
            order = order.suffix(limit)
        }
    }

    /// Blocks.
    /// - Parameters:
    ///   - state: the gateway's state directory.
    ///   - limit: of captures.
    init(state: String, limit: Int = usualLimit, log: Log) {
        path = state + "/owners"
        self.limit = limit
        self.log = log
        var owners = Owners()
        var isWhole = true
        do throws(Errno) {
            let bytes = try InputFile.read(path, maximumByteCount: Self.byteLimit)
            if bytes == nil { log.warning("\(path) is too long and is begun anew; only operators get earlier records") }
            isWhole = bytes != nil
            for line in String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                if words.count == 2 { owners.add(String(words[0]), String(words[1])) } else { isWhole = false }
            }
            // The next line would go on where the power failed.
            isWhole = isWhole && bytes?.last.map { $0 == UInt8(ascii: "\n") } ?? true
        } catch {
            if error != .noSuchFile {
                log.warning("cannot read \(path): \(error); hosts cannot get the records of earlier captures")
            }
        }
        let mustWrite = !isWhole || owners.order.count > limit
        owners.prune(to: limit)
        self.owners = Mutex(owners)
        if mustWrite { self.owners.withLock { write($0) } }
    }

    func owner(of capture: String) -> String? { owners.withLock { $0.tokens[capture] } }

    /// Writes a line. If that fails, the record is reachable until the program ends, and for operators.
    func add(_ capture: String, owner: String) {
        owners.withLock { owners in
            owners.add(capture, owner)
            if owners.order.count > 2 * limit {
                owners.prune(to: limit)
                return write(owners)
            }
            let line = Array("\(capture) \(owner)\n".utf8)
            let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return report(Errno(code: errno)) }
            defer { close(file) }
            if Glibc.write(file, line, line.count) != line.count { report(Errno(code: errno)) }
        }
    }

    private func write(_ owners: Owners) {
        let text = owners.order.map { "\($0) \(owners.tokens[$0] ?? "")\n" }.joined()
        do throws(Errno) { try AtomicFile.write(Array(text.utf8), to: path) } catch { report(error) }
    }

    private func report(_ error: Errno) {
        log.warning("cannot write \(path): \(error); after a restart, hosts cannot get their new records")
    }
}
