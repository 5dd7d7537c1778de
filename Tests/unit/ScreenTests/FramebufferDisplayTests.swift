// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import TestSupport
import Testing

@testable import Screen

@Suite("Framebuffer displays")
struct FramebufferDisplayTests {
    private static let size = PixelSize(width: 13, height: 9)

    /// The same device with memory for two pictures.
    private static func panning(_ info: FramebufferInfo) -> FramebufferInfo {
        var info = info
        info.virtualHeight = 2 * info.size.height
        info.byteCount *= 2
        info.panStep = 1
        return info
    }

    private static var kinds: [FramebufferInfo] {
        var moved = FakeFramebuffer.rgb565(size, padding: 6)
        (moved.x, moved.lineLength, moved.byteCount) = (2, moved.lineLength + 4, (moved.lineLength + 4) * size.height)
        return [
            FakeFramebuffer.xrgb8888(size), FakeFramebuffer.xrgb8888(size, padding: 12),
            FakeFramebuffer.rgb565(size, padding: 6), moved, panning(FakeFramebuffer.xrgb8888(size, padding: 4)),
            panning(FakeFramebuffer.rgb565(size)),
        ]
    }

    /// The pixels that the device must show for a surface.
    private func expected(_ surface: Surface, _ info: FramebufferInfo) throws -> [UInt32] {
        let format = try FramebufferFormat(info)
        let packer = PixelPacker(format)
        var pixels: [UInt32] = []
        for y in 0..<surface.size.height {
            for x in 0..<surface.size.width {
                var word: UInt32 = 0
                withUnsafeMutableBytes(of: &word) {
                    packer.pack(surface.row(y), x..<(x + 1), y: y, into: $0.baseAddress!)
                }
                pixels.append(word)
            }
        }
        return pixels
    }

    private func awaitCompletions(_ display: FramebufferDisplay) throws -> [FlipCompletion] {
        let poll = try EventPoll()
        try poll.add(display.eventDescriptor, token: 1)
        _ = try poll.wait(until: MonotonicClock.now + .milliseconds(5000))
        return try display.readEvents()
    }

    @Test("shows the picture after each of many random changes")
    func randomFrames() throws {
        for (number, info) in Self.kinds.enumerated() {
            var random = SeededGenerator(seed: UInt64(number))
            let device = FakeFramebuffer(info)
            let display = try FramebufferDisplay(device: device)
            let reference = PixelBuffer(size: Self.size)
            var chain = Swapchain(size: Self.size, bufferCount: 3)
            for step in 0..<40 {
                var damage = Damage()
                for _ in 0..<Int.random(in: step == 0 ? 0...0 : 1...3, using: &random) {
                    let x = Int.random(in: 0..<Self.size.width, using: &random)
                    let y = Int.random(in: 0..<Self.size.height, using: &random)
                    let rect = PixelRect(
                        minX: x, minY: y, maxX: Int.random(in: x...Self.size.width, using: &random),
                        maxY: Int.random(in: y...Self.size.height, using: &random))
                    reference.surface.fill(rect, with: Color(hex: "\(100_000 + step * 20_011)")!)
                    damage.add(rect)
                }
                chain.invalidate(damage)
                guard chain.needsDrawing, let drawing = chain.acquire() else { continue }
                for rect in drawing.stale.rects {
                    display.surfaces[drawing.index].copy(rect, from: reference.surface, rotation: .none)
                }
                chain.submit(drawing.index)
                guard let frame = chain.takeReady() else { continue }
                if step == 0 {
                    try display.start(showing: frame.index)
                    chain.flipCompleted()
                } else {
                    #expect(try display.present(frame.index, damage: frame.damage) == .queued)
                    #expect(try awaitCompletions(display).map(\.index) == [frame.index])
                    chain.flipCompleted()
                }
                #expect(try device.picture == expected(reference.surface, info), "\(info), frame \(step)")
            }
            if info.canPan { #expect(device.log.contains("pan")) }
            let lost = device.with { $0.writes }.filter { write in
                write.upperBound % info.lineLength == 0 && write.count <= info.lineLength
            }
            #expect(lost.isEmpty, "some drivers ignore a write of one row's end")
            display.close()
        }
    }

    @Test("writes only the damage")
    func writesDamage() throws {
        let info = FakeFramebuffer.rgb565(Self.size, padding: 6)
        let device = FakeFramebuffer(info)
        let display = try FramebufferDisplay(device: device)
        try display.start(showing: 0)
        device.with { $0.writes = [] }
        _ = try display.present(1, damage: Damage(PixelRect(minX: 3, minY: 2, maxX: 5, maxY: 4)))
        _ = try awaitCompletions(display)
        let second = 2 * info.lineLength
        let third = 3 * info.lineLength
        let wanted: [Range<Int>] = [(second + 6)..<(second + 10), (third + 6)..<(third + 10)]
        let written = device.with { $0.writes }
        #expect(written == wanted)
    }

    @Test("does not pan an emulated device")
    func emulated() throws {
        var info = Self.panning(FakeFramebuffer.xrgb8888(Self.size))
        info.isEmulated = true
        let device = FakeFramebuffer(info)
        let display = try FramebufferDisplay(device: device)
        try display.start(showing: 0)
        _ = try display.present(1, damage: Damage(PixelRect(size: Self.size)))
        _ = try awaitCompletions(display)
        #expect(!device.log.contains("pan") && display.details.commitStyle == "framebuffer")
    }

    @Test("writes to the hidden picture only, if there are two")
    func pans() throws {
        let device = FakeFramebuffer(Self.panning(FakeFramebuffer.rgb565(Self.size)))
        let display = try FramebufferDisplay(device: device)
        #expect(display.details.commitStyle == "framebuffer, panning")
        try display.start(showing: 0)
        let half = device.current.byteCount / 2
        for frame in 1...6 {
            let shown = device.current.y == 0 ? 0..<half : half..<(2 * half)
            device.with { $0.writes = [] }
            _ = try display.present(frame % 3, damage: Damage(PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)))
            _ = try awaitCompletions(display)
            let written = device.with { $0.writes }
            #expect(!written.isEmpty && written.allSatisfy { !$0.overlaps(shown) })
        }
    }

