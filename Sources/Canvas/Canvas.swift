// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// A page, its dry strokes and the stroke being drawn on it. Owned by the render thread.
///
/// Dry strokes are kept, found by place, and painted on the paper where it is looked at. Wet ink is blended while a
/// damaged region is copied to a back buffer, so it can be taken back without repainting what lies below it. A report,
/// an undo and the repaint of a region cost what lies where they are, however much there is elsewhere.
public struct Canvas: ~Copyable {
    /// Rows composed at a time: few enough that a band of a 4K page stays in the second-level cache.
    private static let bandHeight = 64
    /// In pixels either way of the corner; nothing beyond is on any page, and squares of what is on one stay exact.
    private static let farthest = 1e7

    /// Whether a sample lies where a page may be; others are left out. Written so that NaN is none.
    public static func takes(_ sample: Sample) -> Bool {
        abs(sample.position.x) <= farthest && abs(sample.position.y) <= farthest
    }

    /// Of memory for undoing: enough for the last 160,000 reports, 20 minutes of a pen that sends 125 a second.
    public static let standardUndoBytes = 64 << 20

    public let size: PixelSize
    /// Of the strokes that begin from now on.
    private var pen: Pen
    private var colors: InkColors
    private let density: PixelDensity
    let grid: TileGrid
    let undoBytes: Int
    var history: PageHistory
    var paper: Paper
    /// Where ink is shown; around it the backdrop is.
    var inkArea: PixelRect
    /// Above all else.
    var cover: Cover
    /// Of the wet stroke.
    private var settled: LazyPixels
    private let band: PixelBuffer
    private var rasterizer = Rasterizer()
    var wet: WetStroke?
    var damage: Damage
    /// Samples of strokes that were left out because their position is not a number or is beyond any page: what a
    /// broken transform or driver delivers.
    public private(set) var leftOutCount = 0

    /// - Parameters:
    ///   - pen: of strokes until ``use(pen:color:)`` says another, as `color` is.
    ///   - density: of the page; what millimetres are to the pen.
    ///   - undoBytes: of memory, at least 0, that finished strokes may take for the sake of ``undo()``. 0.4 KiB a
    ///     report is usual. The oldest strokes beyond it become part of the paper for good, little by little, a piece
    ///     with each event; the last stroke does not, however long it is.
    public init(
        size: PixelSize, pen: Pen, color: Color, background: Color, density: PixelDensity = .standard,
        undoBytes: Int = standardUndoBytes
    ) {
        precondition(undoBytes >= 0, "memory is not negative")
        self.size = size
        self.pen = pen
        colors = InkColors(ink: color, paper: background)
        self.density = density
        grid = TileGrid(size: size)
        inkArea = PixelRect(size: size)
        self.undoBytes = undoBytes
        history = PageHistory(grid, byteLimit: undoBytes)
        paper = Paper(grid, colors: colors)
        settled = LazyPixels(size: size)
        cover = Cover(page: size)
        band = PixelBuffer(size: PixelSize(width: size.width, height: min(size.height, Self.bandHeight)))
        damage = Damage(PixelRect(size: size))
    }

    /// Draws the strokes that begin from now on with another pen, in another colour. Those that there are, and the one
    /// that is being drawn, keep theirs.
    public mutating func use(pen: Pen, color: Color) {
        self.pen = pen
        colors.ink = color
    }

    /// The page with its dry ink, for pictures of it. Wet ink is not on it. Of a page with a backdrop, only what is in
    /// the area that takes ink.
    public var dryPixels: Surface {
        mutating get {
            paper.paint(PixelRect(size: size), of: history, with: &rasterizer)
            return paper.pixels.surface
        }
    }

    /// Draws what the event asks for. An event that does not fit (a move without a begin) is ignored, and a begin
    /// during a stroke ends that stroke first. A sample without a place is left out (``leftOutCount``); a stroke begins
    /// at its first one with a place.
    /// - Returns: the stroke that this event finished.
    @discardableResult
    public mutating func apply(_ event: StrokeEvent) -> StrokeInk? {
        defer { history.bake(onto: &paper, with: &rasterizer) }
        switch event {
        case .begin(let sample):
            let finished = finishStroke()
            wet = WetStroke(
                model: pen.makeStroke(density: density), colors: colors, grid: grid, density: density)
            extend(sample)
            return finished
        case .move(let sample):
            extend(sample)
            return nil
        case .end:
            return finishStroke()
        case .cancel:
            cancelStroke()
            return nil
        }
    }

    /// Draws wet ink where the pen will probably be by a time, ahead of its last report, in place of what was predicted
    /// before. The next event takes it back. Call it just before composing a frame.
    /// - Parameter microseconds: when the frame will be seen, on the scale of ``Sample/microseconds``; no more than
    ///   ``StrokePredictor/maximumMicroseconds`` after the last report is looked into. nil predicts nothing.
    public mutating func predict(until microseconds: Int64?) {
        guard wet != nil else { return }
        addDamage(wet!.predict(until: microseconds))
    }

    /// When predicted ink is to be taken back, by `predict(until: nil)`, because the pen has said nothing since and so
    /// must be resting; on the scale of ``Sample/microseconds``. nil when there is none.
    public var predictionExpiry: Int64? { wet?.predictionExpiry }

    /// The ink of the stroke being drawn as it is shown now; nil between strokes.
    public var wetInk: StrokeInk? { wet.flatMap { $0.isBlank ? nil : $0.ink } }

