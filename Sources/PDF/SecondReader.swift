// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Glibc
import Linux

/// Draws pages with mutool, MuPDF's program, which shares no code with poppler: it reads the file, its fonts and its
/// pictures in its own way. Its licence (AGPL) stays outside, in a process of its own. Any thread, which must ignore
/// SIGPIPE.
struct SecondReader {
    /// The folder of the program.
    var folder = "/usr/bin"
    /// The time of ``MonotonicClock/nanoseconds`` at which a program that still runs is killed.
    var deadline: Int64

    static let package = "mupdf-tools"

    /// The engine with its version, such as `mupdf 1.21.1`; nil without one.
    var version: String? {
        guard let outcome = try? program(["-v"]).outcome(input: [], mostOutput: 4096, deadline: deadline) else {
            return nil
        }
        // Some versions write to standard error, others to standard output.
        let line = String(decoding: outcome.message.isEmpty ? outcome.output : outcome.message, as: UTF8.self)
        let words = line.split { $0 == " " || $0 == "\n" }
        guard words.prefix(2).elementsEqual(["mutool", "version"]), words.count > 2 else { return nil }
        return "mupdf " + PlainText.printable(String(words[2]), atMost: 50)
    }

    private func program(_ arguments: [String]) -> FilterProgram {
        FilterProgram(path: folder + "/mutool", arguments: arguments, environment: PDFRenderer.environment)
    }

    /// Draws a page as people see it, with its annotations.
    /// - Parameter path: the document's file. mutool reads no standard input, and the sandbox has no /proc, in which
    ///   every open file has a name.
    func draw(_ number: Int, _ size: PixelSize, of path: String) throws(PDFError) -> PagePicture {
        // mutool draws in bands (-B), so that only this process holds the whole picture. With -f the size is exact.
        // Lines have at least a pixel (-l), as poppler draws them.
        let outcome = try run(
            [
                "draw", "-q", "-F", "pnm", "-c", "rgb", "-f", "-l", "1", "-w", "\(size.width)", "-h", "\(size.height)",
                "-B",
                "256",
                "-o", "-", path, "\(number)",
            ], page: number, mostOutput: PagePicture.byteCount(of: size))
        return try picture(outcome.output, number, size, outcome)
    }

    private func run(_ arguments: [String], page: Int, mostOutput: Int) throws(PDFError) -> FilterProgram.Outcome {
        try program(arguments).outcome(
            "mutool", of: Self.package, input: [], doing: "draw page \(page) with MuPDF", mostOutput: mostOutput,
            deadline: deadline)
    }

    /// The picture counts even if the program says that a part of the page cannot be drawn: it is compared.
    private func picture(
        _ file: [UInt8], _ number: Int, _ size: PixelSize, _ outcome: FilterProgram.Outcome
    ) throws(PDFError) -> PagePicture {
        do throws(HelperResultFault) { return try PagePicture(file: file, size: size) } catch {
            throw failure(number, outcome, else: "\(error)")
        }
    }

    private func failure(_ number: Int, _ outcome: FilterProgram.Outcome, else reason: String) -> PDFError {
        let lines = String(decoding: outcome.errors, as: UTF8.self).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("error:") }.map { String($0) } ?? reason
        return .failed(doing: "draw page \(number) with MuPDF", reason: PlainText.printable(words, atMost: 200))
    }
}

/// A file for a program that reads no standard input.
enum ScratchFile {
    static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
        try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600).writeAll(bytes)
    }
}
