// SPDX-License-Identifier: Apache-2.0
public import Record

/// What is known about a record without its ink.
public struct RecordMetadata: Codable, Equatable, Sendable {
    public struct Size: Codable, Equatable, Sendable {
        public var width, height: Int
    }

    public var summary: RecordSummary
    /// What of the request was on the page; nil where the record does not say.
    public var shows: ShownFields?
    /// At the start, as the page wrote it; nil where the record does not say.
    public var date: CaptureHeader.LocalDate?
    public var program: String
    /// What the panel was called; nil where the record does not say.
    public var panel: String?
    public var devices: [String]
    /// Pixels.
    public var screen: Size
    public var pixelsPerMillimetre: Double
    /// Those that stand at the end, and their reports.
    public var strokes, samples: Int
    /// Reports of pens that were near and did not touch.
    public var inAirSamples: Int
    /// Nil for an interrupted one.
    public var quality: CaptureQuality?

    /// - Parameter byteCount: of the record's file.
    public init(_ record: CaptureRecord, byteCount: Int) {
        let header = record.header
        summary = RecordSummary(header: header, end: record.end, byteCount: byteCount)
        shows = header.shows
        date = header.date
        program = header.program
        panel = header.panel
        devices = header.devices.map(\.name)
        screen = Size(width: header.screen.width, height: header.screen.height)
        pixelsPerMillimetre = header.screen.pixelsPerMillimetre
        let visible = record.visibleStrokes
        strokes = visible.count
        samples = visible.reduce(0) { $0 + $1.samples.count }
        inAirSamples = record.entries.reduce(0) { count, entry in
            if case .inAir(let movement) = entry { count + movement.samples.count } else { count }
        }
        quality = record.end?.quality
    }
}
