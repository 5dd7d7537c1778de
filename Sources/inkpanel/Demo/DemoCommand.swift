// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Formats
import Geometry
import Glibc
import HostAPI
import Ink
import Linux
import PNG
import Pad
import Pages
import Panel
import Raster
import Record
import Screen
import Store
import Synchronization
import Touch

/// `inkpanel demo`: a capture on a machine without a panel.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play a complete signature capture without a panel.",
        discussion: """
            Runs the panel on a display in memory. A host requests a signature over the socket, and a recording of a \
            pen signs and touches Accept. Writes pictures of the pages (NAME-idle.png, NAME-prompt.png, \
            NAME-signed.png, NAME-thanks.png), the signature (NAME.png, NAME.svg) and its record (NAME.jsonl).
            """)

    @Option(help: ArgumentHelp("Prefix of the file names.", valueName: "name"))
    var output = "inkpanel-demo"

    @Option(help: ArgumentHelp("Size of the display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1280, height: 720)

    @Option(help: "Colours of the pages.")
    var theme = PadTheme.light

    @Option(
        help: ArgumentHelp(
            """
            Folder for pictures of the display, for an animation: one every 40 ms if it changed, named by its \
            milliseconds.
            """, valueName: "folder"))
    var frames: String?

    @OptionGroup var pen: PenOption

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            for suffix in Demo.suffixes { try OutputFile.check(output + suffix) }
            if let frames { try Self.make(frames) }
            print("A signature capture, as on a panel of \(size) pixels:")
            let film = frames.map { _ in DemoFilm() }
            let files = try Demo(size: size, pen: Pen(pen.pen), theme: PageTheme(theme), log: log).run(film: film)
            for (suffix, bytes) in files.sorted(by: { $0.key < $1.key }) {
                try OutputFile.write(bytes, to: output + suffix)
                print("  \(output.printable)\(suffix), \(bytes.count) bytes")
            }
            guard let frames, let film else { return }
            let pictures = try film.pictures.get()
            for picture in pictures {
                try OutputFile.write(picture.png, to: "\(frames)/\(picture.fileName)", option: "--frames")
            }
            print("  \(frames.printable): \(pictures.count) frames")
        }
    }

    private static func make(_ folder: String) throws(CommandError) {
        do throws(Errno) { try Directory.make(folder, permissions: 0o777) } catch {
            throw .cannotWrite(folder, error, option: "--frames")
        }
    }
}

extension Recording {
    /// The built-in recording; Demo/README.md has its origin.
    static func demonstration() throws(RecordingError) -> Recording {
        try Recording(bytes: PackageResources.demo_events, name: "demo.events")
    }
}

/// A complete capture: the panel on a display in memory, with a simulated person and host.
struct Demo {
    static let call = CaptureCall(
        request: CaptureRequest(
            prompt: ["I have received my order"],
            rows: [.init(label: "Order", value: "4711-0815"), .init(label: "Parcels", value: "12")],
            signer: "C. Lindell"),
        follows: true)

    /// Endings of the file names that ``run()`` returns.
    static let suffixes = ["-idle.png", "-prompt.png", "-signed.png", "-thanks.png"] + formats.map { "." + $0.suffix }
    static let formats: [ExportFormat] = [.png, .svg, .record]

    var size: PixelSize
    var pen: Pen
    var theme = PageTheme.light
    var messages = MessageTable(.english)
    var log: Log

