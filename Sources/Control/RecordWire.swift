// SPDX-License-Identifier: Apache-2.0
import Formats
import FoundationEssentials
public import Geometry
import Pad
import Raster
public import Record
public import Store

/// The reply to `List`.
public struct RecordList: Codable, Equatable, Sendable {
    /// Newest first.
    public var captures: [RecordSummary]
    /// Why other files in the store cannot be read.
    public var unreadable: [String]
    /// The last seal; nil without one.
    public var seal: SealHead?
    /// The numbers of seals that are missing, although later ones exist.
    public var missingSeals: [Int64]?

    /// - Parameter head: of the chain.
    public init(_ list: CaptureList, head: SealHead? = nil) {
        seal = head
        // Somebody may have renamed a seal to a number in the billions.
        missingSeals = list.gaps.isEmpty ? nil : Array(list.gaps.lazy.flatMap { $0 }.prefix(1000))
        captures = list.captures.map { RecordSummary($0) }
        unreadable = list.unreadable.map(\.description)
    }
}

public struct RecordSummary: Codable, Equatable, Sendable {
    public var id: String
    public var outcome: RecordOutcome
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    public var endedAt: Int64?
    public var prompt: [String]
    public var rows: [CaptureRequest.Row]?
    public var signer, reason, `operator`: String?
    public var document: CaptureRequest.Document?
    public var data: [String: String]?
    public var byteCount: Int
    /// nil if the record is not sealed.
    public var seal: SealHead?
    /// true if only the recipients can read the record; the texts of its request are then missing here.
    public var encrypted: Bool?

    public init(_ summary: CaptureSummary) {
        id = summary.id.description
        outcome = summary.outcome
        startedAt = summary.startedAt
        endedAt = summary.endedAt
        let request = summary.header?.request ?? CaptureRequest()
        prompt = request.prompt
        rows = request.rows
        signer = request.signer
        reason = request.reason
        self.operator = request.operator
        document = request.document
        data = request.data
        byteCount = summary.byteCount
        seal = summary.seal
        encrypted = summary.header == nil ? true : nil
    }
}

/// All of a record except its ink. Optional members are nil where the record does not have them.
public struct RecordMetadata: Codable, Equatable, Sendable {
    public var summary: RecordSummary
    public var shows: ShownFields?
    /// The date at the start, as on the page.
    public var date: CaptureHeader.LocalDate?
    /// The language of the page; nil if the host named none.
    public var language: String?
    public var program: String
    public var panel: String?
    /// The role of the host that asked for the capture; nil for an operator.
    public var askedBy: HostRole?
    /// The names of the devices of the visible strokes.
    public var devices: [String]
    /// Pixels.
    public var screen: PixelSize
    public var pixelsPerMillimetre: Double
    /// The number of strokes that are visible at the end, and of their samples.
    public var strokes, samples: Int
    /// The number of samples of hovering pens.
    public var inAirSamples: Int
    public var quality: CaptureQuality?
    /// What the person saw; nil in older records.
    public var shown: ShownPage?
    /// Texts that the page did not show as they are; nil for none.
    public var missingGlyphs: [MissingGlyphs]?

    /// - Parameter byteCount: of its JSON lines.
    public init(_ record: CaptureRecord, byteCount: Int, seal: SealHead? = nil) {
        let header = record.header
        // The decoder accepts only IDs.
        summary = RecordSummary(
            CaptureSummary(
                id: CaptureID(header.id)!, header: header, end: record.end, byteCount: byteCount, seal: seal))
        shows = header.shows
        date = header.date
        language = header.request.language
        program = header.program
        panel = header.panel
        askedBy = header.askedBy
        screen = PixelSize(width: header.screen.width, height: header.screen.height)
        pixelsPerMillimetre = header.screen.pixelsPerMillimetre
        let visible = record.visibleStrokes
        let writers = Set(visible.map(\.device))
        devices = header.devices.indices.filter(writers.contains).map { header.devices[$0].name }
        strokes = visible.count
        samples = visible.reduce(0) { $0 + $1.samples.count }
        inAirSamples = record.entries.reduce(0) { count, entry in
            if case .inAir(let movement) = entry { count + movement.samples.count } else { count }
        }
        quality = record.end?.quality
        shown = record.end?.shown
        missingGlyphs = header.missingGlyphs
    }
}

// MARK: Get

