// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster

/// Writes frames to a framebuffer's memory: the rows that changed, in the device's format. If the memory has room for
/// two pictures, writes to the hidden one and pans to it. Waits for the device; for one thread.
struct FramebufferWriter {
    /// The approximate size of a write, large enough to make the cost of the system call negligible.
    private static let chunkByteCount = 1 << 16

    private let device: any FramebufferDevice
    private let info: FramebufferInfo
    private let packer: PixelPacker
    private let surfaces: [Surface]
    private var staging: [UInt8]
    /// The outdated parts of the picture in memory, or of the two that take turns.
    private var stale: [Damage]
    /// The index in `stale` of the visible picture.
    private var shown = 0
    private var isStarted = false
    private var waitsForVblank = true
    /// The first visible row, as far as we know.
    private var row: Int

    /// - Parameter info: the device's properties when `format` was determined.
    init(
        _ device: any FramebufferDevice, _ info: FramebufferInfo, _ format: FramebufferFormat, surfaces: [Surface]
    ) {
        self.device = device
        self.info = info
        self.surfaces = surfaces
        packer = PixelPacker(format)
        staging = [UInt8](repeating: 0, count: max(Self.chunkByteCount, 2 * info.lineLength))
        stale = Array(repeating: Damage(PixelRect(size: info.size)), count: info.canPan ? 2 : 1)
        if info.canPan, info.y == info.size.height { shown = 1 }
        row = shown * info.size.height
    }

    /// Shows a surface.
    /// - Parameter damage: the difference from the frame shown before.
    mutating func show(_ index: Int, damage: Damage) throws(ScreenError) {
        let now = try check()
        if !isStarted {
            // The console may have blanked the screen. Most drivers do not support this.
            try? device.unblank()
            isStarted = true
        }
        for page in stale.indices { stale[page].add(damage) }
        if stale.count == 2, try pan(to: index) { return }
        // The console pans to scroll, so the visible part may have moved.
        let whole = Damage(PixelRect(size: info.size))
        let page = stale.count == 2 ? shown : 0
        let isMoved = now.y != row
        if isMoved { stale[page] = whole }
        try write(page, from: surfaces[index], atRow: now.y)
        if stale.count == 1 {
            row = now.y
        } else if isMoved {
            // The place of this picture has other content.
            stale[page] = whole
        }
    }

    /// Erases the memory, so that no signature stays in it, and makes a console in text mode draw itself again.
    mutating func finish() {
        guard isStarted, let now = try? device.info(), now.isSameMode(as: info) else { return }
        let zeros = [UInt8](repeating: 0, count: staging.count)
        let end = min(max(info.virtualHeight, info.size.height), info.byteCount / info.lineLength)
        let most = zeros.count / info.lineLength
        for first in stride(from: 0, to: end, by: most) {
            // Some drivers ignore a write of the last row alone; see write(_:from:atRow:).
            let rows = min(max(end - first, 2), most, end)
            let offset = min(first, end - rows) * info.lineLength
            let written: Void? = try? zeros.withUnsafeBytes { bytes in
                try device.write(UnsafeRawBufferPointer(rebasing: bytes[..<(rows * info.lineLength)]), at: offset)
            }
            if written == nil { break }
        }
        try? device.reset(row: info.y)
    }

    /// Checks that the device is there and has the same mode. In another mode our pixels would be noise.
    private func check() throws(ScreenError) -> FramebufferInfo {
        let now: FramebufferInfo
        do throws(Errno) { now = try device.info() } catch { throw failed("FBIOGET_VSCREENINFO", error) }
        guard now.isSameMode(as: info) else {
            throw .unusableFramebuffer(
                path: device.path,
                reason: "another program has changed its mode, from \(info.size) to \(now.size), "
                    + "\(now.bitsPerPixel) bits")
        }
        guard now.y >= 0, (now.y + info.size.height) * info.lineLength <= info.byteCount else {
            throw .unusableFramebuffer(path: device.path, reason: "the visible area is outside its memory")
        }
        return now
    }

    /// Writes the hidden picture and pans to it.
    /// - Returns: false if the device does not pan, this time or at all.
    private mutating func pan(to index: Int) throws(ScreenError) -> Bool {
        let next = 1 - shown
        let row = next * info.size.height
        try write(next, from: surfaces[index], atRow: row)
        do throws(Errno) {
            try device.pan(to: row)
        } catch {
            if error == .noSuchDevice { throw failed("FBIOPAN_DISPLAY", error) }
            // Try again later if the device was busy. Otherwise the driver does not support panning after all.
            if error != .busy { stale = [stale[shown]] }
            return false
        }
        shown = next
        self.row = row
        // Until the vblank the previous picture, which is written next, is still visible.
        if waitsForVblank, (try? device.waitForVblank()) == nil { waitsForVblank = false }
        return true
    }

    private mutating func write(_ page: Int, from surface: Surface, atRow first: Int) throws(ScreenError) {
        for rect in stale[page].rects { try write(rect.intersection(surface.bounds), from: surface, atRow: first) }
        stale[page].removeAll()
    }

    private mutating func write(_ rect: PixelRect, from surface: Surface, atRow first: Int) throws(ScreenError) {
        let (device, packer) = (device, packer)
        let lineLength = info.lineLength
        let bytesPerPixel = packer.format.bytesPerPixel
        // Consecutive whole rows need one write. Parts of rows are written one by one, because drivers of slow buses
        // send exactly what was written. Emulated devices ignore a write of one row that reaches the end of the row
        // (drm_fb_helper.c, `drm_fb_helper_memory_range_to_clip`), so two rows are written then.
        let endsRows = (info.x + rect.maxX) * bytesPerPixel == lineLength
        let isWhole = endsRows || rect.width == info.size.width
        let columns = isWhole ? 0..<info.size.width : rect.minX..<rect.maxX
        let most = isWhole ? staging.count / lineLength : 1
        var y = rect.minY
        while y < rect.maxY {
            var rows = min(most, rect.maxY - y)
            if rows == 1, endsRows, info.size.height > 1 {
                rows = 2
                y = max(0, y - 1)
            }
            let count = (rows - 1) * lineLength + columns.count * bytesPerPixel
            let offset = (first + y) * lineLength + (info.x + columns.lowerBound) * bytesPerPixel
            let result: Result<Void, Errno> = staging.withUnsafeMutableBytes { bytes in
                for line in 0..<rows {
                    packer.pack(
                        surface.row(y + line), columns, y: y + line,
                        into: bytes.baseAddress! + line * lineLength)
                }
                do throws(Errno) {
                    return .success(try device.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset))
                } catch {
                    return .failure(error)
                }
            }
            if case .failure(let error) = result { throw failed("write", error) }
            y += rows
        }
    }

    private func failed(_ call: String, _ error: Errno) -> ScreenError {
        if error == .noSuchDevice { return .cardGone(card: device.path) }
        return .callFailed(card: device.path, connector: info.name, call: call, error)
    }
}
