// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import Testing

@testable import Screen

/// The contract of the protocol, for all kinds of displays.
@Suite("Every display")
struct DisplayTests {
    @Test("has at least two black buffers of its size", arguments: DisplayRig.Kind.allCases)
    func buffers(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        #expect(rig.display.size == PixelSize(width: 64, height: 48))
        #expect(rig.display.surfaces.count == 3)
        for surface in rig.display.surfaces {
            #expect(surface.size == rig.display.size)
            for y in 0..<48 {
                for x in 0..<64 where surface.row(y)[x] != 0 { Issue.record("not black at \(x), \(y)") }
            }
        }
    }

    @Test("shows the first frame at once", arguments: DisplayRig.Kind.allCases)
    func firstFrame(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        #expect(rig.shown() == nil)
        rig.display.surfaces[1].fill(PixelRect(size: rig.display.size), with: Color(red: 1, green: 2, blue: 3))
        try rig.display.start(showing: 1)
        #expect(rig.shown() == 0x010203)
        #expect(try rig.display.readEvents() == [])
        #expect(rig.display.retryDeadline == nil, "an idle display waits for nothing")
    }

    @Test("accepts one flip at a time and completes it with an event", arguments: DisplayRig.Kind.allCases)
    func oneFlip(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        let display = rig.display
        display.surfaces[1].fill(PixelRect(size: display.size), with: Color(red: 0, green: 0, blue: 9))
        try display.start(showing: 0)
        #expect(try display.present(1, damage: Damage(PixelRect(size: display.size))) == .queued)
        #expect(try display.present(2, damage: Damage()) == .busy)
        try rig.vblank()
        let poll = try EventPoll()
        try poll.add(display.eventDescriptor, token: 7)
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(2000)).map(\.token) == [7])
        let completions = try display.readEvents()
        #expect(completions.map(\.index) == [1])
        #expect(completions.map(\.wasLost) == [false])
        #expect(rig.shown() == 9)
        #expect(try display.readEvents() == [])
        #expect(try poll.wait(until: .zero).isEmpty, "the descriptor is silent again")
        #expect(display.retryDeadline == nil)
        #expect(try display.present(2, damage: Damage()) == .queued)
    }

    @Test("shows the frames of a busy panel in order, and finally the last one", arguments: DisplayRig.Kind.allCases)
    func busyPanel(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        var panel = TestPanel(rig.display)
        var lastShown: UInt32 = 0
        for step in 0..<60 {
            panel.draw()
            try panel.present()
            if step % 3 == 2 {
                try rig.vblank()
                try panel.readEvents()
            }
            let shown = rig.shown() ?? 0
            #expect(shown >= lastShown, "older after newer")
            lastShown = shown
        }
        for _ in 0..<3 {
            try rig.vblank()
            try panel.readEvents()
            panel.repaint()
            try panel.present()
        }
        #expect(rig.shown() == panel.color)
    }

    @Test("starting again forgets the outstanding flip", arguments: DisplayRig.Kind.allCases)
    func restart(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        try rig.display.start(showing: 0)
        _ = try rig.display.present(1, damage: Damage())
        try rig.display.start(showing: 2)
        #expect(try rig.display.present(0, damage: Damage()) == .queued)
    }

    @Test("after closing, calls fail and closing again does nothing", arguments: DisplayRig.Kind.allCases)
    func closed(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        try rig.display.start(showing: 0)
        rig.display.close()
        rig.display.close()
        let closed = ScreenError.closed(name: rig.display.details.name)
        #expect(throws: closed) { try rig.display.start(showing: 0) }
        #expect(throws: closed) { _ = try rig.display.present(0, damage: Damage()) }
        #expect(throws: closed) { _ = try rig.display.readEvents() }
        #expect(rig.card?.isClean ?? true)
    }

    @Test("the headless display completes flips at once by default")
    func headlessAtOnce() throws {
        let display = try HeadlessDisplay(size: PixelSize(width: 8, height: 8))
        try display.start(showing: 0)
        for index in [1, 2, 0] {
            #expect(try display.present(index, damage: Damage()) == .queued)
            #expect(try display.readEvents().map(\.index) == [index])
        }
    }
}

@Suite("Pixel density of a display")
struct DisplayDensityTests {
    @Test("follows from the size that the connector states")
    func stated() throws {
        let size = PixelSize(width: 1920, height: 1080)
        let density = try #require(PixelDensity(panel: size, stated: PixelSize(width: 344, height: 194)))
        #expect(abs(density.dotsPerInch - 141.6) < 0.1)
    }

    @Test(
        "is unknown without a size, or if the size is an aspect ratio or implausible",
        arguments: [
            nil, (0, 0), (16, 9), (160, 90), (160, 100), (1600, 900), (344, 344), (1, 1), (90, 160),
            // 52 x 29 cm in centimetres, and 34 x 19 cm in tenths of millimetres.
            (52, 29), (3440, 1940),
        ] as [(Int, Int)?])
    func unknown(millimetres: (Int, Int)?) {
        let stated = millimetres.map { PixelSize(width: $0.0, height: $0.1) }
        #expect(PixelDensity(panel: PixelSize(width: 1920, height: 1080), stated: stated) == nil)
    }

    @Test("is believed of panels of 7 inches that have the size of an aspect ratio: upright, or built in")
    func trueRatios() {
        func density(_ width: Int, _ height: Int, _ millimetres: (Int, Int), isBuiltIn: Bool) -> PixelDensity? {
            PixelDensity(
                panel: PixelSize(width: width, height: height),
                stated: PixelSize(width: millimetres.0, height: millimetres.1), isBuiltIn: isBuiltIn)
        }
        for isBuiltIn in [true, false] {
            #expect(density(1080, 1920, (90, 160), isBuiltIn: isBuiltIn) != nil)
            #expect(density(800, 1280, (100, 160), isBuiltIn: isBuiltIn) != nil)
            #expect((density(1920, 1080, (160, 90), isBuiltIn: isBuiltIn) != nil) == isBuiltIn)
            #expect((density(1280, 800, (160, 100), isBuiltIn: isBuiltIn) != nil) == isBuiltIn)
            for ratio in [(1600, 900), (16, 9), (1600, 1000)] {
                #expect(density(1920, 1080, ratio, isBuiltIn: isBuiltIn) == nil)
                #expect(density(1080, 1920, (ratio.1, ratio.0), isBuiltIn: isBuiltIn) == nil)
            }
            // Not the panel's own orientation.
            #expect(density(1920, 1080, (90, 160), isBuiltIn: isBuiltIn) == nil)
        }
    }

    @Test("is unknown for a display in memory")
    func headless() throws {
        let display = try HeadlessDisplay(size: PixelSize(width: 100, height: 50))
        defer { display.close() }
        #expect(display.statedDensity == nil)
    }
}
