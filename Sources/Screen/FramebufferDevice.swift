// SPDX-License-Identifier: Apache-2.0
import CLinux
import Geometry
import Glibc
import Linux

/// The kernel's calls on a framebuffer device, one method each. ``Framebuffer`` makes them; tests replace it by a
/// simulated device.
///
/// Methods throw the `errno` of the call, `ENODEV` if the device is gone. One thread at a time; the end of the last
/// reference closes the device.
protocol FramebufferDevice: AnyObject, Sendable {
    /// e.g. `/dev/fb0`
    var path: String { get }
    /// `FBIOGET_VSCREENINFO` and `FBIOGET_FSCREENINFO`
    func info() throws(Errno) -> FramebufferInfo
    /// `pwrite` to the device's memory at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno)
    /// `FBIOPAN_DISPLAY` with the first row to show. Waits for the vblank on some drivers.
    func pan(to row: Int) throws(Errno)
    /// `FBIO_WAITFORVSYNC`, if the driver supports it
    func waitForVblank() throws(Errno)
    /// `FBIOBLANK` with `FB_BLANK_UNBLANK`
    func unblank() throws(Errno)
    /// `FBIOPUT_VSCREENINFO` with the current mode, which makes a console in text mode draw itself again.
    func reset(row: Int) throws(Errno)
}

/// An open `/dev/fb*`. Owns the descriptor.
///
/// Its memory is written with `pwrite` instead of a mapping. Drivers of SPI and USB screens send a write at once; with
/// a mapping they wait for page faults and send every 20 to 50 ms (fb_defio.c). And if the device is
/// gone, a write fails with ENODEV, whereas access to a mapping may kill the process.
final class Framebuffer: FramebufferDevice {
    let path: String
    private let descriptor: FileDescriptor
    private let isEmulated: Bool

    init(path: String) throws(Errno) {
        self.path = path
        descriptor = try FileDescriptor(opening: path, O_RDWR)
        // The parent device of an emulated one is a graphics card. Resolve links such as those in by-path.
        let name = Directory.realPath(path)?.split(separator: "/").last ?? ""
        isEmulated = access("/sys/class/graphics/\(name)/device/drm", F_OK) == 0
    }

    func info() throws(Errno) -> FramebufferInfo {
        var info = clinux_fb_info()
        try retryingOnInterrupt { clinux_fb_get_info(descriptor.number, &info) }
        // Unknown is 0, or -1 according to fb.h.
        let isMeasured = 1...9999 ~= info.width_mm && 1...9999 ~= info.height_mm
        return FramebufferInfo(
            name: String(field: info.name), size: PixelSize(width: Int(info.width), height: Int(info.height)),
            virtualHeight: Int(info.virtual_height), x: Int(info.x), y: Int(info.y),
            bitsPerPixel: Int(info.bits_per_pixel), red: .init(info.red), green: .init(info.green),
            blue: .init(info.blue), transparency: .init(info.transparency), grayscale: Int(info.grayscale),
            millimetres: isMeasured ? PixelSize(width: Int(info.width_mm), height: Int(info.height_mm)) : nil,
            lineLength: Int(info.line_length), byteCount: Int(info.byte_count), panStep: Int(info.y_pan_step),
            type: Int(info.type), visual: Int(info.visual), isEmulated: isEmulated)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        try descriptor.writeAll(bytes, at: offset)
    }

    func pan(to row: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_fb_pan(descriptor.number, UInt32(clamping: row)) }
    }

    func waitForVblank() throws(Errno) { try retryingOnInterrupt { clinux_fb_wait_vblank(descriptor.number) } }

    func unblank() throws(Errno) { try retryingOnInterrupt { clinux_fb_unblank(descriptor.number) } }

    func reset(row: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_fb_reset(descriptor.number, UInt32(clamping: row)) }
    }
}

/// Size, pixel format and memory of a framebuffer device (`fb_var_screeninfo`, `fb_fix_screeninfo`).
struct FramebufferInfo: Equatable, Sendable {
    /// The place of a colour in a pixel, in bits.
    struct Channel: Equatable, Sendable {
        /// Counted from the least significant bit.
        var offset: Int
        /// 0 if there is no such channel.
        var length: Int
        /// The most significant bit is on the right.
        var isReversed = false
    }

