// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// A finished stroke of the page: its outline, and which pieces of it touch which tile. What it was made of, samples,
/// centre line and model, it does not keep.
struct DryStroke {
    /// The part of the stroke in one tile.
    struct Place {
        let tile: Int32
        /// Where in ``numbers`` and ``inked`` what is in the tile ends; it begins where that of the place before ends.
        fileprivate let end: UInt32
        fileprivate let inkedEnd: UInt32
    }

    /// One for each tile that the ink touches.
    let places: [Place]
    /// How much memory it takes, with its entries in the lists of tiles.
    let byteCount: Int
    private let colors: InkColors
    private let outline: Path
    /// Where each piece begins, and where the last one ends.
    private let marks: [Path.Mark]
    /// The first piece of each run.
    private let runs: [(piece: UInt32, tone: Tone?)]
    private let numbers: [UInt32]
    private let inked: [InkedRun]

    /// - Parameter tiles: with all pieces of `ink` in them.
    init(_ ink: StrokeInk, _ tiles: WetTiles, colors: InkColors) {
        self.colors = colors
        outline = ink.outline
        var marks: [Path.Mark] = []
        marks.reserveCapacity(ink.pieces.count + 1)
        var runs: [(piece: UInt32, tone: Tone?)] = []
        for (number, piece) in ink.pieces.enumerated() {
            marks.append(piece.start)
            if piece.run == runs.count { runs.append((UInt32(number), piece.tone)) }
        }
        marks.append(outline.end)
        (self.marks, self.runs) = (marks, runs)

        var places: [Place] = []
        places.reserveCapacity(tiles.touched.count)
        var numbers: [UInt32] = []
        numbers.reserveCapacity(tiles.touched.reduce(0) { $0 + $1.ink.pieces.count })
        var inked: [InkedRun] = []
        for (tile, ink) in tiles.touched {
            numbers.append(contentsOf: ink.pieces)
            inked.append(contentsOf: ink.inked)
            places.append(
                Place(tile: Int32(tile), end: UInt32(numbers.count), inkedEnd: UInt32(inked.count)))
        }
        (self.places, self.numbers, self.inked) = (places, numbers, inked)
        byteCount =
            MemoryLayout<Self>.size + Self.bytes(of: outline.points) + Self.bytes(of: outline.verbs)
            + Self.bytes(of: marks) + Self.bytes(of: runs) + Self.bytes(of: numbers) + Self.bytes(of: places)
            + places.count * MemoryLayout<PageHistory.Entry?>.stride + Self.bytes(of: inked)
            + inked.count * TileMask.byteCount
    }

    private static func bytes<Element>(of array: [Element]) -> Int {
        // An array that is not empty begins with two words of the runtime's and two of its own.
        array.capacity == 0 ? 0 : 32 + array.capacity * MemoryLayout<Element>.stride
    }

    /// How many pieces touch a tile.
    func pieceCount(place number: Int) -> Int { pieceNumbers(number).count }

    private func pieceNumbers(_ place: Int) -> Range<Int> {
        (place > 0 ? Int(places[place - 1].end) : 0)..<Int(places[place].end)
    }

    /// Fills what touches a tile into the page.
    /// - Parameters:
    ///   - number: of the tile's place in ``places``.
    ///   - rect: the tile's pixels.
    func fill(place number: Int, _ rect: PixelRect, of page: Surface, with rasterizer: inout Rasterizer) {
        var filling = RunFill(clip: rect, of: page, colors: colors)
        var inked = self.inked[(number > 0 ? Int(places[number - 1].inkedEnd) : 0)..<Int(places[number].inkedEnd)]
        var run = 0
        for piece in numbers[pieceNumbers(number)] {
            while run + 1 < runs.count, runs[run + 1].piece <= piece { run += 1 }
            filling.add(&inked, through: run, tile: rect, &rasterizer)
            filling.turn(to: run, tone: runs[run].tone, &rasterizer)
            rasterizer.add(outline, from: marks[Int(piece)], to: marks[Int(piece) + 1])
        }
        filling.add(&inked, through: .max, tile: rect, &rasterizer)
        filling.finish(&rasterizer)
    }
}
