// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

@testable import Screen

// What is scanned out, with account of the order in which it is given back.
extension FakeCard: ModesettingDevice {
    func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation {
        try enter("createDumbBuffer")
        let pitch = UInt32(size.width * 4) + pitchPadding
        let byteCount = Int(pitch) * size.height
        let allocation = DumbAllocation(handle: newID(), pitch: pitch, byteCount: UInt64(byteCount))
        let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        // Somebody else's picture.
        start.initializeMemory(as: UInt8.self, repeating: 0xA5, count: byteCount)
        memory[allocation.handle] = Memory(allocation: allocation, start: start)
        return allocation
    }

    func map(_ allocation: DumbAllocation) throws(Errno) -> UnsafeMutableRawPointer {
        try enter("map")
        guard let start = memory[allocation.handle]?.start else { throw .noSuchFile }
        memory[allocation.handle]?.isMapped = true
        return start
    }

    func unmap(_ start: UnsafeMutableRawPointer, _ allocation: DumbAllocation) {
        if framebuffers.values.contains(allocation.handle) { violations.append("unmapped before RMFB") }
        if memory[allocation.handle]?.isMapped != true { violations.append("unmapped twice") }
        memory[allocation.handle]?.isMapped = false
    }

    // The two below count as done even when they are told to fail: the caller can do no more, and the kernel frees
    // the rest when the card is closed.
    func destroyDumbBuffer(_ handle: UInt32) throws(Errno) {
        if memory[handle]?.isMapped != false { violations.append("memory freed while mapped or twice") }
        memory.removeValue(forKey: handle)?.start.deallocate()
        try enter("destroyDumbBuffer")
    }

    func addFramebuffer(_ allocation: DumbAllocation, size: PixelSize) throws(Errno) -> UInt32 {
        try enter("addFramebuffer")
        framebuffers[newID()] = allocation.handle
        return nextID
    }

    func removeFramebuffer(_ id: UInt32) throws(Errno) {
        if pending?.framebuffer == id && !isGone { violations.append("RMFB of a queued framebuffer") }
        let isShown = crtcs.contains { $0.framebuffer == id }
        if isShown && !isGone && isMaster && failure == nil && failures.isEmpty {
            violations.append("RMFB of the framebuffer on screen")
        }
        if framebuffers.removeValue(forKey: id) == nil { violations.append("framebuffer removed twice") }
        try enter("removeFramebuffer")
    }

    func readEvents() throws(Errno) -> [CardEvent] {
        try enter("readEvents")
        signal.wait()
        defer { events = [] }
        return events
    }

    func waitForEvents(milliseconds: Int32) { if completesAtOnce { vblank() } }

    func close() {
        if !memory.isEmpty || !framebuffers.isEmpty { violations.append("closed with buffers") }
        isClosed = true
    }

    func newID() -> UInt32 {
        nextID += 1
        return nextID
    }

    /// The first pixel of what the first CRTC scans out; nil when it is off or shows somebody else's framebuffer.
    func shownPixel(x: Int = 0, y: Int = 0) -> UInt32? {
        guard let handle = framebuffers[crtcs[0].framebuffer], let memory = memory[handle] else { return nil }
        return memory.start.load(fromByteOffset: y * Int(memory.allocation.pitch) + x * 4, as: UInt32.self)
    }
}
