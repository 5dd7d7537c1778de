// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// The dumb buffers of one display: three, or two where memory for a third is missing.
///
/// With three, one is on screen, one is queued, and the third can be drawn into without waiting for the vblank; with
/// two the render thread waits for every flip, which still shows everything.
struct BackBuffers: ~Copyable {
    // Not an array: arrays cannot hold values that are not copyable.
    private let first: DumbBuffer
    private let second: DumbBuffer
    private let third: DumbBuffer?
    let surfaces: [Surface]
    let framebuffers: [UInt32]

    init(device: any ModesettingDevice, size: PixelSize) throws(ScreenError) {
        let first = try DumbBuffer(device: device, size: size)
        let second = try DumbBuffer(device: device, size: size)
        var surfaces = [first.surface, second.surface]
        var framebuffers = [first.framebuffer, second.framebuffer]
        do {
            let third = try DumbBuffer(device: device, size: size)
            surfaces.append(third.surface)
            framebuffers.append(third.framebuffer)
            self.third = consume third
        } catch {
            guard case .noBuffers = error else { throw error }
            third = nil
        }
        self.first = consume first
        self.second = consume second
        self.surfaces = surfaces
        self.framebuffers = framebuffers
    }
}
