// SPDX-License-Identifier: Apache-2.0
import Glibc
import HTTP
package import Linux

/// The messages of one webhook on disk, in three folders: those that wait, those that were delivered and those that
/// were given up. A file is a body; its name has the rest. One thread adds, another sends.
package struct WebhookQueue: Sendable {
    package enum Folder: String, CaseIterable { case waiting, delivered, failed }

    /// A message, as its file's name says it: `NUMBER.SECONDS.ID.json`.
    package struct Item: Equatable {
        /// Messages are sent in this order.
        package var number: Int64
        /// ``WebhookClock`` when it was put here.
        var queuedAt: Int64
        package var id: String

        package init(number: Int64, queuedAt: Int64, id: String) {
            (self.number, self.queuedAt, self.id) = (number, queuedAt, id)
        }

        package init?(_ name: String) {
            let parts = name.split(separator: ".")
            guard parts.count == 4, parts[3] == "json", let number = Int64(parts[0]), let seconds = Int64(parts[1]),
                number >= 0, number < .max / 2, seconds >= 0, WebhookMessage.isID(parts[2])
            else { return nil }
            self.init(number: number, queuedAt: seconds, id: String(parts[2]))
        }

        package var name: String { "\(padded(number)).\(queuedAt).\(id).json" }

        private func padded(_ number: Int64) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        }
    }

    /// A body has at most 16 KiB of texts, each character perhaps escaped.
    static let longestBody = 256 << 10

    package let path: String

    /// - Parameters:
    ///   - state: the state directory.
    ///   - name: of the webhook.
    package init(state: String, name: String) { path = "\(state)/queues/\(name)" }

    package func folder(_ folder: Folder) -> String { "\(path)/\(folder.rawValue)" }

    package func path(of item: Item, in folder: Folder) -> String { "\(self.folder(folder))/\(item.name)" }

    /// Makes missing folders, which are on the medium when this returns.
    package func make(in state: String) throws(PrivateFileError) {
        for folder in ["\(state)/queues", path] + Folder.allCases.map({ self.folder($0) }) {
            if try PrivateFile.makeDirectory(folder) { try? Directory.synchronizeParent(of: folder) }
        }
    }

    /// The messages of a folder, in order. Other files are left out.
    package func items(_ folder: Folder) throws(Errno) -> [Item] {
        do throws(Errno) {
            return try Directory.names(of: self.folder(folder)).compactMap { Item($0) }.sorted { $0.number < $1.number }
        } catch {
            if error == .noSuchFile { return [] }
            throw error
        }
    }

    /// Adds a message, which is on the medium when this returns.
    package func add(_ item: Item, _ body: [UInt8]) throws(Errno) {
        try AtomicFile.writeSynchronized(body, to: path(of: item, in: .waiting))
    }

    package func body(of item: Item) throws(Errno) -> [UInt8] {
        let path = path(of: item, in: .waiting)
        guard let body = try InputFile.read(path, maximumByteCount: Self.longestBody) else { throw .fileTooLarge }
        return body
    }

    /// A message leaves the queue. If the name is lost with the power, it is sent again.
    func move(_ item: Item, to folder: Folder) throws(Errno) {
        try Directory.rename(path(of: item, in: .waiting), to: path(of: item, in: folder))
    }

    /// Removes the oldest messages of a folder until there are few enough.
    package func prune(_ folder: Folder, to limit: Int) {
        for item in ((try? items(folder)) ?? []).dropLast(limit) {
            try? Directory.remove(path(of: item, in: folder))
        }
    }

    /// Puts a message that was delivered or given up into the queue again.
    /// - Returns: nil without a message of this id.
    func requeue(_ id: String, as item: (String) -> Item) throws(Errno) -> Item? {
        for folder in [Folder.failed, .delivered] {
            guard let old = try items(folder).last(where: { $0.id == id }) else { continue }
            let new = item(id)
            try Directory.rename(path(of: old, in: folder), to: path(of: new, in: .waiting))
            try Directory.synchronize(at: self.folder(.waiting))
            return new
        }
        return nil
    }

    // MARK: disabled webhooks

    private var mark: String { path + "/disabled" }

    /// The address in the mark of a webhook whose receiver is gone; nil without a mark.
    var disabledFor: String? {
        (try? InputFile.read(mark, maximumByteCount: 256)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    func disable(for address: String) throws(Errno) { try AtomicFile.writeSynchronized(Array(address.utf8), to: mark) }

    func enable() { try? Directory.remove(mark) }
}

/// Seconds that the program has run, over restarts. Only it says how long a message waits: the clock of a board without
/// a battery jumps, and a panel that is off at night has not tried.
final class WebhookClock: Sendable {
    private let path: String
    private let base: Int64
    private let start: Int64
    private let haste: Double

    /// - Parameter haste: how much faster it runs, in tests.
    init(state: String, haste: Double) {
        path = state + "/clock"
        let bytes = (try? InputFile.read(path, maximumByteCount: 64)).flatMap { $0 } ?? []
        base = max(0, Int64(String(decoding: bytes, as: UTF8.self)) ?? 0) % (1 << 48)
        start = Self.sinceBoot
        self.haste = haste
    }

    private static var sinceBoot: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    var seconds: Int64 { base + Int64(Double(Self.sinceBoot - start) / 1000 * haste) }

    /// Notes the time, for the next start. What is lost makes messages younger.
    func keep() { try? AtomicFile.replace(Array("\(seconds)".utf8), at: path) }
}
