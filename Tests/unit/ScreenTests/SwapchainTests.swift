// SPDX-License-Identifier: Apache-2.0
import Geometry
import Screen
import TestSupport
import Testing

@Suite("Swapchain")
struct SwapchainTests {
    private let size = PixelSize(width: 12, height: 10)
    private func rect(_ x: Int, _ y: Int) -> Damage { Damage(PixelRect(minX: x, minY: y, maxX: x + 2, maxY: y + 2)) }
    private var whole: Damage { Damage(PixelRect(size: size)) }

    private func acquire(_ chain: inout Swapchain) throws -> Swapchain.BackBuffer {
        let drawing = chain.acquire()
        return try #require(drawing)
    }

    private func take(_ chain: inout Swapchain) throws -> Swapchain.Frame {
        let frame = chain.takeReady()
        return try #require(frame)
    }

    @Test("two buffers alternate until a frame is drawn during a flip, and the first drawing of each is complete")
    func firstUse() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        var used: [Int] = []
        func draw() throws {
            chain.invalidate(rect(0, 0))
            let drawing = try acquire(&chain)
            #expect(drawing.stale == (used.contains(drawing.index) ? rect(0, 0) : whole))
            used.append(drawing.index)
            chain.submit(drawing.index)
            _ = chain.takeReady()
        }
        for _ in 0..<6 {
            try draw()
            chain.flipCompleted()
        }
        #expect(Set(used).count == 2 && used[2...] == used[..<4])
        #expect(chain.outdatedPixelCount == 4)
        try draw()
        #expect(Set(used).count == 2)
        // One is on screen and one is queued. The third one would be drawn whole, but the flip frees the first.
        #expect(chain.outdatedPixelCount == 4)
        try draw()
        #expect(Set(used).count == 3)
    }

    @Test("a reused buffer needs only the changes since its last use")
    func bufferAge() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        func show() throws -> Damage {
            let drawing = try acquire(&chain)
            chain.submit(drawing.index)
            _ = try take(&chain)
            chain.flipCompleted()
            return drawing.stale
        }
        for _ in 0..<3 { _ = try show() }
        chain.invalidate(rect(0, 0))
        #expect(try show().bounds == rect(0, 0).bounds)
        chain.invalidate(rect(8, 8))
        let second = try show()
        #expect(Set(second.rects) == [rect(0, 0).bounds, rect(8, 8).bounds])
    }

    @Test("reuses a waiting frame for newer ink and keeps its damage")
    func takesBack() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        for _ in 0..<2 {
            let drawing = try acquire(&chain)
            chain.submit(drawing.index)
            _ = chain.takeReady()
        }
        chain.flipCompleted()
        chain.invalidate(rect(0, 0))
        var drawing = try acquire(&chain)
        chain.submit(drawing.index)
        _ = try take(&chain)
        chain.invalidate(rect(4, 4))
        drawing = try acquire(&chain)
        chain.submit(drawing.index)
        let second = chain.takeReady()
        #expect(second == nil, "one flip at a time")
        chain.invalidate(rect(8, 8))
        let again = try acquire(&chain)
        #expect(again.index == drawing.index)
        #expect(again.stale == rect(8, 8))
        chain.submit(again.index)
        chain.flipCompleted()
        let frame = try take(&chain)
        #expect(Set(frame.damage.rects) == [rect(4, 4).bounds, rect(8, 8).bounds])
    }

    @Test("a returned frame is ready again with its damage")
    func refused() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        let drawing = try acquire(&chain)
        chain.submit(drawing.index)
        let frame = try take(&chain)
        chain.refused(frame)
        #expect(try take(&chain) == frame)
    }

    @Test("with two buffers, drawing waits for the flip")
    func twoBuffers() throws {
        var chain = Swapchain(size: size, bufferCount: 2)
        for _ in 0..<2 {
            let drawing = try acquire(&chain)
            chain.submit(drawing.index)
            _ = try take(&chain)
            if chain.state(of: drawing.index == 0 ? 1 : 0) != .current { chain.flipCompleted() }
        }
        let none = chain.acquire()
        #expect(none == nil)
        chain.flipCompleted()
        _ = try acquire(&chain)
    }

    @Test("random orders of events lose no damage", arguments: Breadth.seeds(16, long: 100))
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = SwapchainModel(size: size, bufferCount: seed % 4 == 0 ? 2 : 3)
        for step in 0..<400 {
            model.step(using: &random)
            if let failure = model.failure {
                Issue.record("seed \(seed), step \(step): \(failure)")
                return
            }
        }
        model.settle()
        #expect(model.failure == nil, "seed \(seed)")
    }
}

/// A picture that changes, buffers that are repainted only where the swapchain says so, and a screen that fetches only
/// the frame's damage. In any order of events the screen must show the picture as it was drawn.
private struct SwapchainModel {
    private let size: PixelSize
    private var chain: Swapchain
    /// Each pixel is the number of the last change that wrote it.
    private var picture: [Int]
    private var pictureWhenAcquired: [Int] = []
    private var buffers: [[Int]]
    /// The correct content of each buffer.
    private var wanted: [[Int]]
    /// A screen behind a slow cable, which fetches damage only.
    private var remote: [Int]
    private var change = 0
    private var drawing: Swapchain.BackBuffer?
    private var queued: Swapchain.Frame?
    private(set) var failure: String?

