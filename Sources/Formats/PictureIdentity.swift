// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HostAPI
public import PNG
public import Raster
public import Record

/// The description of a capture in its pictures: text chunks in PNG, title and metadata in SVG. The same record gives
/// the same bytes.
public struct PictureIdentity: Sendable {
    static let namespace = "https://inkpanel.org/capture"

    private let capture, outcome, startedAt, program: String
    private let panel: String?
    private let isAccepted: Bool
    /// Sorted by key.
    private let data: [(key: String, value: String)]

    public init(of record: CaptureRecord) {
        let header = record.header
        capture = header.id
        outcome = record.outcome.rawValue
        startedAt = TimestampText.second(microseconds: header.startedAt)
        program = header.program
        panel = header.panel
        isAccepted = record.isAccepted
        data = record.dataEntries
    }

    private var title: String { "Signature \(capture) (\(outcome)\(isAccepted ? "" : ", not accepted"))" }

    /// Keywords of 1 to 79 ASCII characters, and texts without control characters. `Title`, `Creation Time` and
    /// `Software` are defined by the PNG specification.
    var pngTexts: [(keyword: String, text: String)] {
        var texts = [("Title", title), ("Creation Time", startedAt), ("Software", program), ("Capture", capture)]
        if let panel { texts.append(("Panel", panel)) }
        texts.append(("Outcome", outcome))
        if !data.isEmpty {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let object = Dictionary(uniqueKeysWithValues: data.map { ($0.key, $0.value) })
            // Encoding strings does not fail.
            if let json = try? encoder.encode(object) { texts.append(("Data", String(decoding: json, as: UTF8.self))) }
        }
        return texts.map { ($0, $1.withoutControls) }
    }

    /// The first elements of an SVG file.
    var svg: String {
        var attributes = [("id", capture), ("outcome", outcome), ("startedAt", startedAt)]
        if let panel { attributes.append(("panel", panel)) }
        attributes.append(("program", program))
        let list = attributes.map { " \($0)=\"\(XMLText.escaped($1))\"" }.joined()
        let entries = data.map { entry in
            "<data key=\"\(XMLText.escaped(entry.key))\">\(XMLText.escaped(entry.value))</data>\n"
        }.joined()
        return """
            <title>\(XMLText.escaped(title))</title>
            <metadata>
            <capture xmlns="\(Self.namespace)"\(list)\(entries.isEmpty ? "/>" : ">\n\(entries)</capture>")
            </metadata>

            """
    }
}

extension CaptureRecord {
    /// The host's own data, sorted by key.
    var dataEntries: [(key: String, value: String)] {
        (header.request.data ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value) }
    }
}

extension String {
    /// The text with control characters replaced: PNG texts must not have any.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}

extension PNGEncoder {
    /// Writes a picture of a capture, with its description in the file.
    /// - Throws: ``ExportError/pngRefused(size:)``.
    public static func encode(
        _ surface: Surface, dotsPerInch: Double, hasAlpha: Bool, identity: PictureIdentity?
    ) throws(ExportError) -> [UInt8] {
        do throws(PNGError) {
            return try encode(
                surface, dotsPerInch: dotsPerInch, hasAlpha: hasAlpha, texts: identity?.pngTexts ?? [])
        } catch {
            throw .pngRefused(size: surface.size)
        }
    }
}
