// SPDX-License-Identifier: Apache-2.0
package import Document
import Geometry
import Glibc
import Linux

/// Asks the program `inkpanel-document`, which alone parses documents: through the socket of its units or, if there is
/// no such socket, in a sandbox of bubblewrap. Each call starts a process, and blocks until it has ended: never call it
/// on the main thread. All answers of the process are checked.
package struct DocumentHelper: Sendable {
    /// The path of the socket of `inkpanel-document.socket`.
    package static let usualSocket = "/run/inkpanel/document.sock"

    /// The only socket at which the program is asked; nil for the usual socket, or the sandbox if there is no such
    /// socket.
    package var socket: String?
    /// The socket that is tried first if ``socket`` is nil.
    package var firstSocket = Self.usualSocket
    /// The path of bubblewrap.
    package var sandbox = "/usr/bin/bwrap"
    /// The path of the program, beside the running one; nil if that is not known.
    package var program: String? = Self.besideRunningProgram
    /// Further folders that the program needs in the sandbox: for builds that are not installed.
    package var libraries: [String] = []
    /// Time for a whole call. The program's own limit is 20 seconds, so that it can say what took long.
    package var seconds = 23
    /// Ends calls before their time; nil for none.
    package var stop: HelperStop?
    /// How often a call is tried if the program ends without a whole answer, because something has killed it.
    package var attempts = 1

    package init() {}

    private static var besideRunningProgram: String? {
        guard let own = Directory.realPath("/proc/self/exe"), let end = own.lastIndex(of: "/") else { return nil }
        return own[...end] + "inkpanel-document"
    }

    // MARK: calls

    /// The facts about a document, if it may be shown.
    package func inspect(_ document: [UInt8]) throws(DocumentHelperError) -> DocumentFacts {
        let body = try ask(.inspect, document)
        return try checked { () throws(HelperResultFault) in try DocumentFacts(json: body) }
    }

    /// A page, or a part of one, as a picture.
    package func render(
        _ rendering: HelperRequest.Rendering, of document: [UInt8]
    ) throws(DocumentHelperError) -> PagePicture {
        let body = try ask(.render(rendering), document)
        return try checked { () throws(HelperResultFault) in
            try PagePicture(file: body, size: rendering.pictureSize)
        }
    }

    /// The places of a text.
    package func find(_ text: String, in document: [UInt8]) throws(DocumentHelperError) -> DocumentHits {
        let body = try ask(.find(text: text), document)
        return try checked { () throws(HelperResultFault) in try DocumentHits(json: body) }
    }

    /// The PDF file of pictures (`DocumentPicture`).
    package func convert(_ pictures: [UInt8]) throws(DocumentHelperError) -> [UInt8] {
        try file(ask(.convert, pictures))
    }

    /// A new PDF file with the drawing of a document. A page is a picture if the second engine draws it differently, or
    /// cannot.
    /// - Parameters:
    ///   - mostCompared: the number of pages, from the first, that are compared. Each takes a third of a second.
    ///   - longest: the time after which no further page is compared.
    package func flatten(
        _ document: [UInt8], mostCompared: Int = HelperLimits.pages, longest: Duration = .seconds(3600)
    ) throws(DocumentHelperError) -> [UInt8] {
        let end = MonotonicClock.now + longest
        var flat = try file(ask(.flatten, document))
        for index in try inspect(flat).pages.indices.prefix(mostCompared) where MonotonicClock.now < end {
            if let comparison = try? compare(page: index + 1, in: flat), comparison.differences.isEmpty { continue }
            flat = try file(ask(.picture(page: index + 1), flat))
        }
        return flat
    }

    private func file(_ answer: [UInt8]) throws(DocumentHelperError) -> [UInt8] {
        guard answer.starts(with: "%PDF-".utf8) else { throw .wrongAnswer(reason: "it is no PDF file") }
        return answer
    }

    /// The text of a page, without control characters other than the ends of lines.
    package func text(of page: Int, in document: [UInt8]) throws(DocumentHelperError) -> String {
        let body = try ask(.read(page: page), document)
        let scalars = String(decoding: body, as: UTF8.self).unicodeScalars
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.filter { $0 == "\n" || $0.properties.generalCategory != .control })
        return String(text)
    }

    /// A page as two engines draw it. Any other answer than a comparison is an error, also if the second engine fails.
    package func compare(page: Int, in document: [UInt8]) throws(DocumentHelperError) -> PageComparison {
        let body = try ask(.compare(page: page), document)
        return try checked { () throws(HelperResultFault) in try PageComparison(json: body) }
    }

    /// The update of a document: the bytes that follow it, with a hole for the signature (`SignedDocument`).
    package func assemble(
        _ update: DocumentUpdate, on document: [UInt8]
    ) throws(DocumentHelperError) -> [UInt8] { try ask(.assemble(update), document) }

    private func checked<Value>(
        _ read: () throws(HelperResultFault) -> Value
    ) throws(DocumentHelperError) -> Value {
        do throws(HelperResultFault) { return try read() } catch { throw .wrongAnswer(reason: error.description) }
    }

    // MARK: the process

    /// Why no call can succeed, such as a missing file; nil if all files are there.
    var obstacle: String? {
        let isSocket = access(socket ?? firstSocket, F_OK) == 0
        if let socket, !isSocket { return "\(socket): there is no such socket" }
        if !isSocket {
            guard let program, access(program, X_OK) == 0 else {
                return DocumentHelperError.notInstalled("inkpanel-document").description
            }
            if access(sandbox, X_OK) != 0 { return DocumentHelperError.notInstalled("bubblewrap").description }
        }
        // It draws the pages.
        if access(Self.renderer, X_OK) != 0 { return DocumentHelperError.notInstalled("poppler-utils").description }
        return nil
    }

    /// The check that is left out before a document is signed because its program is not installed, for people; nil if
    /// all are made.
    var warning: String? {
        if access(Self.secondReader, X_OK) == 0 { return nil }
        return "no second engine draws documents before they are signed: install mupdf-tools"
    }

    private static let renderer = "/usr/bin/pdftoppm"
    private static let secondReader = "/usr/bin/mutool"

    private func ask(
        _ action: HelperRequest.Action, _ document: [UInt8]
    ) throws(DocumentHelperError) -> [UInt8] {
        let request = HelperRequest(action, byteCount: document.count)
        if document.count > request.longestDocument {
            throw .refused(
                DocumentFault(.tooLarge, "the document has more than \(request.longestDocument) bytes"))
        }
        let line: [UInt8]
        do throws(HelperRequestFault) { line = try request.line() } catch {
            throw .refused(DocumentFault(.badRequest, error.description))
        }
        var left = attempts
        while true {
            left -= 1
            do throws(DocumentHelperError) { return try answer(to: request, line, document) } catch {
                guard left > 0, error.mayPass else { throw error }
            }
        }
    }

    private func answer(
        to request: HelperRequest, _ line: [UInt8], _ document: [UInt8]
    ) throws(DocumentHelperError) -> [UInt8] {
        let most = HelperLimits.answerLine + request.longestAnswer
        let deadline = MonotonicClock.nanoseconds + Int64(seconds) * 1_000_000_000
        let answer: [UInt8]
        let path = self.socket ?? firstSocket
        let socket = try connect(to: path)
        if let socket {
            do throws(Exchange.Failure) {
                answer = try Exchange.run(
                    [line, document], over: socket, mostOutput: most, deadline: deadline, stop: stop?.exchangeStop)
            } catch {
                switch error {
                case .tooSlow: throw .tooSlow
                case .stopped: throw .stopped
                case .tooLong: throw .wrongAnswer(reason: "it is too long")
                case .failed(let error): throw .noAnswer(reason: "\(path): \(error)\(Self.journal)")
                }
            }
            if answer.isEmpty { throw .noAnswer(reason: "the program ended without one\(Self.journal)") }
        } else {
            answer = try runSandboxed([line, document], mostOutput: most, deadline: deadline)
        }
        return try Self.body(of: answer, longest: request.longestAnswer)
    }

    /// The end of an error, which names the log of the units.
    private static let journal = "; see journalctl --unit='inkpanel-document@*'"

    /// - Returns: nil if there is no such socket, and none was named.
    private func connect(to path: String) throws(DocumentHelperError) -> FileDescriptor? {
        do throws(Errno) { return try LocalSocket.connect(to: path, blocking: false) } catch {
            switch error {
            case .noSuchFile, .connectionRefused, .notADirectory:
                if socket == nil { return nil }
                throw .noAnswer(reason: "\(path): \(error)")
            case .wouldBlock: throw .noAnswer(reason: "\(path): too many calls wait\(Self.journal)")
            default: throw .noAnswer(reason: "\(path): \(error)")
            }
        }
    }

    private func runSandboxed(
        _ input: [[UInt8]], mostOutput: Int, deadline: Int64
    ) throws(DocumentHelperError) -> [UInt8] {
        guard let program, access(program, X_OK) == 0 else { throw .notInstalled("inkpanel-document") }
        guard access(sandbox, X_OK) == 0 else { throw .notInstalled("bubblewrap") }
        let filter = FilterProgram(path: sandbox, arguments: sandboxArguments(program))
        let outcome: FilterProgram.Outcome
        do throws(FilterProgram.Failure) {
            outcome = try filter.outcome(
                input: input, mostOutput: mostOutput, deadline: deadline, stop: stop?.exchangeStop)
        } catch {
            switch error {
            case .tooSlow: throw .tooSlow
            case .stopped: throw .stopped
            case .tooLong: throw .wrongAnswer(reason: "it is too long")
            case .notStarted(let error), .failed(let error): throw .noAnswer(reason: "\(sandbox): \(error)")
            case .ended, .killed: throw .noAnswer(reason: "the program ended")
            }
        }
        // The exit status proves nothing. The output is checked in the same way as an answer from the socket.
        if outcome.output.isEmpty { throw .noAnswer(reason: Self.reason(outcome)) }
        return outcome.output
    }

    /// The reason why the output is empty, with the message of bubblewrap or of the program, which is not trusted.
    private static func reason(_ outcome: FilterProgram.Outcome) -> String {
        // bubblewrap reports a signal of the program as a shell does.
        let reason =
            switch outcome.end {
            case .status(let status): "the program ended with status \(status)"
            case .signal(let signal): "the program was killed by signal \(signal)"
            }
        let message = PlainText.printable(String(decoding: outcome.message, as: UTF8.self), atMost: 200)
        return message.isEmpty ? reason : "\(reason): \(message)"
    }

    /// The arguments for a root that has only the libraries, the fonts and the program, without network and other
    /// processes. /tmp is in memory, and holds the document for the second engine (`HelperLimits.scratch`). There is no
    /// /proc, because some containers do not let bubblewrap mount one. Swift reads a program's options there, so the
    /// program sees none.
    private func sandboxArguments(_ program: String) -> [String] {
        var arguments = [
            "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
            "--setenv", "SWIFT_BACKTRACE", "enable=no", "--dev", "/dev", "--ro-bind", "/usr", "/usr",
            "--size", "\(HelperLimits.scratch)", "--tmpfs", "/tmp",
        ]
        for folder in ["/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig"] + libraries {
            arguments += ["--ro-bind-try", folder, folder]
        }
        let inside = "/program/inkpanel-document"
        return arguments + ["--ro-bind", program, inside, "--remount-ro", "/dev", "--remount-ro", "/", "--", inside]
    }

    private static func body(of answer: [UInt8], longest: Int) throws(DocumentHelperError) -> [UInt8] {
        let result: Result<[UInt8], DocumentFault>
        do throws(HelperResultFault) { result = try HelperAnswer.read(answer, longest: longest) } catch {
            throw .wrongAnswer(reason: error.description)
        }
        do throws(DocumentFault) { return try result.get() } catch { throw .refused(error) }
    }
}