    /// What changed since the last call, in pixels of the picture. At first, everything.
    public mutating func takeDamage() -> Damage {
        defer { damage.removeAll() }
        return damage
    }

    /// Writes the damaged part of the picture, wet ink included, to a back buffer that is `rotation` away from it. Each
    /// damaged pixel is written once and none is read: back buffers are slow to read (write-combined memory).
    /// - Parameter surface: as large as the picture, or with width and height exchanged when the rotation says so.
    public mutating func compose(_ damage: Damage, onto surface: Surface, rotation: Rotation) {
        precondition(rotation.pictureSize(onPanel: surface.size) == size, "the canvas was made for this panel")
        for rect in damage.rects {
            let rect = rect.intersection(PixelRect(size: size))
            cover.copy(rect, onto: surface, rotation: rotation)
            for shown in rect.excluding(cover.region) { composePage(shown, onto: surface, rotation: rotation) }
        }
    }

    /// A part of the page that nothing covers.
    private mutating func composePage(_ shown: PixelRect, onto surface: Surface, rotation: Rotation) {
        if let backdrop = paper.backdrop, !inkArea.contains(shown) {
            for part in shown.excluding(inkArea) { surface.copy(part, from: backdrop, rotation: rotation) }
        }
        let rect = shown.intersection(inkArea)
        var y = rect.minY
        while y < rect.maxY {
            let maxY = min(y + Self.bandHeight, rect.maxY)
            composeBand(
                PixelRect(minX: rect.minX, minY: y, maxX: rect.maxX, maxY: maxY), onto: surface, rotation: rotation)
            y = maxY
        }
    }

    private mutating func composeBand(_ rect: PixelRect, onto surface: Surface, rotation: Rotation) {
        paper.paint(rect, of: history, with: &rasterizer)
        guard wet != nil, wet!.bounds.intersects(rect.rect) else {
            surface.copy(rect, from: paper.pixels.surface, rotation: rotation)
            return
        }
        // The band seen as a page whose row `rect.minY` is the band's first one: paths keep the page's coordinates, so
        // the same outline gives the same bytes here and on the paper.
        let stride = band.surface.strideBytes
        let page = Surface(base: band.surface.base - rect.minY * stride, size: size, strideBytes: stride)
        page.copy(rect, from: paper.pixels.surface, rotation: .none)
        wet!.fill(rect, of: page, over: paper.pixels.surface, settled: &settled, with: &rasterizer)
        surface.copy(rect, from: page, rotation: rotation)
    }

    // MARK: what was drawn

    /// Whether ``undo()`` would change anything.
    public var canUndo: Bool { wetInk != nil || history.canUndo }
    /// Whether ``redo()`` would change anything.
    public var canRedo: Bool { wetInk == nil && history.canRedo }

    /// Takes the last stroke off the page, or brings back what ``clear()`` took away; the last clear only, and what was
    /// there before the clear before it is gone. The oldest strokes are out of its reach when memory is short. A stroke
    /// that is being drawn is the last one: it is taken back as ``StrokeEvent/cancel`` does, for good, and its further
    /// events are stray ones.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func undo() -> Bool {
        if cancelStroke() { return true }
        return note(history.undo())
    }

    /// Does again what ``undo()`` took back last. The next stroke that is finished, or a clear, puts an end to that.
    /// During a stroke it does nothing, because that stroke comes after everything on the page.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func redo() -> Bool {
        if wetInk != nil { return false }
        return note(history.redo())
    }

    /// Takes everything off the page; ``undo()`` brings it back, but for a stroke that is being drawn.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func clear() -> Bool {
        let wasWet = cancelStroke()
        return note(history.clear()) || wasWet
    }

    /// Paints a part of the page again from its strokes, all of each tile that it touches, and counts it as damage.
    /// - Parameter region: in pixels; what is beyond the page is left out.
    public mutating func redraw(_ region: PixelRect) {
        grid.forEachTile(in: region) { paper.void($0) }
        damage.add(region.intersection(PixelRect(size: size)))
    }

    private mutating func note(_ change: PageHistory.ChangedTiles) -> Bool {
        switch change {
        case .none: return false
        case .stroke(let stroke):
            for place in stroke.places { touch(Int(place.tile)) }
        case .sheet(let tiles):
            for tile in tiles {
                paper.void(tile)
                touch(tile)
            }
        }
        return true
    }

    private mutating func touch(_ tile: Int) {
        paper.keep(before: history.tiles[tile].numbers.upperBound, of: tile)
        damage.add(grid.rect(of: tile).intersection(inkArea))
    }

    private mutating func extend(_ sample: Sample) {
        guard wet != nil else { return }
        guard Self.takes(sample) else {
            leftOutCount += 1
            return
        }
        addDamage(wet!.add(sample))
    }

    private mutating func finishStroke() -> StrokeInk? {
        // Dried on the paper it is the same pixels as wet above it; only what was predicted has to go.
        predict(until: nil)
        guard let stroke = wet.take(), !stroke.isBlank else { return nil }
        let (ink, dry) = stroke.dried()
        history.append(dry)
        return ink
    }

    /// Takes the wet stroke back; returns whether there was ink of it.
    @discardableResult
    private mutating func cancelStroke() -> Bool {
        guard let stroke = wet.take() else { return false }
        addDamage(stroke.bounds)
        return !stroke.isBlank
    }

    private mutating func addDamage(_ rect: Rect) {
        damage.add(PixelRect(covering: rect, within: inkArea))
    }
}