struct GetParameters: StrictMembers {
    struct Size: StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case width, height }

        var width, height: Whole
    }

    enum CodingKeys: CodingKey, CaseIterable {
        case id, format, dpi, size, part, transparent, color, caption, interrupted
    }

    private static let metadata = "metadata"
    private static let forPictures = "format png or svg"

    var id: String
    var format: String
    var dpi: Double?
    var size: Strict<Size>?
    var part: String?
    var transparent: Bool?
    var color: String?
    var caption, interrupted: Bool?

    /// - Parameter choice: nil for metadata.
    init(_ id: CaptureID, _ choice: ExportChoice?) {
        self.id = id.description
        format = choice?.format.rawValue ?? Self.metadata
        interrupted = choice?.includesInterrupted == true ? true : nil
        guard let choice, choice.format.isPicture else { return }
        switch choice.picture.resolution {
        case .density(let density): dpi = density.dotsPerInch
        case .size(let size):
            self.size = Strict(Size(width: Whole(Int64(size.width)), height: Whole(Int64(size.height))))
        }
        part = choice.picture.part == .signingArea ? "signingArea" : "ink"
        transparent = choice.picture.isTransparent
        color = choice.picture.color?.hexText
        caption = choice.picture.hasCaption ? true : nil
    }

    /// - Returns: the record, and a choice, or nil for metadata.
    /// - Throws: ``PanelError/invalidParameter(_:expected:)``, or ``PanelError/noSuchCapture(_:)``.
    func checked() throws(PanelError) -> (CaptureID, ExportChoice?) {
        guard let id = CaptureID(id) else { throw .noSuchCapture(id) }
        if format == Self.metadata {
            if let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
            return (id, nil)
        }
        guard let format = ExportFormat(rawValue: format) else {
            let names = [Self.metadata] + ExportFormat.allCases.map(\.rawValue)
            throw .invalidParameter("format", expected: "one of \(names.joined(separator: ", "))")
        }
        if !format.isPicture, let name = pictureMember { throw .invalidParameter(name, expected: Self.forPictures) }
        if dpi != nil, size != nil { throw .invalidParameter("size", expected: "dpi or size, not both") }
        if caption == true, format != .png {
            throw .invalidParameter("caption", expected: "format png")
        }
        var choice = ExportChoice(format: format, picture: try checkedPicture())
        choice.includesInterrupted = interrupted ?? false
        return (id, choice)
    }

    private func checkedPicture() throws(PanelError) -> PictureChoice {
        var picture = PictureChoice()
        if let dpi {
            let range = PixelDensity.dotsPerInchRange
            guard range.contains(dpi) else { throw .outOfRange("dpi", range, "pixels per inch") }
            picture.resolution = .density(PixelDensity(dotsPerInch: dpi))
        }
        if let size = size?.value {
            let (width, height) = (Int(size.width.value), Int(size.height.value))
            let range = PictureChoice.sideRange
            guard range.contains(width), range.contains(height) else {
                throw .outOfRange("size", range, "pixels a side")
            }
            picture.resolution = .size(PixelSize(width: width, height: height))
        }
        switch part {
        case nil, "ink": break
        case "signingArea": picture.part = .signingArea
        default: throw .invalidParameter("part", expected: "ink or signingArea")
        }
        picture.isTransparent = transparent ?? false
        if let color {
            guard let color = Color(hex: color) else {
                throw .invalidParameter("color", expected: "a colour as rrggbb in hexadecimal")
            }
            picture.color = color
        }
        picture.hasCaption = caption ?? false
        return picture
    }

    /// The first parameter that only pictures take.
    private var pictureMember: String? {
        let members = [
            ("dpi", dpi != nil), ("size", size != nil), ("part", part != nil), ("transparent", transparent != nil),
            ("color", color != nil), ("caption", caption != nil),
        ]
        return members.first { $0.1 }?.0
    }
}

/// The reply to `Get`. Files are encoded by ``ReplyEncoder/message(_:format:)``.
struct GetReply: Codable {
    var mediaType: String
    var text, base64: String?
    var metadata: RecordMetadata?

    init(_ metadata: RecordMetadata) {
        mediaType = "application/json"
        self.metadata = metadata
    }

    /// The file; nil without one, or if it is not base64.
    var bytes: [UInt8]? {
        if let text { return Array(text.utf8) }
        return base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
