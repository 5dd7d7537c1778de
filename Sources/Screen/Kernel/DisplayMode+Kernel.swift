// SPDX-License-Identifier: Apache-2.0
import CLibdrm

extension DisplayMode {
    init(_ mode: drmModeModeInfo) {
        self.init(width: mode.hdisplay, height: mode.vdisplay, hertz: mode.vrefresh, type: mode.type)
        name = String(field: mode.name)
        clock = mode.clock
        (hsyncStart, hsyncEnd, htotal, hskew) = (mode.hsync_start, mode.hsync_end, mode.htotal, mode.hskew)
        (vsyncStart, vsyncEnd, vtotal, vscan) = (mode.vsync_start, mode.vsync_end, mode.vtotal, mode.vscan)
        flags = mode.flags
    }

    /// For the SET calls and for MODE_ID.
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
            // One byte stays 0: the kernel reads a C string.
            for (position, byte) in name.utf8.prefix(field.count - 1).enumerated() { field[position] = byte }
        }
        return mode
    }
}
