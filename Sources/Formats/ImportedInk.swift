// SPDX-License-Identifier: Apache-2.0
public import Ink

/// Strokes that another program wrote.
public struct ImportedInk: Equatable, Sendable {
    /// What the positions of samples count.
    public enum Unit: Equatable, Sendable {
        case millimetres, pixels
        /// Something of the device that wrote them; only proportions are known.
        case arbitrary
    }

    public var unit: Unit
    /// Strokes without samples are left out.
    public var strokes: [[Sample]]

    public init(unit: Unit, strokes: [[Sample]]) {
        self.unit = unit
        self.strokes = strokes
    }
}

/// Formats of files with strokes that another program wrote, recognised by their first bytes.
public enum ImportFormat: Sendable {
    case signaturePad, inkML

    /// nil for other files, such as recordings. signature_pad's data is an array and InkML is XML; no line of a
    /// recording starts with a bracket or a brace.
    public init?(start: [UInt8]) {
        // UTF-16 is XML.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            self = .inkML
            return
        }
        // Some editors write a byte order mark.
        let text = start.drop { [0xEF, 0xBB, 0xBF].contains($0) }
        switch text.first(where: { !($0 == 0x20 || 0x09...0x0D ~= $0) }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): self = .signaturePad
        case UInt8(ascii: "<"): self = .inkML
        default: return nil
        }
    }

    public func decode(_ bytes: [UInt8]) throws(ImportError) -> ImportedInk {
        switch self {
        case .signaturePad: ImportedInk(unit: .pixels, strokes: try SignaturePadJSON.decode(bytes))
        case .inkML: try InkMLDecoder.decode(bytes)
        }
    }
}
