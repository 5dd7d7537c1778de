// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry

/// A mode: the size of the picture and its timing, with everything the kernel needs to set it (`drm_mode_modeinfo`).
struct DisplayMode: Equatable, Sendable {
    var name: String
    /// Pixel clock in kHz.
    var clock: UInt32
    var hdisplay, hsyncStart, hsyncEnd, htotal, hskew: UInt16
    var vdisplay, vsyncStart, vsyncEnd, vtotal, vscan: UInt16
    /// Nominal refresh rate in Hz, rounded.
    var vrefresh: UInt32
    /// `DRM_MODE_FLAG_*`
    var flags: UInt32
    /// `DRM_MODE_TYPE_*`
    var type: UInt32

    /// A mode without blanking intervals, as drivers without real timing report it.
    init(width: UInt16, height: UInt16, hertz: UInt32, type: UInt32 = 0) {
        name = "\(width)x\(height)"
        clock = UInt32(clamping: UInt64(width) * UInt64(height) * UInt64(hertz) / 1000)
        (hdisplay, hsyncStart, hsyncEnd, htotal, hskew) = (width, width, width, width, 0)
        (vdisplay, vsyncStart, vsyncEnd, vtotal, vscan) = (height, height, height, height, 0)
        vrefresh = hertz
        flags = 0
        self.type = type
    }

    var size: PixelSize { PixelSize(width: Int(hdisplay), height: Int(vdisplay)) }

    /// Requested on the kernel command line (`video=`).
    var isUserDefined: Bool { type & (1 << 5) != 0 }
    /// Preferred by the panel.
    var isPreferred: Bool { type & (1 << 3) != 0 }

    /// The time from one vblank to the next. Virtual drivers report no timing; 60 Hz is assumed for them.
    var refreshIntervalNanoseconds: Int64 {
        let interlaced = flags & (1 << 4) != 0
        let doubled = flags & (1 << 5) != 0
        let pixels = Int64(htotal) * Int64(vtotal) * (doubled ? 2 : 1) * Int64(max(vscan, 1))
        var interval = clock > 0 ? pixels * 1_000_000 / Int64(clock) : 0
        if interlaced { interval /= 2 }
        // Values below 1 Hz or above 1 kHz are wrong reports rather than real panels.
        if interval < 1_000_000 || interval > 1_000_000_000 {
            interval = 1_000_000_000 / Int64(vrefresh >= 1 && vrefresh <= 1000 ? vrefresh : 60)
        }
        return interval
    }

    /// The mode to use: the one requested on the kernel command line, else the preferred one, else the largest. The
    /// order of the list does not matter; most drivers list the best mode first, but none has to.
    /// - Returns: nil if no mode has pixels, as with a monitor that has not answered yet.
    static func best(of modes: [DisplayMode]) -> DisplayMode? {
        let usable = modes.filter { $0.hdisplay > 0 && $0.vdisplay > 0 }
        if let mode = usable.first(where: \.isUserDefined) ?? usable.first(where: \.isPreferred) { return mode }
        var best: DisplayMode?
        for mode in usable {
            let area = mode.size.width * mode.size.height
            let bestArea = best.map { $0.size.width * $0.size.height } ?? 0
            if area > bestArea || (area == bestArea && mode.vrefresh > (best?.vrefresh ?? 0)) { best = mode }
        }
        return best
    }
}

extension DisplayMode: CustomStringConvertible {
    var description: String {
        let hundredths = (100_000_000_000 + refreshIntervalNanoseconds / 2) / refreshIntervalNanoseconds
        let fraction = hundredths % 100
        return "\(size) at \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
    }
}

extension DisplayMode {
    init(_ mode: drmModeModeInfo) {
        self.init(width: mode.hdisplay, height: mode.vdisplay, hertz: mode.vrefresh, type: mode.type)
        name = String(field: mode.name)
        clock = mode.clock
        (hsyncStart, hsyncEnd, htotal, hskew) = (mode.hsync_start, mode.hsync_end, mode.htotal, mode.hskew)
        (vsyncStart, vsyncEnd, vtotal, vscan) = (mode.vsync_start, mode.vsync_end, mode.vtotal, mode.vscan)
        flags = mode.flags
    }

    /// The kernel's struct, for SETCRTC and MODE_ID.
    var kernelValue: drmModeModeInfo {
        var mode = drmModeModeInfo()
        mode.clock = clock
        (mode.hdisplay, mode.hsync_start, mode.hsync_end) = (hdisplay, hsyncStart, hsyncEnd)
        (mode.htotal, mode.hskew) = (htotal, hskew)
        (mode.vdisplay, mode.vsync_start, mode.vsync_end) = (vdisplay, vsyncStart, vsyncEnd)
        (mode.vtotal, mode.vscan) = (vtotal, vscan)
        mode.vrefresh = vrefresh
        mode.flags = flags
        mode.type = type
        withUnsafeMutableBytes(of: &mode.name) { field in
            // The last byte stays 0: the kernel reads a C string.
            for (position, byte) in name.utf8.prefix(field.count - 1).enumerated() { field[position] = byte }
        }
        return mode
    }
}

extension String {
    /// The text in a fixed C array, which Swift imports as a tuple. A full array has no terminating 0.
    init<Characters>(field: Characters) {
        self = withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
