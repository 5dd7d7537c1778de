// SPDX-License-Identifier: Apache-2.0
import Control
import Linux
import Record

/// What is known about a capture, a line each.
struct CaptureSheet {
    private let metadata: RecordMetadata

    init(_ metadata: RecordMetadata) { self.metadata = metadata }

    var text: String {
        let summary = metadata.summary
        var rows: [(String, String?)] = [
            ("id", summary.id), ("outcome", summary.outcome.rawValue),
            ("started", TimestampText.second(microseconds: summary.startedAt)),
            ("ended", summary.endedAt.map { TimestampText.second(microseconds: $0) }),
            ("date", metadata.date.map(local)),
        ]
        rows += summary.prompt.map { ("prompt", $0) }
        let data = (summary.data ?? [:]).sorted { $0.key < $1.key }
        rows += [
            ("signer", summary.signer), ("reason", summary.reason), ("document", summary.document?.reference),
            ("SHA-256", summary.document?.sha256),
        ]
        rows += data.map { ("data", $0.key + "=" + $0.value) }
        rows += [
            ("not shown", hidden),
            ("ink", "\(metadata.strokes) strokes, \(metadata.samples) reports"),
            ("in the air", metadata.inAirSamples > 0 ? "\(metadata.inAirSamples) reports" : nil),
        ]
        rows += metadata.devices.map { ("device", $0) }
        let screen = metadata.screen
        rows += [
            ("screen", "\(screen.width)x\(screen.height), \(rounded(metadata.pixelsPerMillimetre)) pixels/mm"),
            ("panel", metadata.panel), ("program", metadata.program), ("record", "\(summary.byteCount) bytes"),
        ]
        if let quality = metadata.quality {
            rows += [
                ("report rate", quality.reportRate.map { rounded($0) + "/s" }),
                ("longest gap", quality.longestGap.map { rounded(Double($0) / 1000) + " ms" }),
                ("drops", "\(quality.drops)"), ("ignored", "\(quality.ignoredContacts) contacts"),
                ("latency", quality.latency.map(latency)),
            ]
        }
        return rows.map { name, value in
            value.map { name + String(repeating: " ", count: 13 - name.count) + $0.printable + "\n" } ?? ""
        }.joined()
    }

    /// What of the request the person did not see; nil when all of it was on the page, or nobody knows.
    private var hidden: String? {
        guard let shows = metadata.shows else { return nil }
        let summary = metadata.summary
        let fields = [
            ("prompt", shows.prompt || summary.prompt.isEmpty), ("signer", shows.signer || summary.signer == nil),
            ("reason", shows.reason || summary.reason == nil), ("date", shows.date),
        ]
        let names = fields.filter { !$0.1 }.map(\.0)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// The date with its time zone: `14.03.2026 (UTC+01:00, Europe/Berlin)`.
    private func local(_ date: CaptureHeader.LocalDate) -> String {
        func padded(_ value: UInt) -> String { (value < 10 ? "0" : "") + "\(value)" }
        let (offset, sign) = (date.offsetSeconds.magnitude, date.offsetSeconds < 0 ? "-" : "+")
        let zone = "UTC" + sign + padded(offset / 3600) + ":" + padded(offset / 60 % 60)
        return date.text + " (" + zone + (date.zone.map { ", " + $0 } ?? "") + ")"
    }

    private func latency(_ latency: CaptureQuality.Latency) -> String {
        "p50 \(rounded(latency.p50)) ms, p95 \(rounded(latency.p95)) ms, p99 \(rounded(latency.p99)) ms"
    }

    private func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
