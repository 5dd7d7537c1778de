// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Control
import FoundationEssentials
public import HostAPI
import Linux
import Record

struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Socket of the panel (default: $INKPANEL_SOCKET, or \(PanelClient.defaultPath)).", valueName: "path"))
    var socket: String?

    var path: String { socket ?? PanelClient.usualPath }

    func connect() throws(PanelClientError) -> PanelClient { try PanelClient(path: path) }
}

extension CaptureID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// The beginning of a capture's ID is enough where no other capture has it.
extension CaptureID {
    /// - Parameter ids: of all captures; called for the beginning of one only.
    /// - Throws: ``CommandError`` that lists the captures if there are several.
    func resolved(_ ids: () throws -> [CaptureID]) throws -> CaptureID {
        let text = description
        if text.utf8.count >= CaptureID.generatedLength { return self }
        let ids = try ids()
        let matching = ids.filter { $0.description.hasPrefix(text) }
        if ids.contains(self) || matching.isEmpty { return self }
        if matching.count == 1 { return matching[0] }
        let most = 10
        throw CommandError.wrongUsage(
            "\(text) begins the IDs of \(matching.count) captures; name more of one of "
                + matching.prefix(most).map(\.description).joined(separator: ", ")
                + (matching.count > most ? ", …" : ""))
    }
}

extension PanelClient {
    mutating func resolve(_ start: CaptureID) throws -> CaptureID {
        try start.resolved { try list().captures.map(\.id) }
    }
}

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the stored signatures, newest first.")

    @Option(
        help: ArgumentHelp(
            "Only those that began at or after a time in UTC, such as 2026-11-20 or 2026-11-20T08:30, or in the last "
                + "30m, 12h or 7d.", valueName: "time"))
    var since: ListedSince?

    @Option(help: ArgumentHelp("Only those of signers whose name contains a text, in any case.", valueName: "text"))
    var signer: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Only those with this entry of your own data; may be repeated.", valueName: "key=value"))
    var data: [DataEntry] = []

    @Option(help: ArgumentHelp("At most this many, the newest.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print JSON with all details.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    /// The captures that the options name.
    /// - Parameter now: microseconds since 1970.
    func chosen(of captures: [RecordSummary], now: Int64) -> [RecordSummary] {
        let chosen = captures.filter { capture in
            since.map { capture.startedAt >= $0.start(now: now) } ?? true
                && signer.map { (capture.signer ?? "").lowercased().firstRange(of: $0.lowercased()) != nil } ?? true
                && data.allSatisfy { capture.data?[$0.key] == $0.value }
        }
        return limit.map { Array(chosen.prefix($0)) } ?? chosen
    }

    func run() throws {
        try reportingErrors {
            var client = try control.connect()
            var list = try client.list()
            list.captures = chosen(of: list.captures, now: WallClock.microseconds)
            if json { return try OutputFile.print(try JSONText.encode(list)) }
            try OutputFile.print(CaptureTable(list.captures).text)
            for reason in list.unreadable { Log().warning(reason) }
        }
    }
}

/// The time of `list --since`.
enum ListedSince: Equatable, ExpressibleByArgument {
    /// Seconds before now.
    case ago(Int64)
    /// Microseconds since 1970.
    case time(Int64)

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        if let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), count >= 0 {
            let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
            // A thousand years are all captures.
            self = .ago(isTooLong ? 31_556_952_000 : min(seconds, 31_556_952_000))
            return
        }
        // The form that the list prints; seconds, time and zone may be missing.
        var text = argument.split(separator: " ").joined(separator: "T")
        switch text.utf8.count {
        case 10: text += "T00:00:00Z"
        case 16: text += ":00Z"
        case 19: text += "Z"
        default: break
        }
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        let time = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
        // The parser takes the 32nd for the 1st.
        guard TimestampText.second(microseconds: time) == text else { return nil }
        self = .time(time)
    }

    func start(now: Int64) -> Int64 {
        switch self {
        case .ago(let seconds): now - seconds * 1_000_000
        case .time(let time): time
        }
    }
}

/// Captures in columns. The last column, which may be of any length and script, is not padded.
struct CaptureTable {
    private static let heading = ["ID", "STARTED", "OUTCOME", "SIGNER", "FOR"]
    private let captures: [RecordSummary]

    init(_ captures: [RecordSummary]) { self.captures = captures }

    // Each step has a stated type: Swift 6.0 cannot type-check one expression in time.
    var text: String {
        // Before they are counted: CR and LF are one character, and two afterwards.
        var rows: [[String]] = [Self.heading]
        for capture in captures { rows.append(Self.row(capture).map(\.printable)) }
        let widths: [Int] = Self.heading.indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for row in rows {
            for (cell, width) in zip(row, widths) {
                text += cell + String(repeating: " ", count: width - cell.count) + "  "
            }
            text += row[row.count - 1] + "\n"
        }
        return text
    }

    private static func row(_ capture: RecordSummary) -> [String] {
        let named: String? = capture.reason ?? capture.document?.reference ?? capture.prompt.first
        let purpose = capture.encrypted == true ? "(encrypted)" : named ?? capture.rows?.first?.line ?? "-"
        return [
            capture.id.description, TimestampText.second(microseconds: capture.startedAt),
            capture.outcome.result.rawValue, capture.signer ?? "-", purpose,
        ]
    }
}

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the details of a stored signature.")

    @Argument(help: "ID of the capture, as capture and list print it, or its beginning, or file of a record.")
    var capture: CaptureSource

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            let metadata: RecordMetadata
            switch capture {
            case .stored(let id):
                var client = try control.connect()
                metadata = try client.metadata(of: try client.resolve(id))
            case .file(let path):
                let (record, file) = try RecordFile.read(path)
                metadata = RecordMetadata(record, byteCount: file.count)
            }
            try OutputFile.print(json ? try JSONText.encode(metadata) : CaptureSheet(metadata).text)
        }
    }
}