    @Test(
        "writes to the visible picture if panning fails",
        arguments: [Errno.invalidArgument, .busy, .notATerminal])
    func panRefused(error: Errno) throws {
        let device = FakeFramebuffer(Self.panning(FakeFramebuffer.xrgb8888(Self.size)))
        device.with { $0.failures = ["pan": error] }
        let display = try FramebufferDisplay(device: device)
        for (index, hex) in ["102030", "405060", "708090", "a0b0c0"].enumerated() {
            let surface = display.surfaces[index % 3]
            surface.fill(surface.bounds, with: Color(hex: hex)!)
            if index == 0 {
                try display.start(showing: 0)
            } else {
                // If the device was only busy, the third frame is shown by panning.
                if index == 3, error == .busy { device.with { $0.failures = [:] } }
                _ = try display.present(index % 3, damage: Damage(surface.bounds))
                _ = try awaitCompletions(display)
            }
            #expect(try device.picture == expected(surface, device.current))
        }
        #expect(device.log.count { $0 == "pan" } == (error == .busy ? 4 : 1))
    }

    @Test("writes to the visible part after the console has scrolled")
    func scrolled() throws {
        var info = FakeFramebuffer.rgb565(Self.size)
        (info.virtualHeight, info.byteCount) = (info.size.height + 4, info.lineLength * (info.size.height + 4))
        let device = FakeFramebuffer(info)
        let display = try FramebufferDisplay(device: device)
        display.surfaces[0].fill(display.surfaces[0].bounds, with: .white)
        try display.start(showing: 0)
        device.with { $0.info.y = 3 }
        display.surfaces[1].fill(display.surfaces[1].bounds, with: .white)
        _ = try display.present(1, damage: Damage(PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)))
        _ = try awaitCompletions(display)
        #expect(device.picture.allSatisfy { $0 == 0xFFFF })
    }

    @Test("closing erases the memory")
    func leavesNothing() throws {
        for info in Self.kinds {
            let device = FakeFramebuffer(info)
            let display = try FramebufferDisplay(device: device)
            for surface in display.surfaces { surface.fill(surface.bounds, with: .white) }
            try display.start(showing: 0)
            for index in [1, 2, 0] {
                _ = try display.present(index, damage: Damage(display.surfaces[0].bounds))
                _ = try awaitCompletions(display)
            }
            display.close()
            let memory = device.with { $0.memory }
            #expect(memory.allSatisfy { $0 == 0 })
            #expect(device.log.last == "reset" && device.current.y == 0)
        }
    }

    @Test("closing leaves an unused device alone")
    func leavesAlone() throws {
        let device = FakeFramebuffer(FakeFramebuffer.rgb565(Self.size))
        try FramebufferDisplay(device: device).close()
        #expect(device.log == ["info"])
    }

    @Test("the next frame reports a device that is gone")
    func gone() throws {
        let device = FakeFramebuffer(FakeFramebuffer.rgb565(Self.size))
        let display = try FramebufferDisplay(device: device)
        try display.start(showing: 0)
        device.with { $0.failures = ["info": .noSuchDevice, "write": .noSuchDevice, "pan": .noSuchDevice] }
        _ = try display.present(1, damage: Damage())
        let error = thrownError { _ = try awaitCompletions(display) }
        #expect(error as? ScreenError == .cardGone(card: "/dev/fb7"))
        display.close()
    }

    @Test("fails if another program has changed the mode")
    func changedMode() throws {
        let device = FakeFramebuffer(FakeFramebuffer.xrgb8888(Self.size))
        let display = try FramebufferDisplay(device: device)
        try display.start(showing: 0)
        device.with { state in
            state.info.size = PixelSize(width: 8, height: 8)
            state.writes = []
        }
        _ = try display.present(1, damage: Damage(PixelRect(size: Self.size)))
        let error = thrownError { _ = try awaitCompletions(display) }
        guard case .unusableFramebuffer? = error as? ScreenError else {
            Issue.record("\(String(describing: error))")
            return
        }
        display.close()
        let written = device.with { $0.writes }
        #expect(written.isEmpty)
    }

    @Test("a driver that hangs is given up after two seconds")
    func hangs() throws {
        let device = FakeFramebuffer(FakeFramebuffer.rgb565(Self.size))
        let clock = TestClock()
        let display = try FramebufferDisplay(device: device) { clock.now }
        try display.start(showing: 0)
        device.with { $0.hangs = true }
        #expect(try display.present(1, damage: Damage()) == .queued)
        #expect(display.retryDeadline == 2_000_000)
        #expect(try display.readEvents().isEmpty)
        #expect(try display.present(2, damage: Damage()) == .busy)
        clock.now = 2_000_000
        let error = thrownError { _ = try display.readEvents() }
        #expect(error as? ScreenError == .flipTimedOut(card: "/dev/fb7", connector: "fb7"))
        device.with { $0.hangs = false }
        display.close()
    }

    private final class TestClock {
        var now = Timestamp.zero
    }

    @Test("rejects impossible properties")
    func impossible() {
        func refusal(_ change: (inout FramebufferInfo) -> Void) -> ScreenError? {
            var info = FakeFramebuffer.rgb565(Self.size)
            change(&info)
            return thrownError { _ = try FramebufferDisplay(device: FakeFramebuffer(info)) } as? ScreenError
        }
        #expect(refusal { _ in } == nil)
        for change: (inout FramebufferInfo) -> Void in [
            { $0.lineLength = 25 }, { $0.lineLength = 0 }, { $0.byteCount -= 1 }, { $0.size.width = 0 },
            { $0.size = PixelSize(width: 1 << 31, height: 1 << 31) }, { $0.x = 1 }, { $0.bitsPerPixel = 1 },
        ] {
            guard case .unusableFramebuffer? = refusal(change) else {
                Issue.record("accepted")
                continue
            }
        }
    }

    @Test("distinguishes a missing device from other files")
    func notThere() {
        let missing = thrownError { _ = try FramebufferDisplay(path: "/dev/fb-none") } as? ScreenError
        guard case .noFramebuffer("/dev/fb-none", _)? = missing else {
            Issue.record("\(String(describing: missing))")
            return
        }
        let wrong = thrownError { _ = try FramebufferDisplay(path: "/dev/null") } as? ScreenError
        guard case .unusableFramebuffer("/dev/null", _)? = wrong else {
            Issue.record("\(String(describing: wrong))")
            return
        }
        #expect(wrong?.description.contains("not a framebuffer device") == true)
    }

    @Test(
        "any call may fail once: the error is overcome or thrown, and the picture is right",
        arguments: [Errno.busy, .noSuchDevice, .invalidArgument, .notPermitted, .inputOutput])
    func everyCall(error: Errno) throws {
        for info in [FakeFramebuffer.rgb565(Self.size), Self.panning(FakeFramebuffer.xrgb8888(Self.size))] {
            let healthy = FakeFramebuffer(info)
            try live(with: healthy)
            var overcome = 0
            for call in healthy.log.indices {
                let device = FakeFramebuffer(info)
                device.with { $0.failure = (call, error) }
                do {
                    try live(with: device)
                    overcome += 1
                } catch {
                    #expect(error is ScreenError, "\(call), \(error)")
                }
            }
            #expect(overcome > 0)
        }
    }

    /// Shows six frames and checks the last one.
    private func live(with device: FakeFramebuffer) throws {
        let display = try FramebufferDisplay(device: device)
        defer { display.close() }
        var panel = TestPanel(display)
        for _ in 0..<6 {
            panel.draw()
            guard try panel.present() == .queued else { continue }
            let poll = try EventPoll()
            try poll.add(display.eventDescriptor, token: 1)
            // The first wake-up may belong to the frame before.
            repeat {
                _ = try poll.wait(until: MonotonicClock.now + .milliseconds(5000))
                try panel.readEvents()
            } while display.retryDeadline != nil
        }
        let surface = PixelBuffer(size: Self.size)
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width { surface.surface.row(y)[x] = panel.color }
        }
        #expect(try device.picture == expected(surface.surface, device.current))
    }

    @Test("lists devices by number, with their properties or the reason against them")
    func list() throws {
        let folder = try TemporaryDirectory()
        for name in ["fb10", "fb2", "fbx", "tty"] { try AtomicFile.write([], to: "\(folder.path)/\(name)") }
        let paths = FramebufferList.paths(in: folder.path)
        #expect(paths == ["\(folder.path)/fb2", "\(folder.path)/fb10"])
        let lines = FramebufferList.descriptions(of: ["a", "b", "c"]) { path throws(Errno) in
            if path == "c" { throw .permissionDenied }
            var info = FakeFramebuffer.rgb565(Self.size)
            info.name = "ili9486"
            if path == "b" { info.bitsPerPixel = 8 }
            return FakeFramebuffer(info)
        }
        #expect(lines[0] == "/dev/fb7 (ili9486): 13x9 RGB565")
        #expect(lines[1].contains("8 bits"))
        #expect(lines[2].contains("Permission denied"))
    }
}