    /// The driver's name.
    var name = ""
    var size: PixelSize
    /// Rows in memory: the visible ones and those that panning can show.
    var virtualHeight: Int
    /// The first visible column.
    var x = 0
    /// The first visible row.
    var y = 0
    var bitsPerPixel: Int
    var red, green, blue: Channel
    var transparency = Channel(offset: 0, length: 0)
    /// 1 for a grey screen, else a FOURCC or 0.
    var grayscale = 0
    var millimetres: PixelSize?
    /// Bytes from one row to the next.
    var lineLength: Int
    /// Size of the memory.
    var byteCount: Int
    /// Rows by which panning moves the picture; 0 if the device cannot pan.
    var panStep = 0
    /// `FB_TYPE_*`
    var type = 0
    /// `FB_VISUAL_*`
    var visual = CLINUX_FB_VISUAL_TRUECOLOR

    /// A graphics card's driver provides this device for programs without KMS support.
    var isEmulated = false

    /// Whether both have the same mode, whichever part of the memory is visible.
    func isSameMode(as other: FramebufferInfo) -> Bool {
        var other = other
        (other.x, other.y) = (x, y)
        return self == other
    }

    /// Whether the memory has room for a second picture that panning can show. Never for an emulated device, which
    /// loses what is written beyond the first picture (drm_fb_helper.c, `drm_fb_helper_memory_range_to_clip`).
    var canPan: Bool {
        !isEmulated && panStep > 0 && size.height % panStep == 0 && virtualHeight >= 2 * size.height
            && byteCount >= 2 * size.height * lineLength
    }
}

extension FramebufferInfo.Channel {
    fileprivate init(_ channel: clinux_fb_channel) {
        self.init(offset: Int(channel.offset), length: Int(channel.length), isReversed: channel.msb_right != 0)
    }
}

extension FramebufferDevice {
    /// Reads and checks the properties of the device.
    /// - Throws: ``ScreenError/unusableFramebuffer(path:reason:)`` for other devices, unsupported formats and values
    ///   that are impossible.
    func inspect() throws(ScreenError) -> (FramebufferInfo, FramebufferFormat) {
        let info: FramebufferInfo
        do throws(Errno) {
            info = try self.info()
        } catch {
            if error == .noSuchDevice { throw .cardGone(card: path) }
            throw .unusableFramebuffer(path: path, reason: "it is not a framebuffer device (\(error))")
        }
        let format: FramebufferFormat
        do throws(FramebufferFormat.Unsupported) {
            format = try FramebufferFormat(info)
        } catch {
            throw .unusableFramebuffer(path: path, reason: error.reason)
        }
        guard info.size.isDrawable else {
            throw .unusableFramebuffer(path: path, reason: "it reports the size \(info.size)")
        }
        let rowByteCount = (info.x + info.size.width) * format.bytesPerPixel
        guard info.lineLength >= rowByteCount, info.lineLength <= 1 << 20,
            info.byteCount >= info.lineLength * info.size.height
        else {
            throw .unusableFramebuffer(
                path: path,
                reason: "rows of \(info.lineLength) bytes in \(info.byteCount) do not hold \(info.size) pixels")
        }
        return (info, format)
    }
}

/// The framebuffer devices in `/dev`.
public enum FramebufferList {
    /// The paths of all `fb*` in `directory`, by number.
    static func paths(in directory: String = "/dev") -> [String] {
        let names = (try? Directory.names(of: directory)) ?? []
        let numbers = names.filter { $0.hasPrefix("fb") }.compactMap { UInt32($0.dropFirst(2)) }
        return numbers.sorted().map { "\(directory)/fb\($0)" }
    }

    /// A line of text for each device: its properties, or why it cannot be used.
    public static func descriptions() -> [String] {
        descriptions(of: paths()) { path throws(Errno) in try Framebuffer(path: path) }
    }

    static func descriptions(
        of paths: [String], open: (String) throws(Errno) -> any FramebufferDevice
    ) -> [String] {
        paths.map { path in
            do throws(Errno) {
                return description(of: try open(path))
            } catch {
                return ScreenError.cannotOpen(card: path, error).description
            }
        }
    }

    private static func description(of device: any FramebufferDevice) -> String {
        do throws(ScreenError) {
            let (info, format) = try device.inspect()
            let size = info.millimetres.map { ", \($0) mm" } ?? ""
            return "\(device.path) (\(info.name)): \(info.size) \(format)\(size)\(info.canPan ? ", panning" : "")"
                + (info.isEmulated ? ", emulated by a graphics card: kms is better" : "")
        } catch {
            return error.description
        }
    }
}
