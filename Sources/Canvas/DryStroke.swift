// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// A finished stroke of the page: its outline, and which of its pieces touch which tile. Of samples, centre line and
/// model it keeps only a thinned out end.
struct DryStroke {
    /// The part of the stroke in one tile.
    struct Place {
        let tile: Int32
        /// The ends of the tile's parts of ``numbers`` and ``inked``; they begin where those of the place before end.
        fileprivate let end: UInt32
        fileprivate let inkedEnd: UInt32
    }

    /// The tiles that the ink touches.
    let places: [Place]
    /// The memory that the stroke takes, with its entries in the lists of tiles.
    let byteCount: Int
    /// The trail for the next stroke.
    let trail: StrokeTrail?
    private let colors: InkColors
    private let outline: Path
    /// The start of each piece, and the end of the last one.
    private let marks: [Path.Mark]
    /// The first piece of each run, with the run's tone.
    private let runs: [(piece: UInt32, tone: Tone?)]
    /// The pieces of all tiles.
    private let numbers: [UInt32]
    private let inked: [InkedRun]

    /// The box of the outline.
    var bounds: Rect { outline.bounds(from: marks[0], to: outline.end) }

    /// - Parameter tiles: with all pieces of `ink` in them.
    init(_ ink: StrokeInk, _ tiles: WetTiles, colors: InkColors, trail: StrokeTrail?) {
        self.colors = colors
        self.trail = trail
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
            + inked.count * TileMask.byteCount + (trail?.byteCount ?? 0)
    }

    private static func bytes<Element>(of array: [Element]) -> Int {
        // An array that is not empty begins with two words of the runtime and two of its own.
        array.capacity == 0 ? 0 : 32 + array.capacity * MemoryLayout<Element>.stride
    }

    func pieceCount(place number: Int) -> Int { pieceNumbers(number).count }

    private func pieceNumbers(_ place: Int) -> Range<Int> {
        (place > 0 ? Int(places[place - 1].end) : 0)..<Int(places[place].end)
    }

    /// Fills the part of the stroke in a tile into the page.
    /// - Parameters:
    ///   - number: index of the tile in ``places``.
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

/// Fills pieces of one stroke within a clip, in the order in which they were drawn: those of a run together, as one
/// shape, and each run over those before.
struct RunFill {
    private let clip: PixelRect
    private let page: Surface
    private let colors: InkColors
    private var open: (run: Int, tone: Tone?)?

    init(clip: PixelRect, of page: Surface, colors: InkColors) {
        self.clip = clip
        self.page = page
        self.colors = colors
    }

    /// Starts a run, unless it is already open. The pieces added to the rasterizer from now on belong to it.
    @inline(__always)
    mutating func turn(to run: Int, tone: Tone?, _ rasterizer: inout Rasterizer) {
        if open?.run == run { return }
        finish(&rasterizer)
        rasterizer.begin(clip: clip)
        open = (run, tone)
    }

    /// Adds the inked pixels of the runs up to this one, and removes them from the list.
    /// - Parameter tile: the pixels of the masks.
    mutating func add(
        _ inked: inout ArraySlice<InkedRun>, through run: Int, tile: PixelRect, _ rasterizer: inout Rasterizer
    ) {
        while let first = inked.first, first.run <= run {
            turn(to: first.run, tone: first.tone, &rasterizer)
            var path = Path()
            first.pixels.addContours(to: &path, tile: tile)
            rasterizer.add(path)
            inked.removeFirst()
        }
    }

    /// Fills the open run.
    mutating func finish(_ rasterizer: inout Rasterizer) {
        if let open { rasterizer.fill(.nonZero, with: colors[open.tone], into: page) }
        open = nil
    }
}

/// The colours of a stroke's tones on a paper.
struct InkColors {
    var ink: Color
    var paper: Color

    /// - Parameter tone: nil is the ink's own colour.
    subscript(tone: Tone?) -> Color { tone.map { ink.mixed(with: paper, $0.paperShare) } ?? ink }
}
