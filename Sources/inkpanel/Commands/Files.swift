// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Evidence
import Formats
import FoundationEssentials
import Geometry
import Glibc
import HostAPI
import Linux
import Pages
import Record
import Touch

/// Output of commands: files and standard output.
enum OutputFile {
    /// Checks before long work that a file can be written.
    /// - Parameter option: names the path in the message; nil if an argument does.
    static func check(_ path: String, option: String? = "--output") throws(CommandError) {
        if path == "-" { return }
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .cannotWrite(path, .isDirectory, option: option) }
            if access(path, W_OK) == 0 { return }
            throw .cannotWrite(path, .current, option: option)
        }
        guard errno == ENOENT else { throw .cannotWrite(path, .current, option: option) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        if access(folder, W_OK) != 0 { throw .cannotWrite(path, .current, option: option) }
    }

    /// The part of the file name after its last dot, in lower case, or nil.
    static func suffix(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
        return suffix.isEmpty ? nil : suffix
    }

    /// Rejects a file name whose ending names another format. Only letters do: that of `contract-v1.2` names none.
    /// - Parameters:
    ///   - suffixes: of the formats that the command writes.
    ///   - option: names the path in the message; nil if an argument does.
    ///   - hasFormat: the command has `--format`.
    /// - Throws: `ValidationError`.
    static func checkSuffix(
        of path: String, among suffixes: [String], option: String? = "--output", hasFormat: Bool
    ) throws {
        guard let suffix = suffix(of: path), !suffixes.contains(suffix), suffix.allSatisfy(\.isLetter) else { return }
        let names = suffixes.map { "." + $0 }.joined(separator: ", ")
        throw ValidationError(
            (option.map { $0 + " " } ?? "") + "\(path): files .\(suffix) are not supported; end the name with "
                + (suffixes.count == 1 ? names : "one of \(names)") + (hasFormat ? ", or use --format" : ""))
    }

    /// Prints text to standard output with control characters escaped, except line feeds.
    static func print(_ text: String) throws(CommandError) {
        try write(Array(text.printableLines.utf8), to: "-")
    }

    /// Writes a file completely or not at all.
    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - option: names the path in the message; nil if an argument does.
    ///   - permissions: of a new file, less the umask. By default only its owner can read it.
    static func write(
        _ bytes: [UInt8], to path: String, option: String? = "--output", permissions: mode_t = 0o600
    ) throws(CommandError) {
        do throws(Errno) {
            guard path == "-" else { return try AtomicFile.write(bytes, to: path, permissions: permissions) }
            let output = FileDescriptor(owning: try retryingOnInterrupt { dup(STDOUT_FILENO) })
            try output.writeAll(bytes)
        } catch {
            if path != "-" { throw .cannotWrite(path, error, option: option) }
            throw CommandError(message: "cannot write to standard output: \(error)", status: EX_IOERR)
        }
    }
}

/// A capture in the panel's store, or the file of a record. An argument of letters, digits and hyphens is an ID; a path
/// of such characters must include a folder.
enum CaptureSource: Equatable, ExpressibleByArgument {
    case stored(CaptureID)
    case file(path: String)

    init?(argument: String) {
        if argument.isEmpty { return nil }
        self = CaptureID(argument).map { .stored($0) } ?? .file(path: argument)
    }
}

enum RecordFile {
    static func record(_ path: String) throws(CommandError) -> CaptureRecord { try read(path).record }

    static func read(_ path: String) throws(CommandError) -> (record: CaptureRecord, file: [UInt8]) {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw .cannotRead(path, error)
        }
        do throws(CaptureFormatError) {
            guard let bytes else { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
            return (try CaptureDecoder.decode(bytes), bytes)
        } catch {
            throw .unusableInput("\(path): \(error)")
        }
    }
}

/// The document to sign.
enum DocumentFile {
    /// The default name of the document: the file name without its folder.
    static func reference(to path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension StrokePage {
    /// Largest JSON or InkML file, in bytes; a day of signing is less.
    private static let maximumFileSize = 64 << 20

    /// Reads a file whose format its first bytes tell: an evemu recording, signature_pad's JSON or InkML.
    init(
        reading path: String, size: PixelSize?, density: PixelDensity = .standard, keepsPlace: Bool = false
    ) throws {
        let format: ImportFormat?
        var bytes: [UInt8]? = []
        do throws(Errno) {
            format = ImportFormat(start: try InputFile.open(path).read(4096, from: 0))
            if format != nil { bytes = try InputFile.read(path, maximumByteCount: Self.maximumFileSize) }
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let format else {
            try self.init(recording: try Recording(path: path), name: path, size: size)
            return
        }
        guard let bytes else {
            throw CommandError.unusableInput("\(path) is larger than \(Self.maximumFileSize >> 20) MiB")
        }
        do throws(ImportError) {
            let ink = try format.decode(bytes)
            if ink.leftOutCount > 0 {
                let points = ink.leftOutCount == 1 ? "a point" : "\(ink.leftOutCount) points"
                Log().warning("\(path): left out \(points) without a position")
            }
            try self.init(ink, size: size, density: density, keepsPlace: keepsPlace)
        } catch {
            if case .pageTooLarge = error { throw CommandError.unusableInput("\(path) \(error); name a --size") }
            throw CommandError.unusableInput("\(path): \(error)")
        }
    }
}

/// JSON for `--json`: the types of the host API, one member a line.
enum JSONText {
    /// Control characters are escaped, in case the output is a terminal.
    static func encode(_ value: some Encodable) throws(CommandError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(value) else {
            throw .unusableInput("the panel's answer has a number that JSON cannot represent")
        }
        // The encoder itself escapes only those below U+0020.
        var text = ""
        for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
            if scalar.steersTerminal, scalar != "\n" {
                text += scalar.escape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\n"
    }
}
