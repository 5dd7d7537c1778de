// SPDX-License-Identifier: Apache-2.0
import Document
import Glibc
import Linux
import TestSupport
import Testing

@testable import Panel

/// The program that reads documents, without a sandbox and under a script that ends it early when a test wants that.
final class ScriptedHelper {
    private let folder: TemporaryFolder
    let helper: DocumentHelper

    /// nil where poppler is not installed.
    init?() throws {
        guard access("/usr/bin/pdftoppm", X_OK) == 0 else { return nil }
        folder = try TemporaryFolder(prefix: "helper")
        var helper = DocumentHelper()
        helper.firstSocket = "/nonexistent/socket"
        helper.program = try ChildProgram.path(of: "inkpanel-document")
        helper.sandbox = folder.path + "/run"
        self.helper = helper
        // `left` has the number of calls until one dies.
        let script = """
            #!/bin/sh
            cd \(folder.path)
            echo >> calls
            left=$(cat left 2>/dev/null || echo 1000)
            echo $((left - 1)) > left
            if [ "$left" -le 0 ] && [ "$left" -gt "-$(cat times 2>/dev/null || echo 0)" ]; then
                printf '{"ok":true,"size":500}\\nhalf an answer'
                kill -9 $$
            fi
            echo $$ > pid
            [ ! -e slow ] || exec sleep 600
            exec \(helper.program ?? "")
            """
        try Array(script.utf8).withUnsafeBytes { bytes in
            let file = open(helper.sandbox, O_CREAT | O_WRONLY | O_CLOEXEC, 0o700)
            defer { close(file) }
            try #require(write(file, bytes.baseAddress, bytes.count) == bytes.count)
        }
    }

    /// The number of calls so far.
    var calls: Int { (try? InputFile.read(folder.path + "/calls", maximumByteCount: 1 << 20))??.count ?? 0 }

    /// Kills the program in the middle of its answer.
    /// - Parameters:
    ///   - calls: that it answers before.
    ///   - times: how many calls in a row it is killed.
    func die(after calls: Int, times: Int) throws {
        try AtomicFile.replace(Array("\(calls)\n".utf8), at: folder.path + "/left")
        try AtomicFile.replace(Array("\(times)\n".utf8), at: folder.path + "/times")
    }

    /// From now on, the program takes its time.
    func takeLong() throws { try AtomicFile.replace([], at: folder.path + "/slow") }

    /// Whether the program that was started last runs.
    var runs: Bool {
        let text = (try? InputFile.read(folder.path + "/pid", maximumByteCount: 100)) ?? nil
        let pid = text.flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) }
        return pid.map { kill($0, 0) == 0 } ?? false
    }

    /// A page that is turned, with a signature field, a required check box and a choice.
    static func form() throws -> [UInt8] { try seed("form") }
    /// Two pages without fields, with JavaScript and a font that is not embedded.
    static func plain() throws -> [UInt8] { try seed("plain") }

    /// A page with a text field, `mail`.
    static func textForm() -> [UInt8] {
        form(["<< /Type /Annot /Subtype /Widget /FT /Tx /T (mail) /F 4 /P 3 0 R /Rect [ 100 700 300 720 ] >>"])
    }

    /// A page with two signature fields: `chief`, whose signature locks all fields, and `clerk`.
    static func lockingForm() -> [UInt8] {
        let field = "<< /Type /Annot /Subtype /Widget /FT /Sig /F 4 /P 3 0 R"
        return form(
            [
                "\(field) /T (chief) /Rect [ 100 700 300 760 ] /Lock 6 0 R >>",
                "\(field) /T (clerk) /Rect [ 100 500 300 560 ] >>",
            ], more: ["<< /Type /SigFieldLock /Action /All >>"])
    }

    /// A file with a signature field that has a look: a red plate with a black frame and a grey bar.
    static func framedForm() -> [UInt8] {
        let look = "1 0 0 rg 0 0 200 60 re f 0 g 0 0 200 6 re f 0 54 200 6 re f 0.6 g 20 20 60 10 re f"
        return form(
            [
                "<< /Type /Annot /Subtype /Widget /FT /Sig /F 4 /P 3 0 R /T (chief) /Rect [ 100 700 300 760 ]"
                    + " /AP << /N 5 0 R >> >>"
            ],
            more: [
                "<< /Type /XObject /Subtype /Form /BBox [ 0 0 200 60 ] /Resources << >> /Length \(look.utf8.count) >>\n"
                    + "stream\n\(look)\nendstream"
            ])
    }

    /// - Parameters:
    ///   - fields: from object 4.
    ///   - more: objects after them.
    private static func form(_ fields: [String], more: [String] = []) -> [UInt8] {
        let list = fields.indices.map { "\($0 + 4) 0 R" }.joined(separator: " ")
        let pages = [
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [ \(list) ] /DA (/Helv 12 Tf 0 g) >> >>",
            "<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Resources << >> /Annots [ \(list) ] >>",
        ]
        let objects = pages + fields + more
        var (text, places) = ("%PDF-1.7\n", [String]())
        for (number, object) in objects.enumerated() {
            let place = String(text.utf8.count)
            places.append(String(repeating: "0", count: 10 - place.count) + place + " 00000 n \n")
            text += "\(number + 1) 0 obj\n\(object)\nendobj\n"
        }
        let table = text.utf8.count
        let size = objects.count + 1
        text += "xref\n0 \(size)\n0000000000 65535 f \n" + places.joined()
        return Array((text + "trailer\n<< /Size \(size) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n").utf8)
    }

    private static func seed(_ name: String) throws -> [UInt8] {
        let tests = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        let path = tests + "/support/InputChecks/Seeds/document/\(name).pdf"
        return try #require(try InputFile.read(path, maximumByteCount: 1 << 20))
    }
}
