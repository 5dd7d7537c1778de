// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster

/// Memory that the display can scan out, mapped, and the framebuffer that makes it a picture. Freed with the value, in
/// the order the kernel wants: framebuffer, mapping, memory.
///
/// Removing a framebuffer that is on screen switches its CRTC off, so the display gives the CRTC another picture first
/// (modeset.c, `modeset_cleanup`: restore the saved CRTC, then destroy the buffers).
struct DumbBuffer: ~Copyable {
    let surface: Surface
    /// The framebuffer's id.
    let framebuffer: UInt32

    private let device: any ModesettingDevice
    private let allocation: DumbAllocation

    init(device: any ModesettingDevice, size: PixelSize) throws(ScreenError) {
        let allocation: DumbAllocation
        do {
            allocation = try device.createDumbBuffer(size)
        } catch {
            throw .noBuffers(device.path, size, "MODE_CREATE_DUMB", error)
        }
        if let problem = Self.problem(with: allocation, size: size) {
            try? device.destroyDumbBuffer(allocation.handle)
            throw .badBuffer(card: device.path, description: problem)
        }
        let start: UnsafeMutableRawPointer
        do {
            start = try device.map(allocation)
        } catch {
            try? device.destroyDumbBuffer(allocation.handle)
            throw .noBuffers(device.path, size, "MODE_MAP_DUMB", error)
        }
        do {
            framebuffer = try device.addFramebuffer(allocation, size: size)
        } catch {
            device.unmap(start, allocation)
            try? device.destroyDumbBuffer(allocation.handle)
            throw .noBuffers(device.path, size, "MODE_ADDFB2", error)
        }
        // What the memory held before is somebody else's picture on some drivers.
        start.initializeMemory(as: UInt8.self, repeating: 0, count: Int(allocation.byteCount))
        surface = Surface(base: start, size: size, strideBytes: Int(allocation.pitch))
        self.device = device
        self.allocation = allocation
    }

    deinit {
        // Nothing can be done about a refusal; closing the card frees what is left.
        try? device.removeFramebuffer(framebuffer)
        device.unmap(surface.base, allocation)
        try? device.destroyDumbBuffer(allocation.handle)
    }

    /// The driver chooses pitch and size; drawing trusts them, so they are checked once.
    private static func problem(with allocation: DumbAllocation, size: PixelSize) -> String? {
        let pitch = UInt64(allocation.pitch)
        if pitch < UInt64(size.width) * 4 || pitch % 4 != 0 { return "a pitch of \(pitch) bytes for \(size)" }
        let needed = pitch * UInt64(size.height)
        if allocation.byteCount < needed || allocation.byteCount > UInt64(Int32.max) {
            return "a buffer of \(allocation.byteCount) bytes where \(needed) are needed"
        }
        return nil
    }
}

extension ScreenError {
    fileprivate static func noBuffers(_ card: String, _ size: PixelSize, _ call: String, _ error: Errno) -> Self {
        state(error, card: card) ?? .noBuffers(card: card, size: size, call: call, error)
    }
}
