// SPDX-License-Identifier: Apache-2.0
package import Document
import Geometry
import Glibc
import Linux

/// Asks the program `inkpanel-document`, which alone parses documents: through the socket of its units, or, where that
/// is not there, in a sandbox of bubblewrap. Each call starts a process, and blocks until it has ended: never call it
/// on the main thread. Nothing that the process says is believed without a check.
package struct DocumentHelper: Sendable {
    /// Of `inkpanel-document.socket`.
    package static let usualSocket = "/run/inkpanel/document.sock"

    package var socket = Self.usualSocket
    /// bubblewrap.
    package var sandbox = "/usr/bin/bwrap"
    /// The program beside the running one; nil if that is not known.
    package var program: String? = Self.besideRunningProgram
    /// Further folders that the program needs in the sandbox: for builds that are not installed.
    package var libraries: [String] = []
    /// Time for a whole call. The program's own limit is 10 seconds, so that it can say what took long.
    package var seconds = 13

    package init() {}

    private static var besideRunningProgram: String? {
        guard let own = Directory.realPath("/proc/self/exe"), let end = own.lastIndex(of: "/") else { return nil }
        return own[...end] + "inkpanel-document"
    }

    // MARK: calls

    /// What a document is, if it may be shown.
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
    package func find(_ text: String, in document: [UInt8]) throws(DocumentHelperError) -> [DocumentHit] {
        let body = try ask(.find(text: text), document)
        return try checked { () throws(HelperResultFault) in try DocumentHit.read(body) }
    }

    /// The update of a document: what follows its bytes, with a hole for the signature (`SignedDocument`).
    package func assemble(
        _ update: DocumentUpdate, on document: [UInt8]
    ) throws(DocumentHelperError) -> [UInt8] { try ask(.assemble(update), document) }

    private func checked<Value>(
        _ read: () throws(HelperResultFault) -> Value
    ) throws(DocumentHelperError) -> Value {
        do throws(HelperResultFault) { return try read() } catch { throw .wrongAnswer(reason: error.description) }
    }

    // MARK: the process

    private func ask(
        _ action: HelperRequest.Action, _ document: [UInt8]
    ) throws(DocumentHelperError) -> [UInt8] {
        if document.count > HelperLimits.document {
            throw .refused(
                DocumentFault(.tooLarge, "the document has more than \(HelperLimits.document) bytes"))
        }
        let request = HelperRequest(action, byteCount: document.count)
        let line: [UInt8]
        do throws(HelperRequestFault) { line = try request.line() } catch {
            throw .refused(DocumentFault(.badRequest, error.description))
        }
        let most = HelperLimits.answerLine + request.longestAnswer
        let deadline = MonotonicClock.nanoseconds + Int64(seconds) * 1_000_000_000
        let answer: [UInt8]
        if let socket = try connect() {
            do throws(Exchange.Failure) {
                answer = try Exchange.run([line, document], over: socket, mostOutput: most, deadline: deadline)
            } catch {
                switch error {
                case .tooSlow: throw .tooSlow
                case .tooLong: throw .wrongAnswer(reason: "it is too long")
                case .failed(let error): throw .noAnswer(reason: "\(self.socket): \(error)")
                }
            }
        } else {
            answer = try runSandboxed([line, document], mostOutput: most, deadline: deadline)
        }
        return try Self.body(of: answer, longest: request.longestAnswer)
    }

    /// - Returns: nil if there is no such socket.
    private func connect() throws(DocumentHelperError) -> FileDescriptor? {
        do throws(Errno) { return try LocalSocket.connect(to: socket, blocking: false) } catch {
            switch error {
            case .noSuchFile, .connectionRefused, .notADirectory: return nil
            case .wouldBlock: throw .noAnswer(reason: "\(socket): too many calls wait")
            default: throw .noAnswer(reason: "\(socket): \(error)")
            }
        }
    }

    private func runSandboxed(
        _ input: [[UInt8]], mostOutput: Int, deadline: Int64
    ) throws(DocumentHelperError) -> [UInt8] {
        guard let program, access(program, X_OK) == 0 else { throw .notInstalled("inkpanel-document") }
        guard access(sandbox, X_OK) == 0 else { throw .notInstalled("bubblewrap") }
        let filter = FilterProgram(path: sandbox, arguments: sandboxArguments(program))
        do throws(FilterProgram.Failure) {
            return try filter.run(input: input, mostOutput: mostOutput, deadline: deadline)
        } catch {
            switch error {
            case .tooSlow: throw .tooSlow
            case .tooLong: throw .wrongAnswer(reason: "it is too long")
            // bubblewrap reports a signal of the program as a shell does.
            case .ended(let status): throw .noAnswer(reason: "the program ended with status \(status)")
            case .killed(let signal): throw .noAnswer(reason: "the program was killed by signal \(signal)")
            case .notStarted(let error), .failed(let error): throw .noAnswer(reason: "\(sandbox): \(error)")
            }
        }
    }

    /// A root that has the libraries, the fonts and the program only; no network, no other processes. It has no /proc,
    /// which not every container lets bubblewrap mount, so the program sees no options: Swift reads them there.
    private func sandboxArguments(_ program: String) -> [String] {
        var arguments = [
            "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
            "--setenv", "SWIFT_BACKTRACE", "enable=no", "--dev", "/dev", "--ro-bind", "/usr", "/usr",
        ]
        for folder in ["/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig"] + libraries {
            arguments += ["--ro-bind-try", folder, folder]
        }
        let inside = "/program/inkpanel-document"
        return arguments + ["--ro-bind", program, inside, "--remount-ro", "/", "--", inside]
    }

    private static func body(of answer: [UInt8], longest: Int) throws(DocumentHelperError) -> [UInt8] {
        if answer.isEmpty { throw .noAnswer(reason: "the program ended without one") }
        let result: Result<[UInt8], DocumentFault>
        do throws(HelperResultFault) { result = try HelperAnswer.read(answer, longest: longest) } catch {
            throw .wrongAnswer(reason: error.description)
        }
        do throws(DocumentFault) { return try result.get() } catch { throw .refused(error) }
    }
}

/// Why the helper gives no result.
package enum DocumentHelperError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A package is missing.
    case notInstalled(String)
    /// The helper says why the document or the request is refused.
    case refused(DocumentFault)
    case tooSlow
    /// The helper has ended, or cannot be reached.
    case noAnswer(reason: String)
    /// The answer is none, as if the document had taken over the helper.
    case wrongAnswer(reason: String)

    package var description: String {
        switch self {
        case .notInstalled(let package):
            "documents cannot be read here: install \(package), and start inkpanel-document.socket"
        case .refused(let fault): fault.description
        case .tooSlow: "the document takes too long to read: print it to a simpler PDF"
        case .noAnswer(let reason):
            "the document cannot be read (\(reason)); see journalctl --unit='inkpanel-document@*'"
        case .wrongAnswer(let reason): "the answer of inkpanel-document is not valid: \(reason)"
        }
    }
}
