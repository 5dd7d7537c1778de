// SPDX-License-Identifier: Apache-2.0
import Raster

/// Baking: when strokes take more memory than they may, the oldest become part of the paper. What has been baked are
/// always strokes of the oldest sheet, so that one ``BakedInk`` will do.
extension History {
    /// In pieces that are filled: what one event bakes, some 20 us, and more than nearly all events draw.
    private static let leastWork = 64
    /// In bytes that are too many: for each of these an event bakes one more, so that what is too much stays little
    /// even where reports are long jumps.
    private static let bytesPerWork = 32 << 10
    /// Of a fill, in pieces that could be filled instead.
    private static let fillWork = 4

    /// Bakes a few places of the oldest strokes, if there is too much of them. All of them at once would take a second.
    mutating func bake(onto paper: inout Paper, with rasterizer: inout Rasterizer) {
        var excess = byteCount - byteLimit
        if excess <= 0 { return }
        var work = Self.leastWork + excess / Self.bytesPerWork
        while work > 0, excess > 0, findStroke() {
            work -= bakePlace(onto: &paper, with: &rasterizer)
            excess = byteCount - byteLimit
        }
    }

    /// Bytes that the strokes of all sheets take.
    var byteCount: Int { sheets.reduce(0) { $0 + $1.byteCount } }

    /// Makes sure that the oldest sheet has a stroke that may be baked; returns false when none has. The last stroke
    /// stays one that can be undone.
    private mutating func findStroke() -> Bool {
        if sheets[0].canBake(butLast: current == 0) { return true }
        // The sheet that was cleared away has nothing but baked ink: it goes before the first stroke of the next one.
        guard current > 0, sheets[1].canBake(butLast: true) else { return false }
        sheets.removeFirst()
        current -= 1
        return true
    }

    /// Bakes a place of the oldest sheet's first stroke; returns the work.
    private mutating func bakePlace(onto paper: inout Paper, with rasterizer: inout Rasterizer) -> Int {
        let stroke = sheets[0].strokes[sheets[0].strokes.numbers.lowerBound]
        let number = sheets[0].bakedPlaceCount
        defer { sheets[0].removeFirstPlace() }
        guard number < stroke.places.count else { return Self.fillWork }
        let isFirst = sheets[0].tiles[Int(stroke.places[number].tile)].numbers.lowerBound == 0
        let backdrop = paper.backdrop
        paper.baked.add(stroke, place: number, isFirst: isFirst, over: backdrop, with: &rasterizer)
        return Self.fillWork + stroke.pieceCount(place: number)
    }
}