    init(size: PixelSize, bufferCount: Int) {
        self.size = size
        chain = Swapchain(size: size, bufferCount: bufferCount)
        picture = Array(repeating: 0, count: size.width * size.height)
        buffers = Array(repeating: Array(repeating: -1, count: picture.count), count: bufferCount)
        wanted = buffers
        remote = buffers[0]
    }

    mutating func step(using random: inout some RandomNumberGenerator) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: invalidate(using: &random)
        case 3...4: acquire()
        case 5...6: finish()
        case 7...8: take(refusing: false)
        case 9: take(refusing: true)
        default: complete()
        }
        check()
    }

    /// Completes everything that is under way.
    mutating func settle() {
        for _ in 0..<8 {
            finish()
            take(refusing: false)
            complete()
            if chain.needsDrawing { acquire() }
            check()
        }
        if remote != picture { failure = failure ?? "the screen does not show the picture in the end" }
    }

    private mutating func invalidate(using random: inout some RandomNumberGenerator) {
        change += 1
        var damage = Damage()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let x = Int.random(in: 0..<size.width, using: &random)
            let y = Int.random(in: 0..<size.height, using: &random)
            let rect = PixelRect(
                minX: x, minY: y, maxX: min(size.width, x + Int.random(in: 1...5, using: &random)),
                maxY: min(size.height, y + Int.random(in: 1...5, using: &random)))
            damage.add(rect)
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX { picture[y * size.width + x] = change }
            }
        }
        chain.invalidate(damage)
    }

    private mutating func acquire() {
        guard let drawing = chain.acquire() else { return }
        if self.drawing != nil { failure = "two buffers are drawn at once" }
        if drawing.index == queued?.index { failure = "the queued buffer was handed out" }
        self.drawing = drawing
        pictureWhenAcquired = picture
        copy(drawing.stale, from: picture, to: &buffers[drawing.index])
        wanted[drawing.index] = picture
    }

    private mutating func finish() {
        guard let drawing else { return }
        self.drawing = nil
        chain.submit(drawing.index)
    }

    private mutating func take(refusing: Bool) {
        guard let frame = chain.takeReady() else { return }
        if queued != nil { failure = "two flips outstanding" }
        if refusing {
            chain.refused(frame)
        } else {
            queued = frame
        }
    }

    private mutating func complete() {
        chain.flipCompleted()
        guard let frame = queued else { return }
        queued = nil
        copy(frame.damage, from: buffers[frame.index], to: &remote)
        if buffers[frame.index] != wanted[frame.index] { failure = "a buffer was shown that is not up to date" }
        if remote != buffers[frame.index] { failure = "the frame's damage misses a change" }
    }

    private mutating func check() {
        let states = buffers.indices.map { chain.state(of: $0) }
        for state in [.drawing, .ready, .queued, .current] as [Swapchain.State] {
            if states.count(where: { $0 == state }) > 1 { failure = "two buffers are \(state)" }
        }
        if let drawing, states[drawing.index] != .drawing { failure = "a buffer was taken from under the pen" }
    }

    private func copy(_ damage: Damage, from: [Int], to: inout [Int]) {
        for rect in damage.rects {
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX { to[y * size.width + x] = from[y * size.width + x] }
            }
        }
    }
}

@Suite("Vblank clock")
struct VblankClockTests {
    private static let interval = Duration.nanoseconds(16_666_666)

    /// Whether two times differ by no more than rounding to microseconds.
    private static func isSame(_ a: Timestamp, _ b: Timestamp) -> Bool { (a - b).magnitude <= .microseconds(1) }

    private func clock(flipAt time: Timestamp = 5_000_000) -> VblankClock {
        var clock = VblankClock(interval: Self.interval)
        clock.noteFlip(at: time)
        return clock
    }

    @Test("a frame is visible at the next vblank that leaves time to draw and present it")
    func next() {
        let clock = clock()
        let cases: [(Double, Int)] = [(0, 1), (8, 1), (15.5, 1), (16, 2), (40, 3)]
        for (after, beats) in cases {
            let time = clock.timeOfFrame(begunAt: 5_000_000 + .milliseconds(after), flipIsOutstanding: false)
            #expect(time.map { Self.isSame($0, 5_000_000 + Self.interval * beats) } == true, "after \(after) ms")
        }
    }

    @Test("behind a queued frame it is visible one vblank later")
    func queued() {
        let time = clock().timeOfFrame(begunAt: 5_001_000, flipIsOutstanding: true)
        #expect(time.map { Self.isSame($0, 5_000_000 + Self.interval * 2) } == true)
    }

    @Test("without vblanks, or long after the last flip, the time is unknown")
    func unknown() {
        #expect(clock().timeOfFrame(begunAt: 6_000_000, flipIsOutstanding: false) == nil)
        #expect(clock().timeOfFrame(begunAt: 4_900_000, flipIsOutstanding: false) == nil)
        #expect(clock(flipAt: .distantFuture).timeOfFrame(begunAt: .distantPast, flipIsOutstanding: true) == nil)
        let silent = VblankClock(interval: Self.interval)
        #expect(silent.timeOfFrame(begunAt: 1, flipIsOutstanding: false) == nil)
        var none = VblankClock(interval: nil)
        none.noteFlip(at: 5)
        #expect(none.timeOfFrame(begunAt: 6, flipIsOutstanding: false) == nil)
    }
}
