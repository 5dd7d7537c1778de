// SPDX-License-Identifier: Apache-2.0

/// The colour of a fill as a pixel of its target, and how much of it there is.
struct Ink {
    /// XRGB8888, X as 255.
    let pixel: UInt32
    /// 0...256, both ends exact.
    let opacity: Int32

    /// - Parameter alpha: 255 is opaque.
    init(pixel: UInt32, alpha: UInt8) {
        self.pixel = pixel
        opacity = Int32(alpha) + Int32(alpha >> 7)
    }

    /// The weight of the ink in a pixel of which `area` is inked, 0...256, rounded.
    @inline(__always)
    func weight(_ area: Int32) -> Int32 {
        let coverage = (area &+ 256) >> 9
        return opacity == 256 ? coverage : (coverage &* opacity &+ 128) >> 8
    }

    @inline(__always)
    func weights(_ areas: SIMD8<Int32>) -> SIMD8<Int32> {
        let coverage = (areas &+ 256) &>> 9
        if opacity == 256 { return coverage }
        return (coverage &* SIMD8(repeating: opacity) &+ 128) &>> 8
    }
}
