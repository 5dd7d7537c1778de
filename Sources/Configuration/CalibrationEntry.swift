// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Touch

extension Configuration {
    /// The line in `[touch]` that sets the calibration.
    public static func calibrationEntry(_ matrix: Transform) -> String {
        "calibration = \"\(Calibration.text(matrix))\""
    }

    /// Sets the calibration in a document and leaves everything else as it is, including comments.
    /// - Parameter path: for messages.
    /// - Throws: ``ConfigurationError`` if the document is invalid, or changing or adding a line cannot set the key.
    public static func setting(
        calibration matrix: Transform, in document: [UInt8], path: String
    ) throws(ConfigurationError) -> [UInt8] {
        let file = try ConfigurationFiles(document: document, path: path)
        let before = try Configuration(file)
        let mark = ConfigurationFiles.byteOrderMark(of: document)
        let text = Array(document.dropFirst(mark.count))
        var editor = LineEditor(text)
        editor.set("calibration", of: "touch", to: calibrationEntry(matrix), file.places.mapValues(\.line))
        let edited = mark + editor.document
        // Rounded to six decimals, as written.
        var wanted = before
        wanted.touch.calibration = try? Calibration.matrix(Calibration.text(matrix))
        guard let after = try? Configuration(document: edited, path: path), after == wanted else {
            throw .cannotEdit(path: path, table: "touch", entry: calibrationEntry(matrix))
        }
        return edited
    }
}

/// Edits a line of a TOML document. The caller parses the result, to see whether the edit had the intended effect.
private struct LineEditor {
    private var lines: [ArraySlice<UInt8>]
    /// A carriage return if the file has Windows line ends.
    private let ending: [UInt8]

    init(_ document: [UInt8]) {
        lines = document.split(separator: 0x0A, omittingEmptySubsequences: false)
        ending = lines.first?.last == 0x0D ? [0x0D] : []
    }

    var document: [UInt8] { Array(lines.joined(separator: [0x0A])) }

    mutating func set(_ key: String, of table: String, to entry: String, _ keys: [[String]: Int]) {
        if let line = keys[[table, key]] {
            lines[line - 1] = replaced(lines[line - 1], entry)
        } else if let line = keys[[table]] {
            if text(line - 1).hasPrefix("[") {
                insert(entry, after: place(for: key, below: line - 1))
            } else {
                insert("\(table).\(entry)", after: line - 1)
            }
        } else {
            // The last line follows the last line feed and is usually empty.
            if lines.last?.isEmpty == false { lines.append([]) }
            lines.insert(contentsOf: ["[\(table)]", entry].map { Array($0.utf8)[...] + ending }, at: lines.count - 1)
            if lines.count > 3 { lines.insert(ending[...], at: lines.count - 3) }
        }
    }

    /// The commented key of the sample, if the table has it; else the header of the table.
    private func place(for key: String, below header: Int) -> Int {
        for index in lines.indices.dropFirst(header + 1) {
            let line = text(index)
            if line.hasPrefix("[") { break }
            if line.hasPrefix("#\(key) ") || line.hasPrefix("#\(key)=") { return index }
        }
        return header
    }

    private mutating func insert(_ entry: String, after index: Int) {
        lines.insert(Array(entry.utf8)[...] + ending, at: index + 1)
    }

    /// Replaces the value and keeps what is before the key and after the value.
    private func replaced(_ line: ArraySlice<UInt8>, _ entry: String) -> ArraySlice<UInt8> {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return line }
        let value = line[(equals + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = value.dropFirst().firstIndex(of: quote)
        else { return line }
        let words = Array(entry.utf8)
        guard let middle = words.firstIndex(of: UInt8(ascii: "=")) else { return line }
        return line[...equals] + words[(middle + 1)...] + line[(end + 1)...]
    }

    private func text(_ index: Int) -> String {
        String(decoding: lines[index].drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}
