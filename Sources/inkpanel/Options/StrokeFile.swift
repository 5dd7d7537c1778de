// SPDX-License-Identifier: Apache-2.0
import Formats
import Ink
import Linux
import Record

/// A file with strokes, told by what is in it, not by its name.
enum StrokeFile {
    /// By exclusion; whoever reads it says what is wrong with it.
    case recording
    case ink(ImportedInk)

    /// Strokes as text; a day of signing is less.
    private static let maximumBytes = 64 << 20

    private enum Kind {
        case recording, signaturePad, inkML
    }

    init(_ path: String) throws(CommandError) {
        let kind = try Self.kind(of: path)
        guard kind != .recording else {
            self = .recording
            return
        }
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Self.maximumBytes)
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let bytes else {
            throw CommandError.unusableInput("\(path) is larger than \(Self.maximumBytes >> 20) MiB")
        }
        do throws(ImportError) {
            self = .ink(
                kind == .inkML
                    ? try InkMLDecoder.decode(bytes)
                    : ImportedInk(unit: .pixels, strokes: try SignaturePadJSON.decode(bytes)))
        } catch {
            throw CommandError.unusableInput("\(path): \(error)")
        }
    }

    /// signature_pad's data is an array, and InkML is XML; no line of a recording starts with a bracket or a brace.
    private static func kind(of path: String) throws(CommandError) -> Kind {
        let start: [UInt8]
        do throws(Errno) {
            start = try InputFile.readStart(of: path, byteCount: 4096)
        } catch {
            throw .cannotRead(path, error)
        }
        // UTF-16, which only XML comes in.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return .inkML }
        // Some editors put a byte order mark before it.
        let text = start.drop { [0xEF, 0xBB, 0xBF].contains($0) }
        switch text.first(where: { !($0 == 0x20 || 0x09...0x0D ~= $0) }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): return .signaturePad
        case UInt8(ascii: "<"): return .inkML
        default: return .recording
        }
    }
}
