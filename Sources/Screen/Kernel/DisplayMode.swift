// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A mode: the picture's size and its timing, with everything the kernel needs to set it (`drm_mode_modeinfo`).
public struct DisplayMode: Equatable, Sendable {
    public var name: String
    /// Pixel clock in kHz.
    public var clock: UInt32
    public var hdisplay, hsyncStart, hsyncEnd, htotal, hskew: UInt16
    public var vdisplay, vsyncStart, vsyncEnd, vtotal, vscan: UInt16
    /// Nominal refresh rate in Hz, rounded.
    public var vrefresh: UInt32
    /// `DRM_MODE_FLAG_*`
    public var flags: UInt32
    /// `DRM_MODE_TYPE_*`
    public var type: UInt32

    /// A mode with plain timing, as drivers without a real one report it.
    public init(width: UInt16, height: UInt16, hertz: UInt32, type: UInt32 = 0) {
        name = "\(width)x\(height)"
        clock = UInt32(clamping: UInt64(width) * UInt64(height) * UInt64(hertz) / 1000)
        (hdisplay, hsyncStart, hsyncEnd, htotal, hskew) = (width, width, width, width, 0)
        (vdisplay, vsyncStart, vsyncEnd, vtotal, vscan) = (height, height, height, height, 0)
        vrefresh = hertz
        flags = 0
        self.type = type
    }

    public var size: PixelSize { PixelSize(width: Int(hdisplay), height: Int(vdisplay)) }

    /// The kernel command line (`video=`) asked for it.
    public var isUserDefined: Bool { type & (1 << 5) != 0 }
    /// The panel asks for it.
    public var isPreferred: Bool { type & (1 << 3) != 0 }

    /// From one vblank to the next. Virtual drivers give no timing; 60 Hz is assumed for those.
    public var refreshIntervalNanoseconds: Int64 {
        let interlaced = flags & (1 << 4) != 0
        let doubled = flags & (1 << 5) != 0
        let pixels = Int64(htotal) * Int64(vtotal) * (doubled ? 2 : 1) * Int64(max(vscan, 1))
        var interval = clock > 0 ? pixels * 1_000_000 / Int64(clock) : 0
        if interlaced { interval /= 2 }
        // A panel slower than 1 Hz or faster than 1 kHz is a wrong answer rather than a panel.
        if interval < 1_000_000 || interval > 1_000_000_000 {
            interval = 1_000_000_000 / Int64(vrefresh >= 1 && vrefresh <= 1000 ? vrefresh : 60)
        }
        return interval
    }

    /// The mode to use: what the kernel command line asks for, else what the panel prefers, else the largest. The
    /// order of the list means nothing; that the first is the best is only a habit of most drivers.
    /// - Returns: nil when no mode has pixels, which is how a monitor looks that has not answered yet.
    public static func best(of modes: [DisplayMode]) -> DisplayMode? {
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
    public var description: String {
        let hundredths = (100_000_000_000 + refreshIntervalNanoseconds / 2) / refreshIntervalNanoseconds
        let fraction = hundredths % 100
        return "\(size) at \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
    }
}
