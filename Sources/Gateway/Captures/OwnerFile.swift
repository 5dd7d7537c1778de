// SPDX-License-Identifier: Apache-2.0
import HostAPI
package import Linux
import Synchronization

/// Which token owns which capture, kept over restarts: lines of `CAPTURE TOKEN`, the oldest first.
package final class OwnerFile: Sendable {
    /// Captures that are kept; up to twice as many are between two prunings. Hosts fetch a record when it is accepted;
    /// older ones are for operators.
    static let usualLimit = 20_000
    /// A larger file is not one of this program's.
    private static let byteLimit = 16 << 20

    private let limit: Int
    private let log: Log
    private let owners: Mutex<Owners>

    private struct Owners {
        /// Nil if it is not to be used: it stays as it is.
        var file: LineFile?
        var tokens: [CaptureID: String] = [:]
        /// The captures, oldest first.
        var order: [CaptureID] = []

        mutating func add(_ capture: CaptureID, _ token: String) {
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
    package init(state: String, limit: Int = usualLimit, log: Log) {
        let path = state + "/owners"
        self.limit = limit
        self.log = log
        var owners = Owners()
        var mustWrite = false
        do throws(PrivateFileError) {
            let read = try LineFile.read(path, maximumByteCount: Self.byteLimit)
            owners.file = read?.file ?? LineFile(path: path)
            if read == nil {
                log.warning("\(path) is too long and is begun anew; only operators get earlier records")
                mustWrite = true
            }
            if read?.file.wasTorn == true { log.warning("\(path) has a torn line, which is left out") }
            for (number, line) in (read?.lines ?? []).enumerated() {
                let words = line.split(separator: " ")
                if words.count == 2, let id = CaptureID(String(words[0])) {
                    owners.add(id, String(words[1]))
                } else {
                    log.warning("\(path): line \(number + 1) is damaged; only operators get its record")
                    mustWrite = true
                }
            }
        } catch {
            log.error("\(error), and restart the gateway: until then, hosts get no records of earlier captures")
        }
        mustWrite = mustWrite || owners.order.count > limit
        owners.prune(to: limit)
        self.owners = Mutex(owners)
        if mustWrite { self.owners.withLock { write(&$0) } }
    }

    func owner(of capture: CaptureID) -> String? { owners.withLock { $0.tokens[capture] } }

    /// Writes a line. If that fails, the record is reachable until the program ends, and for operators.
    func add(_ capture: CaptureID, owner: String) {
        owners.withLock { owners in
            owners.add(capture, owner)
            if owners.order.count > 2 * limit {
                owners.prune(to: limit)
                return write(&owners)
            }
            do throws(Errno) {
                try owners.file?.append("\(capture) \(owner)", synchronizes: false)
            } catch {
                report(error)
            }
        }
    }

    private func write(_ owners: inout Owners) {
        let lines = owners.order.map { "\($0) \(owners.tokens[$0] ?? "")" }
        do throws(Errno) { try owners.file?.replace(with: lines) } catch { report(error) }
    }

    private func report(_ error: Errno) {
        log.warning("cannot write the file of owners: \(error); after a restart, hosts cannot get their new records")
    }
}
