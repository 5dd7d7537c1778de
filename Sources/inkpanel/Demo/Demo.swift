// SPDX-License-Identifier: Apache-2.0
import Pad
import Control
import Formats
import Geometry
import Glibc
import Ink
import Linux
import Pages
import Raster
import Record
import Screen
import Store
import Touch

/// A whole signature capture without a panel: the program itself on a display in memory, with a person and a host that
/// are played.
struct Demo {
    static let call = CaptureCall(
        request: CaptureRequest(
            prompt: ["I have received 12 parcels", "in good order."], signer: "D. Ink", reason: "delivery"),
        follows: true)

    /// How the names of the files end that ``run()`` makes.
    static let suffixes = ["-idle.png", "-prompt.png", "-signed.png", "-thanks.png"] + formats.map { "." + $0.suffix }
    /// What the host fetches.
    static let formats: [ExportFormat] = [.png, .svg, .record]

    var size: PixelSize
    var pen: Pen
    var theme = PageTheme.light
    var messages = MessageTable(.english)
    var log: Log

    /// What came of it: files by the ends of their names, pages among them.
    func run() throws -> [String: [UInt8]] {
        let recording = try Recording.demonstration()
        guard let mapping = PanelMapping(recording.device, panel: size),
            let signature = DemoSignature(recording, mapping: mapping)
        else { throw CommandError.unusableInput("the built-in recording has no ink") }
        // A socket's path is short, and a directory's name that nobody can guess is its guard.
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
            }, isDone: { host.hasEnded })
        var session = PanelSession(look: Look(pen: pen, color: theme.ink, background: theme.paper), log: log)
        session.pad = PanelPad.Setup(
            messages: messages, theme: theme, idle: .words(messages[.idle]),
            records: try CaptureStore(at: folder.path + "/records"),
            control: .init(
                socket: try ControlSocket.listen(path: socket, group: nil), access: AccessRule(group: nil)),
            onPage: { [weak person] in person?.padShows($0, $1) })
        session.endsWithRecording = true
        let thread = try Linux.Thread(name: "host") { host.run() }
        let outcome = Result { try session.run([person], display, until: []) }
        // What it has asked ends with the pad's connections.
        host.cancel()
        thread.join()
        _ = try outcome.get()
        let fetched = host.fetched
        if case .refused(.tooSmallScreen)? = fetched.failure as? ControlClientError {
            throw CommandError.wrongUsage("the page does not fit on \(size) pixels; name a larger --size")
        }
        if let failure = fetched.failure { throw CommandError(message: "\(failure)", status: EX_SOFTWARE) }
        var files: [String: [UInt8]] = [:]
        for (suffix, bytes) in fetched.files { files[".\(suffix)"] = bytes }
        for (page, picture) in pages { files["-\(page).png"] = try picture.get() }
        return files
    }
}
