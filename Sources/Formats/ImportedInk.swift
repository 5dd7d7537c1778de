// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink

/// Why a file with strokes could not be read.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// Invalid JSON, or other JSON than signature_pad's.
    case malformed(String)
    /// Invalid XML, or not InkML.
    case malformedInkML(String, line: Int?)
    /// The ink needs a page of this size, which cannot be drawn.
    case pageTooLarge(PixelSize)

    public var description: String {
        switch self {
        case .malformed(let reason): "not signature_pad's toData() JSON: \(reason)"
        case .malformedInkML(let reason, let line?): "not readable as InkML: line \(line): \(reason)"
        case .pageTooLarge(let size): "needs a page of \(size) pixels, which is too large"
        case .malformedInkML(let reason, nil): "not readable as InkML: \(reason)"
        }
    }

    /// Adds the line unless the error has one.
    func inLine(_ line: Int) -> ImportError {
        if case .malformedInkML(let reason, nil) = self { .malformedInkML(reason, line: line) } else { self }
    }
}

/// Strokes from another program.
public struct ImportedInk: Equatable, Sendable {
    public enum Unit: Equatable, Sendable {
        case millimetres, pixels
        /// Unknown; only proportions matter.
        case arbitrary
    }

    public var unit: Unit
    /// All have samples.
    public var strokes: [[Sample]]
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
