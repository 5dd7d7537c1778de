// SPDX-License-Identifier: Apache-2.0
import Geometry
public import HostAPI
public import Record
public import Store

extension RecordList {
    /// - Parameter head: of the chain.
    public init(_ list: CaptureList, head: SealHead? = nil) {
        self.init(
            captures: list.captures.map { RecordSummary($0) }, unreadable: list.unreadable.map(\.description),
            seal: head,
            // Somebody may have renamed a seal to a number in the billions.
            missingSeals: list.gaps.isEmpty ? nil : Array(list.gaps.lazy.flatMap { $0 }.prefix(1000)))
    }
}

extension RecordSummary {
    public init(_ summary: CaptureSummary) {
        self.init(
            id: summary.id, outcome: summary.outcome, startedAt: summary.startedAt, endedAt: summary.endedAt,
            request: summary.header?.request ?? CaptureRequest(), byteCount: summary.byteCount, seal: summary.seal,
            encrypted: summary.header == nil ? true : nil)
    }
}

extension RecordMetadata {
    /// - Parameter byteCount: of its JSON lines.
    public init(_ record: CaptureRecord, byteCount: Int, seal: SealHead? = nil) {
        let header = record.header
        let visible = record.visibleStrokes
        let writers = Set(visible.map(\.device))
        self.init(
            // The decoder accepts only IDs.
            summary: RecordSummary(
                CaptureSummary(
                    id: CaptureID(header.id)!, header: header, end: record.end, byteCount: byteCount, seal: seal)),
            shows: header.shows, date: header.date, language: header.request.language, program: header.program,
            panel: header.panel, askedBy: header.askedBy,
            devices: header.devices.indices.filter(writers.contains).map { header.devices[$0].name },
            screen: PixelSize(width: header.screen.width, height: header.screen.height),
            pixelsPerMillimetre: header.screen.pixelsPerMillimetre, strokes: visible.count,
            samples: visible.reduce(0) { $0 + $1.samples.count },
            inAirSamples: record.entries.reduce(0) { count, entry in
                if case .inAir(let movement) = entry { count + movement.samples.count } else { count }
            },
            quality: record.end?.quality, shown: record.end?.shown, missingGlyphs: header.missingGlyphs)
        guard let flow = header.flow else { return }
        people = flow.people
        reading = record.end?.reading
        answers = record.answers.isEmpty ? nil : record.answers
        let fields = record.fields.map { field in
            let role = flow.people.flatMap { $0.indices.contains(field.person) ? $0[field.person].role : nil }
            return SignedField(
                name: field.name, kind: field.kind, person: role, strokes: field.strokes.count, same: field.same,
                instead: field.instead, heard: field.heard ? true : nil, typed: field.typed,
                host: field.isAcceptedByHost ? true : nil)
        }
        self.fields = fields.isEmpty ? nil : fields
    }
}
