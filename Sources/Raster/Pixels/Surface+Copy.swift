// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc

extension Surface {
    /// Copies `rect` of `source` here, turned as the picture is turned on the panel. Writes run forward along rows of
    /// this surface and nothing is read from it: it may be write-combined memory, where only that is fast.
    /// - Parameter rect: in pixels of `source`, inside it.
    public func copy(_ rect: PixelRect, from source: Surface, rotation: Rotation) {
        precondition(rotation.pictureSize(onPanel: size) == source.size, "both show the same picture")
        precondition(source.bounds.contains(rect), "the rectangle lies in the source")
        if rect.isEmpty { return }
        let target = rotation.panelRect(of: rect, picture: source.size)
        // The source pixel of the target's first one, and the step in the source for a step right and a step down here.
        let stride = source.strideBytes / 4
        let first: (x: Int, y: Int)
        let (right, down): (Int, Int)
        switch rotation {
        case .none:
            for y in rect.minY..<rect.maxY { memcpy(row(y) + rect.minX, source.row(y) + rect.minX, rect.width * 4) }
            return
        case .clockwise90: (first, right, down) = ((rect.minX, rect.maxY - 1), -stride, 1)
        case .half: (first, right, down) = ((rect.maxX - 1, rect.maxY - 1), -1, -stride)
        case .clockwise270: (first, right, down) = ((rect.maxX - 1, rect.minY), stride, -1)
        }
        var line = source.row(first.y) + first.x
        for y in target.minY..<target.maxY {
            let output = row(y) + target.minX
            var input = line
            for x in 0..<target.width {
                output[x] = input.pointee
                input += right
            }
            line += down
        }
    }
}
