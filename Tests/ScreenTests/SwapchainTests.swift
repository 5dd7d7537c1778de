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

    @Test("paints every buffer completely the first time")
    func firstUse() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        for _ in 0..<3 {
            let drawing = try acquire(&chain)
            #expect(drawing.stale == whole)
            chain.submit(drawing.index)
            if chain.takeReady() != nil { chain.flipCompleted() }
        }
    }

    @Test("a buffer that comes back lacks what happened meanwhile, no more")
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

    @Test("takes a waiting frame back for newer ink, and its damage stays")
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

    @Test("a refused frame is ready again with its damage")
    func refused() throws {
        var chain = Swapchain(size: size, bufferCount: 3)
        let drawing = try acquire(&chain)
        chain.submit(drawing.index)
        let frame = try take(&chain)
        chain.refused(frame)
        #expect(try take(&chain) == frame)
    }

    @Test("with two buffers the render thread waits for the flip")
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

    @Test("whatever happens in which order, nothing is lost", arguments: 0..<100 as Range<UInt64>)
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
