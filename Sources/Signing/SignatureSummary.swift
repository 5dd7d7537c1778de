// SPDX-License-Identifier: Apache-2.0
package import Document
import Formats
import HostAPI
package import Record

/// A signature as a summary has it.
package struct SignatureSummary {
    package var record: CaptureRecord
    /// SHA-256 of the record's lines, in hexadecimal.
    package var digest: String
    /// The fingerprint of the panel's key; nil if it has none.
    package var key: String?
    /// The person's part in the transaction, such as Customer.
    package var role: String?
    /// nil for a record with several pages, whose fields have theirs.
    package var ink: DocumentInk?
    /// The ink of each field of a record with several, by its name.
    package var fieldInks: [String: DocumentInk] = [:]

    package init(record: CaptureRecord, digest: String, key: String?, role: String?, ink: DocumentInk?) {
        self.record = record
        self.digest = digest
        self.key = key
        self.role = role
        self.ink = ink
    }

    private var request: CaptureRequest { record.header.request }
    private var name: String {
        guard let signer = request.signer, !signer.isBlank else { return "Signature" }
        return signer
    }

    /// - Parameter files: further rows about the document.
    package static func page(of signatures: [SignatureSummary], files: [SummaryPage.Row]) -> SummaryPage {
        var sections = signatures.flatMap(\.sections)
        let signatureCount = signatures.reduce(0) { $0 + $1.signatureCount }
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
            title: signatureCount == 0
                ? "Summary"
                : signatureCount == 1 ? "Summary of the signature" : "Summary of \(signatureCount) signatures",
            subtitle: signatures.first.flatMap { $0.request.document?.reference ?? $0.request.prompt.first },
            sections: sections,
            footer: "Made from \(count == 1 ? "the record" : "the records") named above, and not signed: records and "
                + "their seals are the evidence (inkpanel verify).")
    }

    /// The number of people who have signed, rather than initialled, answered or read.
    private var signatureCount: Int {
        guard record.header.flow != nil else { return ink == nil ? 0 : 1 }
        return Set(record.fields.filter { $0.kind == .signature && $0.instead == nil }.map(\.person)).count
    }

    private var sections: [SummaryPage.Section] {
        guard let flow = record.header.flow else {
            var rows: [SummaryPage.Row] = []
            if let role, !role.isBlank { rows.append(.init("Role", role)) }
            rows.append(written(.signature, record.end?.endedAt ?? record.header.startedAt))
            return [.init(name, ink: ink, rows: rows + recordRows)]
        }
        let people = flow.people ?? [CapturePerson(role: role ?? "", name: request.signer)]
        return people.indices.map { section(of: $0, people[$0], flow) } + [.init("Record", rows: recordRows)]
    }

    /// The section about one person: the pages read, the answers and the signatures.
    private func section(of index: Int, _ person: CapturePerson, _ flow: RecordedFlow) -> SummaryPage.Section {
        var rows: [SummaryPage.Row] = []
        if !person.role.isBlank { rows.append(.init("Role", person.role)) }
        let fields = record.fields.filter { $0.person == index }
        for kind in [FieldInk.Kind.signature, .initials, .note] {
            let written = fields.filter { $0.kind == kind && $0.instead == nil }
            guard let last = written.map(\.acceptedAt).max() else { continue }
            rows.append(self.written(kind, record.header.startedAt &+ last))
        }
        for field in fields {
            if let words = field.insteadWords { rows.append(.init("Instead of a signature", words)) }
        }
        if let reading = record.end?.reading, reading.indices.contains(index), let document = flow.document {
            let read = reading[index]
            let pages = "\(read.pages.count) of \(document.pages) pages"
            rows.append(
                .init(
                    "Read",
                    pages + (read.toEnd ? ", all to the end" : "") + ", \(Int(min(max(read.seconds, 0), 1e9))) s"))
        }
        let answers = record.answers
        for question in flow.questions ?? []
        where flow.people?.firstIndex(where: { $0.role == question.person }) ?? 0 == index {
            let words = [question.heading, question.text].compactMap { $0 }.joined(separator: " · ")
            if let answer = answers.first(where: { $0.name == question.name }) {
                rows.append(.init(words, SummaryText.words(of: answer)))
            } else if question.kind == .check {
                // A box that was shown and left empty is an answer, too.
                rows.append(.init(words, "no"))
            }
        }
        rows += emptyRows(of: index, flow)
        for answer in answers {
            let places = (flow.document?.fields ?? []).filter { $0.name == answer.name && $0.person == index }
            // Each place of a choice has a value and a label of its own.
            guard let field = places.first(where: { $0.choice == answer.choice }) ?? places.first else { continue }
            if let choice = answer.choice {
                let words = [field.label, field.meaning].compactMap { $0 }.joined(separator: " · ")
                rows.append(.init(answer.name, words.isEmpty ? choice : "\(words) (\(choice))"))
            } else {
                rows.append(.init(field.label ?? answer.name, SummaryText.words(of: answer)))
            }
        }
        let ink = fields.first { fieldInks[$0.name] != nil && $0.kind == .signature } ?? fields.first
        let count = fields.count
        if count > 1 {
            let names = fields.map { $0.name + ($0.kind == .signature ? "" : " (\($0.kind.rawValue))") }
            rows.append(.init("Fields", "\(count): " + names.joined(separator: ", ")))
        }
        let unnamed =
            switch ink?.kind {
            case .signature: "Signature"
            case .initials: "Initials"
            case .note: "Note"
            case nil: "Reader"
            }
        let title = person.name ?? (person.role.isBlank ? unnamed : person.role)
        return .init(title, ink: ink.flatMap { fieldInks[$0.name] }, rows: rows)
    }

    /// The boxes and choices of the document that a person has left empty: they are answers, too.
    private func emptyRows(of index: Int, _ flow: RecordedFlow) -> [SummaryPage.Row] {
        var names = Set(record.answers.map(\.name))
        var rows: [SummaryPage.Row] = []
        for field in flow.document?.fields ?? [] where field.person == index && names.insert(field.name).inserted {
            switch field.kind {
            case .check: rows.append(.init(field.label ?? field.name, "no"))
            case .choice: rows.append(.init(field.name, "not chosen"))
            case .signature, .initials, .date, .name, .text: break
            }
        }
        return rows
    }

    private func written(_ kind: FieldInk.Kind, _ microseconds: Int64) -> SummaryPage.Row {
        let label =
            switch kind {
            case .signature: "Signed"
            case .initials: "Initialled"
            case .note: "Wrote"
            }
        return .init(label, SummaryText.time(microseconds, record.header.date))
    }

    private var recordRows: [SummaryPage.Row] {
        var rows: [SummaryPage.Row] = []
        let header = record.header
        rows.append(.init("Clock", SummaryText.clock(header), style: .muted))
        rows.append(.init("Record", header.id, style: .code))
        rows.append(.init("SHA-256", SummaryText.digest(digest), style: .code))
        return rows
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

    /// The rows of the request. Each part that the page did not show is marked as hidden.
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
package enum SummaryText {
    static func words(of answer: CaptureAnswer) -> String {
        answer.choice ?? answer.rating.map { "\($0) of 5" } ?? (answer.checked == true ? "yes" : "no")
    }

    /// 64 digits in groups of eight, in two lines.
    package static func digest(_ digits: String) -> String {
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
