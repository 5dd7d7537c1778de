// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Glibc
import Ink
import Pad
import Pages
import Raster
import Screen
import TestSupport
import Testing

@testable import Panel

/// Comparing what the screen shows with what belongs there.
@Suite("Inspection of the screen's memory")
struct InspectionTests {
    private static let size = PixelSize(width: 200, height: 120)
    private let look = Look(pen: Pen(.offset, width: 6))

    private func nextFrame(of target: RenderTarget) -> ReadyFrame {
        while true {
            if let ready = target.takeReady() { return ready }
            usleep(500)
        }
    }

    private func inspect(_ link: RenderLink) -> Bool? {
        link.send([.inspect])
        while true {
            for case .inspected(let fits) in link.receive() { return fits }
            usleep(500)
        }
    }

    @Test(
        "finds a pixel that differs, and says nothing while the picture changes or is dark",
        arguments: [Rotation.none, .clockwise90])
    func inspection(rotation: Rotation) throws {
        let display = try HeadlessDisplay(size: Self.size)
        defer { display.close() }
        let screen = PadScreen(display, look: Look(pen: look.pen, rotation: rotation))
        let target = RenderTarget(display, screen)
        let link = try RenderLink()
        let thread = try RenderThread(RenderThread.Plan(look: look, screen: screen, target: target), link: link)
        let first = nextFrame(of: target)
        // Not on screen yet.
        #expect(inspect(link) == nil)
        try display.start(showing: first.frame.index)
        target.flipCompleted(at: nil)
        #expect(inspect(link) == true)
        let shown = try #require(display.currentSurface)
        shown.row(119)[199] ^= 1
        #expect(inspect(link) == false)
        shown.row(119)[199] ^= 1
        #expect(inspect(link) == true)
        // A frame that nobody has presented yet.
        link.send([.pad(.ink(.begin(Sample(time: 0, position: Point(x: 30, y: 60))), reported: 0))])
        #expect(inspect(link) == nil)
        link.send([.blank(true)])
        #expect(inspect(link) == nil)
        link.abandon()
        _ = thread.join()
    }
}
