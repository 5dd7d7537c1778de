// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import Screen
import Testing

/// What every display promises, whatever it is made of.
@Suite("Every display")
struct DisplayTests {
    @Test("has black buffers of its size, two at least", arguments: DisplayRig.Kind.allCases)
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
        #expect(rig.display.retryDeadlineNanoseconds == nil, "idle: nothing to wait for")
    }

    @Test("takes one flip at a time and completes it with an event", arguments: DisplayRig.Kind.allCases)
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
        #expect(try poll.wait(milliseconds: 2000).map(\.token) == [7])
        let completions = try display.readEvents()
        #expect(completions.map(\.index) == [1])
        #expect(completions.map(\.wasLost) == [false])
        #expect(rig.shown() == 9)
        #expect(try display.readEvents() == [])
        #expect(try poll.wait(milliseconds: 0).isEmpty, "the descriptor is quiet again")
        #expect(display.retryDeadlineNanoseconds == nil)
        #expect(try display.present(2, damage: Damage()) == .queued)
    }

    @Test("shows every frame of a busy panel in order and the last in the end", arguments: DisplayRig.Kind.allCases)
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

    @Test("can be started again, which forgets the outstanding flip", arguments: DisplayRig.Kind.allCases)
    func restart(kind: DisplayRig.Kind) throws {
        let rig = try DisplayRig(kind)
        try rig.display.start(showing: 0)
        _ = try rig.display.present(1, damage: Damage())
        try rig.display.start(showing: 2)
        #expect(try rig.display.present(0, damage: Damage()) == .queued)
    }

    @Test("after closing, calls are refused and closing again does nothing", arguments: DisplayRig.Kind.allCases)
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

    @Test("headless completes every flip, at once when no pace is given")
    func headlessAtOnce() throws {
        let display = try HeadlessDisplay(size: PixelSize(width: 8, height: 8))
        try display.start(showing: 0)
        for index in [1, 2, 0] {
            #expect(try display.present(index, damage: Damage()) == .queued)
            #expect(try display.readEvents().map(\.index) == [index])
        }
    }
}
