// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import Testing

@testable import Screen

/// A display of a given kind, with the means to control and observe it.
struct DisplayRig {
    enum Kind: CaseIterable, Sendable { case headlessAtOnce, headlessPaced, atomic, legacy, framebuffer }

    let display: any Display
    let card: FakeCard?
    /// Simulates a vblank, or waits for one, so that the display has events.
    let vblank: () throws -> Void
    /// The first pixel on screen, without the X byte; nil if nothing is shown.
    let shown: () -> UInt32?

    init(_ kind: Kind) throws {
        let size = PixelSize(width: 64, height: 48)
        switch kind {
        case .headlessAtOnce, .headlessPaced:
            let headless = try HeadlessDisplay(size: size, pace: kind == .headlessAtOnce ? .immediate : .hertz(250))
            display = headless
            card = nil
            shown = { headless.currentSurface.map { $0.row(0)[0] & 0xFF_FFFF } }
            vblank = {
                let poll = try EventPoll()
                try poll.add(headless.eventDescriptor, token: 1)
                _ = try poll.wait(until: MonotonicClock.now + .milliseconds(2000))
            }
        case .framebuffer:
            let device = FakeFramebuffer(FakeFramebuffer.xrgb8888(size, padding: 64))
            let framebuffer = try FramebufferDisplay(device: device)
            display = framebuffer
            card = nil
            shown = { device.log.contains("write") ? device.picture[0] & 0xFF_FFFF : nil }
            vblank = {
                let poll = try EventPoll()
                try poll.add(framebuffer.eventDescriptor, token: 1)
                _ = try poll.wait(until: MonotonicClock.now + .milliseconds(2000))
            }
        case .atomic, .legacy:
            let card = try FakeCard.panel(isAtomic: kind == .atomic)
            card.pitchPadding = 192
            display = try finder(card).open()
            self.card = card
            shown = { card.shownPixel().map { $0 & 0xFF_FFFF } }
            vblank = { card.vblank() }
        }
    }
}

/// Drives a display with a swapchain like the panel, in one thread. Each frame is the whole picture in a new colour.
struct TestPanel {
    let display: any Display
    var chain: Swapchain
    private(set) var color: UInt32 = 0

    init(_ display: any Display) {
        self.display = display
        chain = Swapchain(size: display.size, bufferCount: display.surfaces.count)
    }

    /// Draws a frame in a new colour if a buffer is free.
    mutating func draw() {
        color += 1
        chain.invalidate(Damage(PixelRect(size: display.size)))
        repaint()
    }

    mutating func repaint() {
        guard chain.needsDrawing, let drawing = chain.acquire() else { return }
        for rect in drawing.stale.rects {
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX { display.surfaces[drawing.index].row(y)[x] = color }
            }
        }
        chain.submit(drawing.index)
    }

    /// Presents the finished frame; nil if no frame is finished or a flip is outstanding.
    @discardableResult
    mutating func present() throws(ScreenError) -> Presentation? {
        guard let frame = chain.takeReady() else { return nil }
        let presentation = try display.present(frame.index, damage: frame.damage)
        switch presentation {
        case .queued: break
        case .busy: chain.refused(frame)
        case .shown: chain.flipCompleted()
        }
        return presentation
    }

    mutating func readEvents() throws(ScreenError) {
        for _ in try display.readEvents() { chain.flipCompleted() }
    }
}
