// SPDX-License-Identifier: Apache-2.0
import CLibsystemd
import Glibc

extension Log.Field {
    /// As the journal has it: journald adds who, when and which unit by itself.
    var assignment: String {
        switch self {
        case .display(let name): "INKPANEL_DISPLAY=\(name)"
        case .device(let name): "INKPANEL_DEVICE=\(name)"
        case .capture(let id): "INKPANEL_CAPTURE=\(id)"
        }
    }
}

extension Log {
    /// Whether a descriptor is the stream that systemd has connected to the journal: it may have been redirected since
    /// (systemd.exec(5)).
    /// - Parameter stream: the value of JOURNAL_STREAM, DEVICE:INODE.
    static func isJournal(_ descriptor: CInt, stream: String?) -> Bool {
        guard let stream else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The fields of an entry, NAME=VALUE each (systemd.journal-fields(7)).
    static func entry(_ priority: Priority, _ message: String, _ fields: [Field]) -> [String] {
        ["MESSAGE=\(singleLine(message))", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=inkpanel"]
            + fields.map(\.assignment)
    }

    /// - Returns: false when the journal did not take it.
    static func sendToJournal(_ entry: [String]) -> Bool {
        var bytes = entry.flatMap(\.utf8)
        return bytes.withUnsafeMutableBytes { buffer in
            var rest = buffer.baseAddress
            let parts = entry.map { field in
                let count = field.utf8.count
                defer { rest = rest.map { $0 + count } }
                return iovec(iov_base: rest, iov_len: count)
            }
            return sd_journal_sendv(parts, CInt(parts.count)) >= 0
        }
    }
}
