// SPDX-License-Identifier: Apache-2.0
import Canvas
import Configuration
import Formats
import Geometry
import Glibc
import Ink
import Linux
import Pad
import Pages
import Raster
import Record
import Screen
import TestSupport
import Testing
import Touch

@testable import Panel

@Suite("Ink on the front buffer", .serialized)
struct FrontBufferTests {
    private static let size = PixelSize(width: 200, height: 120)
    private let look = Look(pen: Pen(.offset, width: 6))

    private func pixels(_ surface: Surface?) -> [UInt32] { surface.map { words(of: $0) } ?? [] }

    private func nextFrame(of target: RenderTarget) -> ReadyFrame {
        while true {
            if let ready = target.takeReady() { return ready }
            usleep(500)
        }
    }

    /// Draws a line on a display whose frames nobody presents.
    /// - Returns: the frame on screen before and after, and the frame that should follow.
    private func draw(isAllowed: Bool) throws -> (
        before: [UInt32], after: [UInt32], next: [UInt32], result: RenderThread.Result
    ) {
        let display = try HeadlessDisplay(size: Self.size)
        defer { display.close() }
        let screen = PadScreen(display, look: look)
        let target = RenderTarget(display, screen)
        let link = try RenderLink()
        let thread = try RenderThread(RenderThread.Plan(look: look, screen: screen, target: target), link: link)
        try display.start(showing: nextFrame(of: target).frame.index)
        target.flipCompleted(at: nil)
        if isAllowed { target.allowFrontWrites() }
        let before = pixels(display.currentSurface)
        let samples = (0..<5).map { index in
            Sample(time: .zero + .milliseconds(5 * index), position: Point(x: 30 + Double(index) * 30, y: 60))
        }
        link.send(
            samples.enumerated().map { index, sample in
                .pad(.ink(index == 0 ? .begin(sample) : .move(sample), reported: sample.time))
            })
        let next = nextFrame(of: target)
        link.abandon()
        let result = thread.join()
        return (before, pixels(display.currentSurface), pixels(display.surfaces[next.frame.index]), result)
    }

    @Test("new ink is in the frame on screen before a flip, as the next frame has it")
    func beforeFlip() throws {
        let drawn = try draw(isAllowed: true)
        let isChanged = drawn.after != drawn.before
        let isNext = drawn.after == drawn.next
        #expect(isChanged && isNext)
        #expect(drawn.result.frontLatency.count == 5)
    }

    @Test("without permission, the frame on screen stays as it is")
    func notAllowed() throws {
        let drawn = try draw(isAllowed: false)
        let isUnchanged = drawn.after == drawn.before
        let isDrawn = drawn.next != drawn.before
        #expect(isUnchanged && isDrawn)
        #expect(drawn.result.frontLatency.count == 0)
    }

    @Test("a played recording ends with the same pixels", arguments: [false, true])
    func samePixels(predicts: Bool) throws {
        let recording = try Recording.demonstration()
        let playback = HeadlessPlayback(
            size: PixelSize(width: 320, height: 180), look: Look(), pace: .factor(4), predicts: predicts,
            latency: .front, refresh: .hertz(60), log: Log(threshold: .error))
        let outcome = try playback.run(recording, name: "demo.events")
        defer { outcome.display.close() }
        let page = try StrokePage(recording: recording, name: "test", size: playback.size)
        var canvas = Canvas(size: playback.size, pen: Pen(), color: .black, background: .white)
        for event in page.events { canvas.apply(event) }
        let isSame = pixels(outcome.pixels) == pixels(canvas.dryPixels)
        #expect(isSame)
        #expect(outcome.rendering.frontLatency.count > 0)
    }
}
