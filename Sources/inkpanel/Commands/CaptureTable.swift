// SPDX-License-Identifier: Apache-2.0
import Control
import Linux
import Record

/// Captures as lines in columns; what is last may be of any length and script.
struct CaptureTable {
    private static let heading = ["ID", "STARTED", "OUTCOME", "SIGNER", "FOR"]
    private let captures: [RecordSummary]

    init(_ captures: [RecordSummary]) { self.captures = captures }

    var text: String {
        let rows = [Self.heading] + captures.map { capture in
            [
                capture.id, TimestampText.second(microseconds: capture.startedAt), capture.outcome.rawValue,
                capture.signer ?? "-",
                capture.reason ?? capture.document?.reference ?? capture.prompt.first ?? "-",
            ]
        }
        let widths = Self.heading.indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { $0.map(\.printable) }.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) + "  " }
                .joined() + row[row.count - 1] + "\n"
        }.joined()
    }
}
