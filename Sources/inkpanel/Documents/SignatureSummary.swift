// SPDX-License-Identifier: Apache-2.0
import Formats
import HostAPI
import Panel
import Record

/// A signature as a summary has it.
struct SignatureSummary {
    var record: CaptureRecord
    /// SHA-256 of the record's lines, in hexadecimal.
    var digest: String
    /// The fingerprint of the panel's key; nil if it has none.
    var key: String?
    /// What the person is in the transaction.
    var role: String?
    var ink: PDFInk

    private var request: CaptureRequest { record.header.request }
    private var name: String {
        guard let signer = request.signer, !signer.isBlank else { return "Signature" }
        return signer
    }

    /// - Parameter files: further rows about the document.
    static func page(of signatures: [SignatureSummary], files: [SummaryPage.Row]) -> SummaryPage {
        var sections = signatures.map(\.section)
        sections += document(of: signatures, files).map { [$0] } ?? []
        // The same request is there once, and a panel, too.
        for (index, signature) in signatures.enumerated() {
            let rows = signature.requestRows
            if rows.isEmpty || signatures[..<index].contains(where: { $0.requestRows == rows }) { continue }
            let isOnly = signatures.allSatisfy { $0.requestRows == rows }
            sections.append(.init(isOnly ? "On the page" : "On the page of \(signature.name)", rows: rows))
        }
        for (index, signature) in signatures.enumerated() {
            let rows = signature.panelRows
            if !signatures[..<index].contains(where: { $0.panelRows == rows }) {
                sections.append(.init("Panel", rows: rows))
            }
        }
        let count = signatures.count
        return SummaryPage(
            title: count == 1 ? "Summary of the signature" : "Summary of \(count) signatures",
            subtitle: signatures.first.flatMap { $0.request.document?.reference ?? $0.request.prompt.first },
            sections: sections,
            footer: "Made from \(count == 1 ? "the record" : "the records") named above, and not signed: records and "
                + "their seals are the evidence (inkpanel verify).")
    }

    private var section: SummaryPage.Section {
        var rows: [SummaryPage.Row] = []
        if let role, !role.isBlank { rows.append(.init("Role", role)) }
        let header = record.header
        rows.append(.init("Signed", SummaryText.time(record.end?.endedAt ?? header.startedAt, header.date)))
        rows.append(.init("Clock", SummaryText.clock(header), style: .muted))
        rows.append(.init("Record", header.id, style: .code))
        rows.append(.init("SHA-256", SummaryText.digest(digest), style: .code))
        return .init(name, ink: ink, rows: rows)
    }

    private static func document(
        of signatures: [SignatureSummary], _ files: [SummaryPage.Row]
    ) -> SummaryPage.Section? {
        let document = signatures.first?.request.document
        var rows: [SummaryPage.Row] = []
        if let reference = document?.reference { rows.append(.init("Name", reference)) }
        if let digest = document?.sha256 { rows.append(.init("SHA-256", SummaryText.digest(digest), style: .code)) }
        rows += files
        return rows.isEmpty ? nil : .init("Document", rows: rows)
    }

    /// What the person was told. A part that was not on the page says so.
    private var requestRows: [SummaryPage.Row] {
        let shows = record.header.shows
        var rows: [SummaryPage.Row] = []
        func add(_ label: String, _ value: String, isShown: Bool?) {
            if value.isBlank { return }
            rows.append(.init(label + (isShown == false ? " (hidden)" : ""), value))
        }
        add("Text", request.prompt.joined(separator: "\n"), isShown: shows?.prompt)
        for row in request.rows ?? [] { add(row.label, row.value, isShown: shows?.prompt) }
        add("Reason", request.reason ?? "", isShown: shows?.reason)
        return rows
    }

    private var panelRows: [SummaryPage.Row] {
        var rows: [SummaryPage.Row] = []
        if let panel = record.header.panel { rows.append(.init("Name", panel)) }
        rows.append(.init("Program", record.header.program))
        if let key { rows.append(.init("Key", key, style: .code)) }
        return rows
    }
}

/// Texts of summaries.
enum SummaryText {
    /// 64 digits in groups of eight, in two lines.
    static func digest(_ digits: String) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, index % 8 == 0 { result += index == 32 ? "\n" : " " }
            result.append(digit)
        }
        return result
    }

    /// A time to the second, as it was at the panel if the record says where that is.
    static func time(_ microseconds: Int64, _ date: LocalDate?) -> String {
        let isFar = microseconds.magnitude > 1 << 62
        guard let date, date.offsetSeconds.magnitude <= 86_400, !isFar else { return spaced(microseconds) + " UTC" }
        let minutes = abs(date.offsetSeconds) / 60
        func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let offset = (date.offsetSeconds < 0 ? "\u{2212}" : "+") + padded(minutes / 60) + ":" + padded(minutes % 60)
        let isUTC = date.offsetSeconds == 0
        return spaced(microseconds + Int64(date.offsetSeconds) * 1_000_000) + " UTC" + (isUTC ? "" : offset)
    }

    private static func spaced(_ microseconds: Int64) -> String {
        TimestampText.second(microseconds: microseconds).replacing("T", with: " ").replacing("Z", with: "")
    }

    /// How well the clock was known.
    static func clock(_ header: CaptureHeader) -> String {
        guard let isKept = header.clockSynchronized else { return "not known how well it was kept" }
        if !isKept { return "not kept by a time service" }
        guard let error = header.clockMaximumError else { return "kept by a time service" }
        return "kept by a time service, right within \(within(error))"
    }

    private static func within(_ microseconds: Int64) -> String {
        // Rounded up.
        let milliseconds = max(microseconds - 1, 0) / 1000 + 1
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\((milliseconds - 1) / 1000 + 1) s"
    }
}
