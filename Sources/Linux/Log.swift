// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Messages for the person who runs the panel: entries of the journal where standard error leads there, else lines on
/// standard error. One message is one system call, so those of different threads do not mix.
public struct Log: Sendable {
    /// syslog(3) priorities.
    public enum Priority: Int, Sendable, Comparable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// What a message is about, for `journalctl NAME=VALUE`. Never where a hand was: the journal is not the place for
    /// what people draw.
    public enum Field: Equatable, Sendable {
        /// INKPANEL_DISPLAY: a connector's name, e.g. "HDMI-A-1".
        case display(String)
        /// INKPANEL_DEVICE: an input device's name.
        case device(String)
        /// INKPANEL_CAPTURE: a record's ID.
        case capture(String)
    }

    public enum Destination: Sendable {
        case journal, standardError
    }

    /// Messages less urgent than this are not written.
    public let threshold: Priority
    private let destination: Destination

    /// - Parameter destination: nil asks the environment, and the kernel what standard error is.
    public init(threshold: Priority = .info, destination: Destination? = nil) {
        self.threshold = threshold
        self.destination =
            destination
            ?? (Self.isJournal(STDERR_FILENO, stream: getenv("JOURNAL_STREAM").map { String(cString: $0) })
                ? .journal : .standardError)
    }

    public func error(_ message: String, _ fields: Field...) { write(.error, message, fields) }
    public func warning(_ message: String, _ fields: Field...) { write(.warning, message, fields) }
    public func notice(_ message: String, _ fields: Field...) { write(.notice, message, fields) }
    public func info(_ message: String, _ fields: Field...) { write(.info, message, fields) }

    /// A line break could begin a line that looks like another message, so each becomes a space; what could steer a
    /// terminal is replaced. Of the journal's entries, too: `journalctl` shows those that have it as blobs.
    static func singleLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").printable
    }

    /// The line as written, newline included.
    static func line(_ message: String) -> String { "inkpanel: \(singleLine(message))\n" }

    private func write(_ priority: Priority, _ message: String, _ fields: [Field]) {
        guard priority <= threshold else { return }
        if destination == .journal {
            if Self.sendToJournal(Self.entry(priority, message, fields)) { return }
            // The journal reads standard error, too, with the priority in front (sd-daemon(3)).
            return Self.writeLine("<\(priority.rawValue)>\(Self.singleLine(message))\n")
        }
        Self.writeLine(Self.line(message))
    }

    private static func writeLine(_ line: String) {
        line.utf8.withContiguousStorageIfAvailable { bytes in
            // Nothing to do when standard error is closed: there is nowhere left to say so.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
