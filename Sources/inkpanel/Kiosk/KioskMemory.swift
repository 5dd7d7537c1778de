// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The changes that set-up has made, so that it can undo them: a file of the system. It has each change before the
/// change is made.
struct KioskMemory: Codable, Equatable {
    static let path = "/etc/inkpanel/kiosk.json"

    /// A file that was written, or a link that was made.
    struct Entry: Codable, Equatable {
        let path: String
        /// The text without set-up; nil if there was no file.
        var before: String?
        /// The text that set-up wrote; nil for a link.
        var after: String?
        /// The target of a link.
        var link: String?
    }

    private(set) var entries: [Entry] = []

    init() {}

    /// Reads the file; empty if set-up has never run there.
    init(_ system: InstalledSystem) throws(CommandError) {
        guard let text = try system.text(Self.path) else { return }
        do {
            self = try JSONDecoder().decode(KioskMemory.self, from: Data(text.utf8))
        } catch {
            throw .unusableInput("\(Self.path) is damaged: restore it from a backup, or remove it and undo by hand")
        }
    }

    func store(_ system: InstalledSystem) throws(CommandError) {
        try system.make(
            entries.isEmpty ? .remove(Self.path) : .write(Self.path, text: try JSONText.encode(self)))
    }

    /// Notes a change that is going to be made.
    mutating func note(_ change: SystemChange, _ system: InstalledSystem) throws(CommandError) {
        var entry = Entry(path: change.path)
        switch change {
        case .write(let path, let text, _):
            let current = try system.text(path)
            if let earlier = entries.first(where: { $0.path == path }) {
                // Somebody may have edited the file since.
                entry.before = earlier.before.map { before in current.flatMap { earlier.undone($0) } ?? before }
            } else {
                entry.before = current
            }
            entry.after = text
        case .link(_, let target): entry.link = target
        case .remove: return
        }
        entries.removeAll { $0.path == entry.path }
        entries.append(entry)
    }

    mutating func forget(_ path: String) { entries.removeAll { $0.path == path } }
}

extension KioskMemory.Entry {
    /// The change that undoes this one; nil if nothing is left of it.
    /// - Throws: if somebody has edited a file of set-up's own.
    func undo(_ system: InstalledSystem) throws(CommandError) -> SystemChange? {
        if let link { return system.link(path) == link ? .remove(path) : nil }
        guard let current = try system.text(path) else { return nil }
        if before == nil {
            if current == after { return .remove(path) }
            throw .unavailable("\(path) has been edited since, and stays: remove it yourself")
        }
        let undone = undone(current) ?? current
        return undone == current ? nil : .write(path, text: undone)
    }

    /// The text of the file without set-up's words or lines; nil for set-up's own files.
    func undone(_ current: String) -> String? {
        guard let before, let after else { return nil }
        if current == after { return before }
        if path.hasSuffix("/cmdline.txt") { return KernelWords.undoing(in: current, before: before, after: after) }
        let lines = { (text: String) in text.split(separator: "\n", omittingEmptySubsequences: false) }
        let added = Set(lines(after)).subtracting(lines(before))
        return lines(current).filter { !added.contains($0) }.joined(separator: "\n")
    }
}
