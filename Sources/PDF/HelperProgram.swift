// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Glibc
import Linux
import Synchronization

/// The program `inkpanel-document`: one request on standard input, one answer on standard output, then it ends. It is
/// started for each request, by a socket or in a sandbox, and has no key, no network and no files.
public enum HelperProgram {
    static let version = "0.1.0"

    static let help = """
        Usage: inkpanel-document [--seconds N]

        Parses a foreign document for the panel, in a process of its own. It reads one request from standard
        input, writes the answer to standard output and ends. The panel starts it by the socket
        inkpanel-document.socket, or in bubblewrap's sandbox. People have no need to.

        Options:
          --seconds N  Time for the whole request, 1 to 120 seconds (default: 20)
          --version    Show the version
          --help       Show this help

        """

    /// Runs the program. After an answer it ends the process at once: a thread may still be in a library, whose globals
    /// exit(3) would destroy.
    /// - Parameter arguments: with the program's name.
    /// - Returns: the exit status if no request was read.
    public static func run(_ arguments: [String]) -> CInt {
        // Twice what the slowest board needs for a page, as other programs may work beside this one.
        var seconds = 20
        switch (arguments.dropFirst().first, arguments.count) {
        case (nil, _): break
        case ("--version", 2):
            print(version)
            return EX_OK
        case ("--help", 2), ("-h", 2):
            print(help, terminator: "")
            return EX_OK
        case ("--seconds", 3):
            guard let number = Int(arguments[2]), (1...120).contains(number) else { return misuse() }
            seconds = number
        default: return misuse()
        }
        // At a terminal a person has started the program, and there is no request.
        if isatty(STDIN_FILENO) != 0 { return misuse() }
        limit(seconds: seconds)
        _exit(answer(until: MonotonicClock.nanoseconds + Int64(seconds) * 1_000_000_000))
    }

    private static func misuse() -> CInt {
        Log(identifier: "inkpanel-document").error("expected no arguments and a request; see inkpanel-document --help")
        return EX_USAGE
    }

