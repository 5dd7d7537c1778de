// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import CLinux
public import Geometry
import Glibc
public import Linux

// What is scanned out: dumb buffers and framebuffers.
extension Card: ModesettingDevice {
    public func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation {
        var allocation = DumbAllocation(handle: 0, pitch: 0, byteCount: 0)
        try check {
            drmModeCreateDumbBuffer(
                $0, UInt32(clamping: size.width), UInt32(clamping: size.height), 32, 0, &allocation.handle,
                &allocation.pitch, &allocation.byteCount)
        }
        return allocation
    }

    public func map(_ allocation: DumbAllocation) throws(Errno) -> UnsafeMutableRawPointer {
        var offset: UInt64 = 0
        try check { drmModeMapDumbBuffer($0, allocation.handle, &offset) }
        guard let start = clinux_map_shared(number, offset, allocation.byteCount) else { throw Errno.current }
        return start
    }

    public func unmap(_ start: UnsafeMutableRawPointer, _ allocation: DumbAllocation) {
        munmap(start, Int(allocation.byteCount))
    }

    public func destroyDumbBuffer(_ handle: UInt32) throws(Errno) {
        try check { drmModeDestroyDumbBuffer($0, handle) }
    }

    public func addFramebuffer(_ allocation: DumbAllocation, size: PixelSize) throws(Errno) -> UInt32 {
        let handles: [UInt32] = [allocation.handle, 0, 0, 0]
        let pitches: [UInt32] = [allocation.pitch, 0, 0, 0]
        let offsets: [UInt32] = [0, 0, 0, 0]
        var id: UInt32 = 0
        try check {
            drmModeAddFB2(
                $0, UInt32(clamping: size.width), UInt32(clamping: size.height), CLIBDRM_FORMAT_XRGB8888, handles,
                pitches, offsets, &id, 0)
        }
        return id
    }

    public func removeFramebuffer(_ id: UInt32) throws(Errno) { try check { drmModeRmFB($0, id) } }
}
