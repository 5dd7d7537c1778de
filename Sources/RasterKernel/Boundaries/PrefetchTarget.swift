// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Where the pixels of a window lie, to have them in the cache when they are blended: most of a fill's time goes by
/// waiting for them otherwise.
struct PrefetchTarget {
    let base: UnsafeRawPointer
    let strideBytes: Int
    let bytesPerPixel: Int

    @inline(__always)
    func prefetch(_ row: Int, _ x: Int) {
        let offset: Int = row &* strideBytes &+ x &* bytesPerPixel
        inkpanel_prefetch(base + offset)
    }
}