    /// Limits the process and those that it starts, against documents that exploit the libraries. The systemd units
    /// have more limits; these hold without units, too.
    private static func limit(seconds: Int) {
        signal(SIGPIPE, SIG_IGN)
        for (resource, most) in [
            (RLIMIT_CORE, 0), (RLIMIT_AS, 384 << 20), (RLIMIT_CPU, rlim_t(seconds + 1)),
        ] {
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(resource.rawValue), &limits)
            let least = min(most, limits.rlim_max)
            limits = rlimit(rlim_cur: least, rlim_max: least)
            // If this fails, the limits of the unit or of the sandbox remain.
            setrlimit(__rlimit_resource_t(resource.rawValue), &limits)
        }
        // The alarm ends the process if the deadline does not, for example while the answer is not read.
        alarm(CUnsignedInt(seconds + 2))
    }

    private final class Work: Sendable {
        let answer = Mutex<(HelperAnswer, [UInt8])?>(nil)
        let done: EventSignal

        init() throws(Errno) { done = try EventSignal(blocking: true) }
    }

    /// Answers the request, at the latest at the deadline: a library that does not return is left behind in its thread.
    /// Ends at once if nobody waits for the answer any more.
    /// - Returns: the exit status: 0 if there is an answer, even if it is a refusal, or nobody to answer.
    private static func answer(until deadline: Int64) -> CInt {
        do throws(Errno) {
            let work = try Work()
            _ = try Linux.Thread(name: "document") {
                let input = FileDescriptor(owning: fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3))
                let answer = Self.answer(to: input, until: deadline - reserve)
                work.answer.withLock { $0 = answer }
                work.done.signal()
            }
            var answer: (HelperAnswer, [UInt8])?
            repeat {
                let left = max(0, deadline - MonotonicClock.nanoseconds) / 1_000_000 + 1
                var waiting = [
                    pollfd(fd: work.done.number, events: Int16(POLLIN), revents: 0),
                    // A socket that the panel has closed is a hangup, a pipe of which it has is an error (poll(2)).
                    pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                ]
                poll(&waiting, nfds_t(waiting.count), CInt(min(left, 1_000_000)))
                if waiting[0].revents == 0, waiting[1].revents != 0 { return EX_OK }
                answer = work.answer.withLock { $0 }
            } while answer == nil && MonotonicClock.nanoseconds < deadline
            let slow = PDFError.tooSlow(doing: "read the document").fault
            let (line, body) = answer ?? (.refusal(slow), [])
            let output = FileDescriptor(owning: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
            try output.writeAll(line.line)
            try output.writeAll(body)
        } catch {
            Log(identifier: "inkpanel-document").error("cannot answer: \(error)")
            return EX_IOERR
        }
        return EX_OK
    }

    /// The part of the time that is kept for killing a program and answering, in nanoseconds.
    private static let reserve: Int64 = 200_000_000

    private static func answer(to input: borrowing FileDescriptor, until deadline: Int64) -> (HelperAnswer, [UInt8]) {
        let request: HelperRequest
        let document: [UInt8]
        do throws(HelperRequestFault) { (request, document) = try read(input) } catch {
            return (.refusal(DocumentFault(.badRequest, "the request cannot be read: \(error)")), [])
        }
        do throws(PDFError) {
            let body = try result(of: request.action, on: document, until: deadline)
            if body.count > request.longestAnswer {
                throw .tooComplex(reason: "the answer has \(body.count) bytes")
            }
            return (.body(byteCount: body.count), body)
        } catch {
            return (.refusal(error.fault), [])
        }
    }

    private static func result(
        of action: HelperRequest.Action, on document: [UInt8], until deadline: Int64
    ) throws(PDFError) -> [UInt8] {
        let renderer = PDFRenderer(deadline: deadline)
        switch action {
        case .inspect:
            var facts = try PDFInspection.facts(of: document)
            facts.renderer = renderer.version
            // Without poppler nothing can be shown, but the host may ask what the document has.
            let isUnclear = !facts.warnings.contains(.misleadingFields)
            if isUnclear, facts.renderer != nil, try renderer.misleads(document) {
                facts.warnings.append(.misleadingFields)
            }
            guard let json = facts.json() else {
                throw .tooComplex(reason: "its form has more or longer texts than can be told")
            }
            return json
        case .render(let rendering) where rendering.isSecond:
            return try PageComparator(renderer).drawSecond(rendering, of: document).file
        case .render(let rendering): return try renderer.render(rendering, of: document).file
        case .find(let text): return try renderer.find(text, in: document).json
        case .convert: return try PicturePages.document(of: document)
        case .flatten: return try renderer.flatten(document)
        case .picture(let page): return try renderer.picturing(page, of: document)
        case .read(let page): return try renderer.text(of: page, in: document)
        case .compare(let page):
            guard let json = try PageComparator(renderer).compare(page, in: document).json() else {
                throw .tooComplex(reason: "page \(page) differs in more places than can be told")
            }
            return json
        case .assemble(let update): return try PDFUpdate.assemble(document, update)
        }
    }

    /// Reads the line and the document.
    private static func read(
        _ input: borrowing FileDescriptor
    ) throws(HelperRequestFault) -> (HelperRequest, [UInt8]) {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var request: HelperRequest?
        while true {
            if let request, received.count >= request.byteCount {
                return (request, Array(received.prefix(request.byteCount)))
            }
            let count: Int
            do throws(Errno) { count = try input.read(into: &chunk) } catch {
                throw HelperRequestFault("\(error)")
            }
            if count == 0 { throw HelperRequestFault("it ends before its end") }
            guard request == nil else {
                received += chunk[..<count]
                continue
            }
            guard let end = chunk[..<count].firstIndex(of: UInt8(ascii: "\n")) else {
                received += chunk[..<count]
                if received.count > HelperLimits.requestLine { throw HelperRequestFault("its line is too long") }
                continue
            }
            let decoded = try HelperRequest(line: received + chunk[..<end])
            request = decoded
            received = Array(chunk[(end + 1)..<count])
            received.reserveCapacity(decoded.byteCount + chunk.count)
        }
    }
}
