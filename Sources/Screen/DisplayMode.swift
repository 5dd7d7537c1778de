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
    /// A scan shows every other line (DRM_MODE_FLAG_INTERLACE): ink flickers.
    var isInterlaced: Bool { kernelValue.flags & (1 << 4) != 0 }
    /// Each line is sent twice (DRM_MODE_FLAG_DBLSCAN): a mode for old monitors, which few drivers can scale.
    var isDoubleScanned: Bool { kernelValue.flags & (1 << 5) != 0 }
    private var isPlain: Bool { !isInterlaced && !isDoubleScanned }

    /// The time from one vblank to the next. Virtual drivers report no timing; 60 Hz is assumed for them.
    var refreshInterval: Duration { .nanoseconds(nanoseconds) }

    private var nanoseconds: Int64 {
        let mode = kernelValue
        let repeats = (isDoubleScanned ? 2 : 1) * Int64(max(mode.vscan, 1))
        let pixels = Int64(mode.htotal) * Int64(mode.vtotal) * repeats
        var interval = mode.clock > 0 ? pixels * 1_000_000 / Int64(mode.clock) : 0
        if isInterlaced { interval /= 2 }
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
    ///
    /// Interlaced and double-scanned modes are used only if the command line requests one or there is no other. If the
    /// preferred mode is one of them, another of its size is used.
    /// - Returns: nil if no mode has pixels, as with a monitor that has not answered yet.
    static func best(of modes: [DisplayMode]) -> DisplayMode? {
        let usable = modes.filter { $0.size.width > 0 && $0.size.height > 0 }
        if let requested = usable.first(where: \.isUserDefined) { return requested }
        let preferred = usable.first { $0.isPreferred && $0.isPlain } ?? usable.first(where: \.isPreferred)
        if let preferred, preferred.isPlain { return preferred }
        let plain = usable.filter(\.isPlain)
        let native = plain.filter { $0.size == preferred?.size }
        return (native.isEmpty ? plain : native).max(by: isWorse) ?? preferred ?? usable.max(by: isWorse)
    }

    private static func isWorse(_ a: DisplayMode, than b: DisplayMode) -> Bool {
        (a.size.width * a.size.height, a.kernelValue.vrefresh) < (b.size.width * b.size.height, b.kernelValue.vrefresh)
    }
}

extension DisplayMode: CustomStringConvertible {
    var description: String {
        let hundredths = (100_000_000_000 + nanoseconds / 2) / nanoseconds
        let fraction = hundredths % 100
        return "\(size) at \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
            + (isInterlaced ? ", interlaced" : "") + (isDoubleScanned ? ", doublescan" : "")
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
