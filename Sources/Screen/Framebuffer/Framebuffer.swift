// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
public import Linux

/// An open `/dev/fb*`. Owns the descriptor.
///
/// Its memory is written with `pwrite`, not mapped: drivers of SPI and USB screens learn of a write which part of the
/// screen to send, and send it then; of a mapping they learn by page faults and look at it every 20 to 50 ms
/// (fb_defio.c). And a write to a device that is gone answers ENODEV, where a mapping may end the program.
public final class Framebuffer: FramebufferDevice {
    public let path: String
    private let descriptor: FileDescriptor
    private let isEmulated: Bool

    public init(path: String) throws(Errno) {
        self.path = path
        descriptor = try FileDescriptor(opening: path, O_RDWR)
        // Its device is the card's. A name without a node of its own, such as a link, is asked by where it leads.
        let name = Directory.realPath(path)?.split(separator: "/").last ?? ""
        isEmulated = access("/sys/class/graphics/\(name)/device/drm", F_OK) == 0
    }

    public func info() throws(Errno) -> FramebufferInfo {
        var info = clinux_fb_info()
        try retryingOnInterrupt { clinux_fb_get_info(descriptor.number, &info) }
        var result = FramebufferInfo(info)
        result.isEmulated = isEmulated
        return result
    }

    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        try descriptor.writeAll(bytes, at: offset)
    }

    public func pan(to row: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_fb_pan(descriptor.number, UInt32(clamping: row)) }
    }

    public func waitForVblank() throws(Errno) { try retryingOnInterrupt { clinux_fb_wait_vblank(descriptor.number) } }

    public func unblank() throws(Errno) { try retryingOnInterrupt { clinux_fb_unblank(descriptor.number) } }

    public func reset(row: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_fb_reset(descriptor.number, UInt32(clamping: row)) }
    }
}
