// SPDX-License-Identifier: Apache-2.0
public import Linux

/// The kernel's calls on a framebuffer device, one method each; what the display is tested against without a kernel.
///
/// The real one is ``Framebuffer``. Methods throw the `errno` of the call, `ENODEV` when the device is gone. One thread
/// at a time; the device is closed when the last reference ends.
public protocol FramebufferDevice: AnyObject, Sendable {
    /// e.g. `/dev/fb0`
    var path: String { get }
    /// `FBIOGET_VSCREENINFO` and `FBIOGET_FSCREENINFO`
    func info() throws(Errno) -> FramebufferInfo
    /// `pwrite`: bytes of the device's memory from `offset` on.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno)
    /// `FBIOPAN_DISPLAY`: the first row that is shown. Waits for the vblank on some drivers.
    func pan(to row: Int) throws(Errno)
    /// `FBIO_WAITFORVSYNC`, where there is one
    func waitForVblank() throws(Errno)
    /// `FBIOBLANK` with `FB_BLANK_UNBLANK`
    func unblank() throws(Errno)
    /// `FBIOPUT_VSCREENINFO` with the mode that is set: a console in text mode draws itself again.
    func reset(row: Int) throws(Errno)
}
