// SPDX-License-Identifier: Apache-2.0
import CLibdrm

/// A completed flip, as read from a card's descriptor (`drm_event_vblank`).
public struct CardEvent: Equatable, Sendable {
    /// 0 on kernels before 4.12.
    public var crtc: UInt32
    /// The number given with the flip.
    public var serial: UInt64
    /// When the first pixel was scanned out, in CLOCK_MONOTONIC.
    public var nanoseconds: Int64

    public init(crtc: UInt32, serial: UInt64, nanoseconds: Int64) {
        self.crtc = crtc
        self.serial = serial
        self.nanoseconds = nanoseconds
    }

    /// The flip completions in what one `read` returned. Several events arrive together, other kinds are skipped by
    /// their length, and a length that cannot be right ends the list.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [CardEvent] {
        var events: [CardEvent] = []
        var offset = 0
        while bytes.count - offset >= MemoryLayout<drm_event>.size {
            let header = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event.self)
            let length = Int(header.length)
            guard length >= MemoryLayout<drm_event>.size, length <= bytes.count - offset else { break }
            if header.type == UInt32(DRM_EVENT_FLIP_COMPLETE), length >= MemoryLayout<drm_event_vblank>.size {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event_vblank.self)
                events.append(
                    CardEvent(
                        crtc: event.crtc_id, serial: event.user_data,
                        nanoseconds: Int64(event.tv_sec) * 1_000_000_000 + Int64(event.tv_usec) * 1000))
            }
            offset += length
        }
        return events
    }
}
