// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster

/// Memory that a CRTC can scan out, its mapping and its framebuffer. The end of the object frees them in the order
/// that the kernel requires: framebuffer, mapping, memory.
///
/// Removing a framebuffer that is on screen switches its CRTC off, so the display must restore the previous picture
/// first (like `modeset_cleanup` in libdrm's modeset.c).
final class DumbBuffer {
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
        // Some drivers do not clear the memory, and it contains another program's picture.
        start.initializeMemory(as: UInt8.self, repeating: 0, count: Int(allocation.byteCount))
        surface = Surface(base: start, size: size, strideBytes: Int(allocation.pitch))
        self.device = device
        self.allocation = allocation
    }

    /// The buffers of a display: three, or two if there is no memory for a third.
    ///
    /// If there are three, one is on screen, one is queued, and the third can be drawn into without waiting for the
    /// vblank. If there are two, the render thread waits for every flip.
    static func several(device: any ModesettingDevice, size: PixelSize) throws(ScreenError) -> [DumbBuffer] {
        let two = [try DumbBuffer(device: device, size: size), try DumbBuffer(device: device, size: size)]
        do throws(ScreenError) { return two + [try DumbBuffer(device: device, size: size)] } catch {
            guard case .noBuffers = error else { throw error }
            return two
        }
    }

    deinit {
        // Ignore errors: closing the card frees the rest.
        try? device.removeFramebuffer(framebuffer)
        device.unmap(surface.base, allocation)
        try? device.destroyDumbBuffer(allocation.handle)
    }

    /// Checks the pitch and the size that the driver has chosen, because drawing trusts them.
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