    /// Returns files by the endings of their names.
    /// - Parameter film: takes pictures of the display.
    func run(film: DemoFilm? = nil) throws -> [String: [UInt8]] {
        let recording = try Recording.demonstration()
        let signature = try DemoSignature.demonstration(of: recording, panel: size)
        // The path of a socket must be short.
        let folder: TemporaryFolder
        do throws(Errno) { folder = try TemporaryFolder(prefix: "inkpanel-demo") } catch {
            throw CommandError.cannotWrite(TemporaryFolder.parent, error, option: "TMPDIR")
        }
        let socket = folder.path + "/panel.sock"
        let host = try DemoHost(socket: socket, Self.call)
        let display = try HeadlessDisplay(size: size)
        defer { display.close() }
        var pages: [String: Result<[UInt8], any Error>] = [:]
        let person = try DemoPerson(
            recording, signature,
            look: { page in
                print("  pad: \(page)")
                pages[page] = Result { try PNGEncoder.encode(display.currentSurface ?? display.surfaces[0]) }
                if page == "idle" { host.ask() }
            }, film: film.map { film in { film.take(display.currentSurface ?? display.surfaces[0], at: $0) } },
            isDone: { host.hasEnded })
        let look = Look(pen: pen, color: theme.ink, background: theme.paper)
        var pad = PanelPad.Setup(
            PadSettings(messages: messages, look: look, idle: [messages.idlePage()], program: Inkpanel.program),
            theme: theme, records: try CaptureStore(at: folder.path + "/records"))
        pad.control = PanelPad.Setup.Control(
            socket: try ControlSocket.listen(path: socket, group: nil), access: AccessRule(group: nil),
            version: Inkpanel.version)
        pad.onView = { [weak person] in person?.padShows($0) }
        var session = PanelSession(look: look, log: log)
        session.pad = pad
        session.endsWithRecording = true
        let thread = try Linux.Thread(name: "host") { host.run() }
        let outcome = Result { try session.run([person], display, until: []) }
        host.cancel()
        thread.join()
        _ = try outcome.get()
        let fetched = host.fetched
        if case .refused(.tooSmallScreen)? = fetched.failure as? PanelClientError {
            throw CommandError.wrongUsage("the page does not fit on \(size) pixels; name a larger --size")
        }
        if let failure = fetched.failure { throw CommandError(message: "\(failure)", status: EX_SOFTWARE) }
        var files: [String: [UInt8]] = [:]
        for (suffix, bytes) in fetched.files { files[".\(suffix)"] = bytes }
        for (page, picture) in pages { files["-\(page).png"] = try picture.get() }
        return files
    }
}

/// Pictures of the display in equal intervals, where it changed.
final class DemoFilm {
    /// The time between two pictures.
    static let interval = Duration.milliseconds(40)

    struct Picture {
        /// Since the first picture.
        var milliseconds: Int64
        var png: [UInt8]

        /// Six digits, so that the names sort by time.
        var fileName: String { String("\(1_000_000 + milliseconds)".dropFirst()) + ".png" }
    }

    private(set) var pictures = Result<[Picture], any Error>.success([])
    private var start: Timestamp?

    func take(_ surface: Surface, at now: Timestamp) {
        let begin = start ?? now
        start = begin
        pictures = pictures.flatMap { taken in
            Result {
                let png = try PNGEncoder.encode(surface)
                if png == taken.last?.png { return taken }
                return taken + [Picture(milliseconds: (now - begin).microseconds / 1000, png: png)]
            }
        }
    }
}

/// A host on its own thread: requests a signature over the socket and fetches the files.
final class DemoHost: Sendable {
    struct Result: Sendable {
        /// Keys are the endings of their names.
        var files: [String: [UInt8]] = [:]
        var failure: (any Error)?
        var hasEnded = false
        var isCancelled = false
    }

    private let socket: String
    private let call: CaptureCall
    private let begin: EventSignal
    private let result = Mutex(Result())

    init(socket: String, _ call: CaptureCall) throws(Errno) {
        self.socket = socket
        self.call = call
        begin = try EventSignal(blocking: true)
    }

    /// Makes the host send its request.
    func ask() { begin.signal() }

    /// Ends the thread if no request was sent.
    func cancel() {
        result.withLock { $0.isCancelled = true }
        begin.signal()
    }

    /// Whether it has fetched everything or failed.
    var hasEnded: Bool { result.withLock { $0.hasEnded } }

    func run() {
        begin.wait()
        if !result.withLock({ $0.isCancelled }) { capture() }
        result.withLock { $0.hasEnded = true }
    }

    private func capture() {
        do throws(PanelClientError) {
            var client = try PanelClient(path: socket)
            let ended = try client.capture(call) { print("  host: \(ProgressLines.line($0))") }
            guard ended.outcome == .accepted else {
                let reason = "the capture ended: \(String(describing: ended.outcome))"
                return result.withLock { $0.failure = CommandError(message: reason, status: EX_SOFTWARE) }
            }
            print("  host: accepted, and its record is on the disk (\(ended.id))")
            for format in Demo.formats {
                let bytes = try client.file(of: ended.id, as: ExportChoice(format: format))
                result.withLock { $0.files[format.suffix] = bytes }
            }
        } catch {
            result.withLock { $0.failure = error }
        }
    }

    /// Valid after the end of the thread.
    var fetched: Result { result.withLock { $0 } }
}
