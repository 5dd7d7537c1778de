// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
public import Geometry

/// Asks for a record in a format: the parameters of `Get`, which the panel checks. docs/formats.md describes the
/// formats.
///
/// ```swift
/// var call = GetCall(id, .png)
/// call.transparent = true
/// call.pixels = PixelSize(width: 600, height: 200)
/// ```
public struct GetCall: Codable, Equatable, Sendable, StrictMembers {
    struct Size: Codable, Equatable, Sendable, StrictMembers {
        enum CodingKeys: CodingKey, CaseIterable { case width, height }

        var width, height: Whole
    }

    package enum CodingKeys: CodingKey, CaseIterable {
        case id, format, field, dpi, size, part, transparent, color, caption, interrupted
    }

    package static let metadata = "metadata"

    public var id: String
    /// That of an ``ExportFormat``, or `metadata`.
    public var format: String
    /// The name of the field whose ink it is (``SignedField``); nil for that of the first signature.
    public var field: String?
    /// Pixels per inch.
    public var dpi: Double?
    private var size: Strict<Size>?
    /// `ink` or `signingArea`.
    public var part: String?
    public var transparent: Bool?
    /// The color of the ink, as `rrggbb` or `rrggbbaa` in hexadecimal.
    public var color: String?
    public var caption, interrupted: Bool?

    /// Asks for the record of `id` in a format; nil for metadata.
    public init(_ id: CaptureID, _ format: ExportFormat?) {
        self.id = id.description
        self.format = format?.rawValue ?? Self.metadata
    }

    /// The size of the picture, in place of ``dpi``.
    public var pixels: PixelSize? {
        get { (size?.value).map { PixelSize(width: Int($0.width.value), height: Int($0.height.value)) } }
        set {
            size = newValue.map {
                Strict(Size(width: Whole(Int64($0.width)), height: Whole(Int64($0.height))))
            }
        }
    }
}

/// The reply to `Get` and `Screenshot`.
public struct GetReply: Codable, Sendable {
    public var mediaType: String
    public var text, base64: String?
    public var metadata: RecordMetadata?

    package init(_ metadata: RecordMetadata) {
        mediaType = "application/json"
        self.metadata = metadata
    }

    /// The file; nil without one, or if it is not base64.
    public var bytes: [UInt8]? {
        if let text { return Array(text.utf8) }
        return base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

/// The formats of `Get`; docs/formats.md describes them.
public enum ExportFormat: String, CaseIterable, Sendable {
    case png, svg, inkml, iso19794
    case signaturePad = "signature_pad"
    case csv
    /// The JSON lines as they were captured.
    case record
    /// The record for its recipients, as they open it with age.
    case encrypted
    /// The line of the seal, and its signature for ssh-keygen.
    case seal, sealSignature
    /// The signed document, and the same for its recipients, as they open it with age.
    case pdf
    case encryptedPDF = "encryptedPdf"
    /// A ZIP archive of what a third party needs to check the capture.
    case evidence

    /// The extension of file names.
    public var suffix: String {
        switch self {
        case .signaturePad: "json"
        case .record: "jsonl"
        case .encrypted, .encryptedPDF: "age"
        case .sealSignature: "sig"
        case .evidence: "zip"
        case .seal, .pdf, .png, .svg, .inkml, .iso19794, .csv: rawValue
        }
    }

    /// Whether it has a size and a background.
    public var isPicture: Bool { self == .png || self == .svg }

    /// Whether it is a file of the store, or several, not made from the record.
    public var isStored: Bool {
        [.record, .encrypted, .seal, .sealSignature, .pdf, .encryptedPDF, .evidence].contains(self)
    }

    /// Whether it is UTF-8.
    package var isText: Bool { ![.png, .iso19794, .encrypted, .pdf, .encryptedPDF, .evidence].contains(self) }

    package var mediaType: String {
        switch self {
        case .png: "image/png"
        case .svg: "image/svg+xml"
        case .inkml: "application/inkml+xml"
        case .iso19794: "application/octet-stream"
        case .signaturePad: "application/json"
        case .csv: "text/csv"
        case .record: "application/jsonl"
        case .encrypted, .encryptedPDF: "application/octet-stream"
        case .pdf: "application/pdf"
        case .seal: "application/json"
        case .sealSignature: "text/plain"
        case .evidence: "application/zip"
        }
    }
}
