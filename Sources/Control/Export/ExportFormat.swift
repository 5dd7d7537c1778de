// SPDX-License-Identifier: Apache-2.0

/// What a record can be had as; docs/formats.md says what is in each.
public enum ExportFormat: String, CaseIterable, Sendable {
    case png, svg, inkml, iso19794
    case signaturePad = "signature_pad"
    case csv
    /// The JSON lines as they are stored.
    case record

    /// How the names of files end that hold it.
    public var suffix: String {
        switch self {
        case .signaturePad: "json"
        case .record: "jsonl"
        case .png, .svg, .inkml, .iso19794, .csv: rawValue
        }
    }

    /// What a file's name asks for; nil when it does not tell.
    public init?(suffixOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
        guard let format = Self.allCases.first(where: { $0.suffix == suffix }) else { return nil }
        self = format
    }

    /// Whether it has a size, and paper.
    public var isPicture: Bool { self == .png || self == .svg }

    /// Whether it is UTF-8.
    var isText: Bool { self != .png && self != .iso19794 }

    var mediaType: String {
        switch self {
        case .png: "image/png"
        case .svg: "image/svg+xml"
        case .inkml: "application/inkml+xml"
        case .iso19794: "application/octet-stream"
        case .signaturePad: "application/json"
        case .csv: "text/csv"
        case .record: "application/jsonl"
        }
    }
}
