// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// Fills of one kind, made or read one after the other.
struct Workload {
    let name: String
    let page: PixelSize
    let rule: FillRule
    let fillCount: Int
    /// The contours of the next fill.
    let next: () -> [[Point]]
}
