// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry

/// A mode: the size of the picture and its timing.
struct DisplayMode: Sendable {
    /// Everything the kernel needs to set the mode.
    var kernelValue: drmModeModeInfo

    init(_ kernelValue: drmModeModeInfo) { self.kernelValue = kernelValue }

    var size: PixelSize { PixelSize(width: Int(kernelValue.hdisplay), height: Int(kernelValue.vdisplay)) }
    /// Requested on the kernel command line (`video=`).
    var isUserDefined: Bool { kernelValue.type & (1 << 5) != 0 }
    var isPreferred: Bool { kernelValue.type & (1 << 3) != 0 }

    /// The time from one vblank to the next. Virtual drivers report no timing; 60 Hz is assumed for them.
    var refreshInterval: Duration { .nanoseconds(nanoseconds) }

    private var nanoseconds: Int64 {
        let mode = kernelValue
        let interlaced = mode.flags & (1 << 4) != 0
        let doubled = mode.flags & (1 << 5) != 0
        let pixels = Int64(mode.htotal) * Int64(mode.vtotal) * (doubled ? 2 : 1) * Int64(max(mode.vscan, 1))
        var interval = mode.clock > 0 ? pixels * 1_000_000 / Int64(mode.clock) : 0
        if interlaced { interval /= 2 }
        // Values below 1 Hz or above 1 kHz are wrong reports rather than real panels.
        if interval < 1_000_000 || interval > 1_000_000_000 {
            interval = 1_000_000_000 / Int64(1...1000 ~= mode.vrefresh ? mode.vrefresh : 60)
        }
        return interval
    }

    /// The time from the last pixel of a frame to the first of the next. The hardware takes a new frame when it begins,
    /// and the kernel's time of a flip is its end (drm_vblank.c, `drm_crtc_vblank_helper_get_vblank_timestamp`).
    var blanking: Duration {
        let (lines, total) = (Int(kernelValue.vtotal) - Int(kernelValue.vdisplay), Int(kernelValue.vtotal))
        return lines > 0 ? refreshInterval * lines / total : .zero
    }

    /// The mode to use: the one requested on the kernel command line, else the preferred one, else the largest. The
    /// order of the list does not matter; most drivers list the best mode first, but none has to.
    /// - Returns: nil if no mode has pixels, as with a monitor that has not answered yet.
    static func best(of modes: [DisplayMode]) -> DisplayMode? {
        let usable = modes.filter { $0.size.width > 0 && $0.size.height > 0 }
        return usable.first(where: \.isUserDefined) ?? usable.first(where: \.isPreferred)
            ?? usable.max { ($0.area, $0.kernelValue.vrefresh) < ($1.area, $1.kernelValue.vrefresh) }
    }

    private var area: Int { size.width * size.height }
}

extension DisplayMode: CustomStringConvertible {
    var description: String {
        let hundredths = (100_000_000_000 + nanoseconds / 2) / nanoseconds
        let fraction = hundredths % 100
        return "\(size) at \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
    }
}

extension DisplayMode: Equatable {
    static func == (a: DisplayMode, b: DisplayMode) -> Bool {
        withUnsafeBytes(of: a.kernelValue) { a in withUnsafeBytes(of: b.kernelValue) { a.elementsEqual($0) } }
    }
}

extension String {
    /// The text in a fixed C array, which Swift imports as a tuple. A full array has no terminating 0.
    init<Characters>(field: Characters) {
        self = withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
