// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Control
import Geometry
import HostAPI
import Ink
import Linux
import Pad
import Pages
import Raster
import Record
import Screen
import Store
import TestSupport
import Testing
import Touch

@testable import Panel

@Suite("The sketch page in a session")
struct SketchSessionTests {
    private static let size = PixelSize(width: 640, height: 400)

    private func run(_ input: any TouchInput, in spool: Spool, control: PanelPad.Setup.Control? = nil) throws
        -> [UInt32]
    {
        let display = try HeadlessDisplay(size: Self.size)
        defer { display.close() }
        let theme = PageTheme.light
        let look = Look(color: theme.ink, background: theme.paper)
        var settings = PadSettings(
            messages: MessageTable(.english), look: look, idle: [.words("idle")], program: "test")
        settings.sketch = SketchSettings(
            tools: try #require(SketchTools(colors: theme.sketchColors)), clearsOnDoubleTap: false)
        var pad = PanelPad.Setup(settings, theme: theme, records: spool.store)
        pad.sketchFolder = SketchFolder(at: spool.path + "/drawings")
        pad.control = control
        var session = PanelSession(look: look, log: Log(threshold: .error))
        session.endsWithRecording = true
        session.pad = pad
        _ = try session.run([input], display, until: [])
        return words(of: try #require(display.currentSurface))
    }

    @Test("the sketch is restored to the pixel after a restart")
    func survives() throws {
        let spool = try Spool()
        let recording = try Recording.demonstration()
        let blank = try run(try StillInput(recording.device, for: .milliseconds(300)), in: spool)
        let drawn = try run(try RecordingInput(recording, name: "demo", pace: .factor(4)), in: spool)
        // Compare before #expect, which takes minutes to report the difference of large arrays.
        let isDrawn = drawn != blank
        #expect(isDrawn)
        let again = try run(try StillInput(recording.device, for: .seconds(1)), in: spool)
        let isSame = again == drawn
        #expect(isSame)
    }

    @Test("a capture in between does not change the sketch")
    func interrupted() throws {
        let spool = try Spool()
        let recording = try Recording.demonstration()
        let drawn = try run(try RecordingInput(recording, name: "demo", pace: .factor(4)), in: spool)
        let path = spool.path + "/panel.sock"
        let control = PanelPad.Setup.Control(
            socket: try ControlSocket.listen(path: path, group: nil), access: AccessRule(group: nil), version: "0")
        let host = try Linux.Thread(name: "host") {
            // The capture times out after a second.
            var call = CaptureCall(request: CaptureRequest(prompt: ["Sign"]))
            call.policy.totalLimit = .seconds(1)
            guard var client = try? PanelClient(path: path) else { return }
            _ = try? client.capture(call) { _ in }
        }
        let after = try run(try StillInput(recording.device, for: .milliseconds(2500)), in: spool, control: control)
        host.join()
        let isSame = after == drawn
        #expect(isSame)
        let captures = try spool.store.list().captures
        #expect(captures.isEmpty)
    }
}
