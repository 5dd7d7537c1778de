// SPDX-License-Identifier: Apache-2.0
import Geometry
import Screen

/// A picture that changes, buffers that are repainted only where the swapchain says so, and a screen that fetches only
/// what the frame's damage says: whatever the order of events, the screen must show the picture as it was drawn.
struct SwapchainModel {
    private let size: PixelSize
    private var chain: Swapchain
    /// Each pixel is the number of the change that wrote it last.
    private var picture: [Int]
    private var pictureWhenAcquired: [Int] = []
    private var buffers: [[Int]]
    /// What each buffer must hold, by having been painted completely.
    private var wanted: [[Int]]
    /// A screen on the other end of a slow cable: fetches damage only.
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

    /// Lets everything that is under way arrive.
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
