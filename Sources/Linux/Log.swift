// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Messages for the person who runs the panel, on standard error.
///
/// Under systemd each line starts with a priority the journal understands (`<3>`, sd-daemon(3)); in a terminal it
/// starts with the program's name. A line is written with one system call, so lines of different threads do not mix.
public struct Log: Sendable {
    /// syslog(3) priorities.
    public enum Priority: Int, Sendable, Comparable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// Messages less urgent than this are not written.
    public let threshold: Priority
    private let isJournal: Bool

    /// - Parameter isJournal: nil asks the environment: systemd sets JOURNAL_STREAM for what it connects to the
    ///   journal.
    public init(threshold: Priority = .info, isJournal: Bool? = nil) {
        self.threshold = threshold
        self.isJournal = isJournal ?? (getenv("JOURNAL_STREAM") != nil)
    }

    public func error(_ message: String) { write(.error, message) }
    public func warning(_ message: String) { write(.warning, message) }
    public func notice(_ message: String) { write(.notice, message) }
    public func info(_ message: String) { write(.info, message) }

    /// The line as written, newline included. A newline inside the message would start an entry without priority, so it
    /// becomes a space.
    func line(_ priority: Priority, _ message: String) -> String {
        let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        return isJournal ? "<\(priority.rawValue)>\(text)\n" : "inkpanel: \(text)\n"
    }

    private func write(_ priority: Priority, _ message: String) {
        guard priority <= threshold else { return }
        let line = line(priority, message)
        line.utf8.withContiguousStorageIfAvailable { bytes in
            // Nothing to do when standard error is closed: there is nowhere left to say so.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
