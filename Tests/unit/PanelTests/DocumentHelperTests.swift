// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Glibc
import Linux
import TestSupport
import Testing

@testable import Panel

@Suite("The client of the program that parses documents")
struct DocumentHelperTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    /// A helper of neither way.
    private func nothing() -> DocumentHelper {
        var helper = DocumentHelper()
        (helper.firstSocket, helper.sandbox) = ("/nonexistent/socket", "/nonexistent/bwrap")
        helper.program = "/bin/true"
        return helper
    }

    @Test("What is missing is named")
    func missing() throws {
        var helper = nothing()
        #expect(throws: DocumentHelperError.notInstalled("bubblewrap")) { try helper.inspect([]) }
        helper.program = "/nonexistent/inkpanel-document"
        #expect(throws: DocumentHelperError.notInstalled("inkpanel-document")) { try helper.inspect([]) }
        #expect("\(DocumentHelperError.notInstalled("inkpanel-document"))".contains("install inkpanel-document"))
    }

    @Test("A program in the sandbox that is another one gives no answer")
    func other() throws {
        guard access("/usr/bin/bwrap", X_OK) == 0 else { return }
        var helper = DocumentHelper()
        (helper.firstSocket, helper.program) = ("/nonexistent/socket", "/usr/bin/true")
        #expect(throws: DocumentHelperError.self) { try helper.inspect([1, 2, 3]) }
    }

    @Test("A socket that was named is the only way, and only there the journal tells more")
    func named() throws {
        var helper = nothing()
        helper.socket = "/nonexistent/socket"
        let error = thrownError { try helper.inspect([]) } as? DocumentHelperError
        guard case .noAnswer(let reason) = error else { return #expect(Bool(false)) }
        #expect(reason.hasPrefix("/nonexistent/socket: "))
        let silent = try answered([]) { helper throws(DocumentHelperError) in try helper.find("a", in: [1]) }
        guard case .failure(let silence) = silent else { return #expect(Bool(false)) }
        #expect("\(silence)".contains("journalctl"))
    }

    @Test("What the sandbox says is told, and its bytes count however it ends")
    func words() throws {
        let folder = try TemporaryFolder(prefix: "document")
        var helper = nothing()
        helper.sandbox = folder.path + "/sandbox"
        func script(_ text: String) throws {
            try Array("#!/bin/sh\n\(text)\n".utf8).withUnsafeBytes { bytes in
                let file = open(helper.sandbox, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o700)
                defer { close(file) }
                try #require(write(file, bytes.baseAddress, bytes.count) == bytes.count)
            }
        }
        try script("cat > /dev/null; printf 'bwrap: no \\033 user\\nmore' >&2; exit 3")
        let error = thrownError { try helper.inspect([1]) } as? DocumentHelperError
        #expect(error == .noAnswer(reason: "the program ended with status 3: bwrap: no   user"))
        #expect(error?.description.contains("journalctl") == false)
        try script("cat > /dev/null; printf '{\"ok\":true,\"size\":21}\\n{\"hits\":[],\"near\":[]}'; exit 3")
        #expect(try helper.find("a", in: [1]).places.isEmpty)
        // Whoever fills the pipe of messages does not wait for a reader.
        try script(
            "cat > /dev/null; head -c 300000 /dev/zero >&2; "
                + "printf '{\"ok\":true,\"size\":21}\\n{\"hits\":[],\"near\":[]}'")
        #expect(try helper.find("a", in: [1]).places.isEmpty)
    }

    @Test("The program answers from the sandbox")
    func sandboxed() throws {
        let hasPrograms = access("/usr/bin/bwrap", X_OK) == 0 && access("/usr/bin/pdftoppm", X_OK) == 0
        guard hasPrograms else { return }
        var helper = DocumentHelper()
        helper.firstSocket = "/nonexistent/socket"
        helper.program = try ChildProgram.path(of: "inkpanel-document")
        // That of the tests needs the toolchain's libraries.
        let maps = try #require(try InputFile.read("/proc/self/maps", maximumByteCount: 8 << 20))
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        if let line = lines.first(where: { $0.hasSuffix("/libswiftCore.so") }), let start = line.firstIndex(of: "/") {
            helper.libraries = [String(line[start...].dropLast("/libswiftCore.so".count))]
        }
        let seeds =
            #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
            + "/support/InputChecks/Seeds/document/"
        let document = try #require(try InputFile.read(seeds + "plain.pdf", maximumByteCount: 1 << 20))
        let facts = try helper.inspect(document)
        #expect(facts.pages == [.init(width: 200, height: 100), .init(width: 100, height: 200)])
        let size = PixelSize(width: 400, height: 200)
        let picture = try helper.render(.init(page: 1, size: size), of: document)
        #expect(picture.size == size && Set(picture.file[picture.pixelOffset...]).count > 2)
        let hits = try helper.find("Hello", in: document).places
        #expect(hits.count == 1 && hits.first?.page == 1)
        let noPage = HelperRequest.Rendering(page: 3, size: size)
        #expect(throws: DocumentHelperError.refused(DocumentFault(.noPage, "the document has no page 3"))) {
            try helper.render(noPage, of: document)
        }
        #expect(throws: DocumentHelperError.self) { try helper.inspect(Array(document.dropLast(100))) }
    }

    /// What a peer at the socket answers, whatever it is asked.
    private func answered<Value: Sendable>(
        _ answer: [UInt8], _ call: (DocumentHelper) throws(DocumentHelperError) -> Value
    ) throws -> Result<Value, DocumentHelperError> {
        let folder = try TemporaryFolder(prefix: "document")
        var helper = nothing()
        let path = folder.path + "/socket"
        (helper.socket, helper.seconds) = (path, 5)
        let peer = try Peer(path)
        let thread = try Linux.Thread(name: "peer") { peer.answer(answer) }
        let result: Result<Value, DocumentHelperError>
        do throws(DocumentHelperError) { result = .success(try call(helper)) } catch { result = .failure(error) }
        thread.join()
        return result
    }

    private final class Peer: Sendable {
        private let listener: FileDescriptor

        init(_ path: String) throws {
            listener = try LocalSocket.bind(to: path)
            try LocalSocket.listen(listener, backlog: 1)
        }

        /// Answers the next connection, and closes it.
        func answer(_ bytes: [UInt8]) {
            while true {
                if let connection = try? LocalSocket.accept(on: listener) {
                    DocumentHelperTests.read(oneDocumentByteFrom: connection)
                    if !bytes.isEmpty { _ = try? LocalSocket.send(bytes[...], to: connection) }
                    return
                }
                usleep(1000)
            }
        }
    }

    /// Reads a request for a document of one byte: a socket that is closed with something unread loses the answer.
    private static func read(oneDocumentByteFrom connection: borrowing FileDescriptor) {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while request.count < 2 || request[request.count - 2] != UInt8(ascii: "\n") {
            if let count = try? connection.read(into: &chunk) {
                if count == 0 { return }
                request += chunk[..<count]
            }
            usleep(1000)
        }
    }

    @Test("Answers are believed only if they are what was asked for")
    func answers() throws {
        let size = PixelSize(width: 2, height: 1)
        let rendering = HelperRequest.Rendering(page: 1, size: size)
        let file = Array("P6\n2 1\n255\n".utf8) + [1, 2, 3, 4, 5, 6]
        let good = HelperAnswer.body(byteCount: file.count).line + file
        let picture = try answered(good) { helper throws(DocumentHelperError) in
            try helper.render(rendering, of: [1])
        }
        #expect(try picture.get().file == file)
        let fault = DocumentFault(.damaged, "it is damaged")
        let refused = try answered(HelperAnswer.refusal(fault).line) { helper throws(DocumentHelperError) in
            try helper.inspect([1])
        }
        #expect(refused == .failure(.refused(fault)))
        for bad in [Array(good.dropLast()), good + [7], file, HelperAnswer.body(byteCount: 1 << 30).line] {
            let result = try answered(bad) { helper throws(DocumentHelperError) in
                try helper.render(rendering, of: [1])
            }
            guard case .failure(.wrongAnswer) = result else {
                Issue.record("\(result)")
                continue
            }
        }
        let nothing = try answered([]) { helper throws(DocumentHelperError) in try helper.find("a", in: [1]) }
        guard case .failure(.noAnswer) = nothing else { return #expect(Bool(false)) }
        let update = try answered(HelperAnswer.body(byteCount: 2).line + [9, 9]) {
            helper throws(DocumentHelperError) in
            try helper.assemble(DocumentUpdate(field: "a", time: 0), on: [1])
        }
        #expect(update == .success([9, 9]))
    }
}