/// The details of a capture, one a line.
struct CaptureSheet {
    private let metadata: RecordMetadata

    init(_ metadata: RecordMetadata) { self.metadata = metadata }

    var text: String {
        let summary = metadata.summary
        var rows: [(String, String?)] = [
            ("id", summary.id.description), ("outcome", summary.outcome.result.rawValue),
            ("started", TimestampText.second(microseconds: summary.startedAt)),
            ("ended", summary.endedAt.map { TimestampText.second(microseconds: $0) }),
            ("date", metadata.date.map(local)), ("language", metadata.language),
        ]
        rows += summary.prompt.map { ("prompt", $0) } + (summary.rows ?? []).map { ("row", $0.line) }
        let data = (summary.data ?? [:]).sorted { $0.key < $1.key }
        rows += [
            ("signer", summary.signer), ("reason", summary.reason), ("operator", summary.operator),
            ("document", summary.document?.reference), ("SHA-256", summary.document?.sha256),
        ]
        rows += data.map { ("data", $0.key + "=" + $0.value) }
        rows += [
            ("not shown", hidden),
            ("no glyphs", metadata.missingGlyphs.map { $0.map(\.description).joined(separator: "; ") }),
            ("ink", "\(metadata.strokes) strokes, \(metadata.samples) reports"),
            ("in the air", metadata.inAirSamples > 0 ? "\(metadata.inAirSamples) reports" : nil),
        ]
        rows += flow
        rows += metadata.devices.map { ("device", $0) }
        rows += [
            ("screen", "\(metadata.screen), \(rounded(metadata.pixelsPerMillimetre)) pixels/mm"),
            ("panel", metadata.panel), ("asked by", metadata.askedBy?.rawValue), ("program", metadata.program),
            ("record", "\(summary.byteCount) bytes"),
            ("seal", summary.seal.map { "\($0.n), \($0.digest)" }),
        ]
        rows += (metadata.shown?.fonts ?? []).map { ("font", $0) }
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

    /// The pages that people read, answered and signed.
    private var flow: [(String, String?)] {
        let people = metadata.people ?? []
        var rows: [(String, String?)] = people.map { ("person", $0.words) }
        for (index, reading) in (metadata.reading ?? []).enumerated() {
            let pages = reading.pages.map { "\($0)" }.joined(separator: ", ")
            let who = people.indices.contains(index) ? people[index].role + ": " : ""
            let what = reading.toEnd ? "all pages" : pages.isEmpty ? "no page" : "pages \(pages), not all of them"
            rows.append(("read", who + what + ", \(rounded(reading.seconds)) s"))
        }
        rows += (metadata.answers ?? []).map { answer in
            let value = answer.choice ?? answer.rating.map { "\($0)" } ?? (answer.checked == true ? "yes" : "no")
            return ("answer", answer.name + ": " + value)
        }
        rows += (metadata.fields ?? []).map { field in
            let strokes = field.strokes == 1 ? "1 stroke" : "\(field.strokes) strokes"
            let ink = field.same.map { "the ink of \($0)" } ?? strokes
            let kind = field.instead.map { "in place of a signature, \($0.rawValue)" } ?? field.kind.rawValue
            let host = field.host == true ? ", accepted by the host" : ""
            let facts = host + (field.heard == true ? ", read aloud" : "")
            let what = kind + facts + (field.person.map { ", " + $0 } ?? "")
            return ("field", "\(field.name): \(what), " + (field.typed?.words("") ?? ink))
        }
        rows.append(("signed", metadata.signedByteCount.map { "document of \($0) bytes" }))
        return rows
    }

    /// Fields of the request that the page did not show; nil if it showed all, or if unknown.
    private var hidden: String? {
        guard let shows = metadata.shows else { return nil }
        let summary = metadata.summary
        let fields = [
            ("prompt", shows.prompt || summary.prompt.isEmpty && summary.rows == nil),
            ("signer", shows.signer || summary.signer == nil),
            ("reason", shows.reason || summary.reason == nil), ("date", shows.date),
        ]
        let names = fields.filter { !$0.1 }.map(\.0)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// Date and time zone: `14.03.2026 (UTC+01:00, Europe/Berlin)`.
    private func local(_ date: LocalDate) -> String {
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

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete stored signatures from the panel.",
        discussion: """
            Goes on after a signature that cannot be deleted. The exit status is that of the first error.
            """)

    @Argument(help: "IDs of the captures, as capture and list print them, or their beginnings.")
    var ids: [CaptureID]

    @OptionGroup var control: ControlOptions

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            var client = try control.connect()
            var first: CommandError?
            for id in ids {
                let failure: CommandError
                do {
                    try client.delete(try client.resolve(id))
                    continue
                } catch let error as PanelClientError {
                    // Without a panel the others would fail, too.
                    guard case .refused = error else { throw error }
                    failure = CommandError(error)
                } catch let error as CommandError {
                    failure = error
                }
                log.error(failure.message)
                first = first ?? failure
            }
            if let first { throw ExitCode(first.status) }
        }
    }
}
