// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// A page, its dry strokes and the stroke being drawn on it. One thread at a time.
///
/// ```swift
/// var canvas = Canvas(size: screen.size, pen: Pen(), color: .black, background: .white)
/// canvas.apply(.begin(sample))
/// canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
/// ```
///
/// Dry strokes are indexed by tile and painted on the paper when a tile is shown. Wet ink is blended while a damaged
/// region is copied to a back buffer, so that it can be removed without repainting the ink below. The cost of a report,
/// an undo or a repaint depends on the ink in the region only, not on the rest of the page.
public struct Canvas: ~Copyable {
    /// The number of rows composed at a time: a band of a 4K page stays in the second-level cache.
    private static let bandHeight = 64
    /// The largest coordinate in pixels. No page is that large, and squares stay exact.
    private static let farthest = 1e7

    /// Whether a sample lies where a page may be; others are ignored. False for NaN.
    public static func canDraw(_ sample: Sample) -> Bool {
        abs(sample.position.x) <= farthest && abs(sample.position.y) <= farthest
    }

    /// Memory for undo: enough for the last 160,000 reports, 20 minutes of a pen that sends 125 a second.
    public static let standardUndoBytes = 64 << 20

    public let size: PixelSize
    /// The pen and the colours of new strokes.
    private var pen: Pen
    private var colors: InkColors
    /// Set by ``use(pen:color:)`` until a stroke is finished.
    private var hasNewPen = false
    private let density: PixelDensity
    private let grid: TileGrid
    private let undoBytes: Int
    private var history: PageHistory
    private var paper: Paper
    /// The part of the page that shows ink, within the backdrop.
    private var inkArea: PixelRect
    /// The part of ``inkArea`` that shows no ink; empty without a backdrop.
    private var inkHole = PixelRect.empty
    private var cover: Cover
    /// Settled tiles of the wet stroke.
    private var settled: LazyPixels
    private let band: PixelBuffer
    private var rasterizer = Rasterizer()
    private var wet: WetStroke?
    private var damage: Damage
    /// The number of samples ignored because their position is NaN or beyond any page, as a broken transform or driver
    /// delivers.
    public private(set) var leftOutCount = 0

    /// - Parameters:
    ///   - size: of the page, in pixels.
    ///   - pen: used until ``use(pen:color:)``.
    ///   - color: of the ink, likewise.
    ///   - background: the colour of the paper.
    ///   - density: of the page, for pens with a width in millimetres.
    ///   - undoBytes: memory for undo history, in bytes; at least 0. 0.4 KiB a report is usual. The oldest strokes
    ///     beyond it become part of the paper for good, a piece with each event; the last stroke can always be undone.
    public init(
        size: PixelSize, pen: Pen, color: Color, background: Color, density: PixelDensity = .standard,
        undoBytes: Int = standardUndoBytes
    ) {
        precondition(undoBytes >= 0, "undoBytes must not be negative")
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

    /// Sets the pen and the colour of new strokes. Existing strokes and the one being drawn keep theirs. The next
    /// stroke continues none of them (`StrokeTrail`): a sketch, which sets them for every stroke, is restored without
    /// the times between its strokes.
    public mutating func use(pen: Pen, color: Color) {
        hasNewPen = true
        self.pen = pen
        colors.ink = color
    }

    /// The page with its dry ink, without wet ink. Only the area that shows ink is valid on a page with a backdrop.
    public var dryPixels: Surface {
        mutating get {
            paper.paint(PixelRect(size: size), of: history, with: &rasterizer)
            return paper.pixels.surface
        }
    }

    /// Draws an event. A stray event (a move without a begin) is ignored, and a begin during a stroke ends that stroke
    /// first. Samples that cannot be drawn are ignored (``leftOutCount``); a stroke begins at its first other sample.
    /// - Returns: the stroke that this event finished.
    @discardableResult
    public mutating func apply(_ event: StrokeEvent) -> StrokeInk? {
        defer { history.bake(onto: &paper, with: &rasterizer) }
        switch event {
        case .begin(let sample):
            let finished = finishStroke()
            let trail = hasNewPen ? nil : history.lastStroke?.trail
            wet = WetStroke(
                model: pen.makeStroke(density: density, after: trail), colors: colors, grid: grid, density: density)
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

    /// Draws predicted ink ahead of the last report, in place of the prediction before. The next event removes it. Call
    /// it just before composing a frame.
    /// - Parameter time: when the frame will be visible, on the clock of the samples; at most
    ///   `StrokePredictor.longest` after the last report is predicted. nil predicts nothing.
    public mutating func predict(until time: Timestamp?) {
        guard wet != nil else { return }
        addDamage(wet!.predict(until: time))
    }

    /// When to remove predicted ink with `predict(until: nil)`, because no report has come since and so the pen rests;
    /// on the scale of the samples' times. nil without predicted ink.
    public var predictionExpiry: Timestamp? { wet == nil ? nil : wet!.predictionExpiry }

    /// The ink of the stroke being drawn; nil between strokes.
    public var wetInk: StrokeInk? { wet.flatMap { $0.isBlank ? nil : $0.ink } }

    /// Returns what changed since the last call, in pixels of the picture; at first everything.
    public mutating func takeDamage() -> Damage {
        defer { damage.removeAll() }
        return damage
    }

    /// Writes the damaged part of the picture, wet ink included, to a back buffer. Each damaged pixel is written once
    /// and none is read: back buffers are slow to read (write-combined memory).
    /// - Parameters:
    ///   - damage: from ``takeDamage()``.
    ///   - surface: as large as the picture, with width and height exchanged if `rotation` is transposed.
    ///   - rotation: from the picture to the surface.
    public mutating func compose(_ damage: Damage, onto surface: Surface, rotation: Rotation) {
        precondition(rotation.pictureSize(onPanel: surface.size) == size, "the surface has another size")
        for rect in damage.rects {
            let rect = rect.intersection(PixelRect(size: size))
            cover.copy(rect, onto: surface, rotation: rotation)
            for shown in rect.excluding(cover.region) { composePage(shown, onto: surface, rotation: rotation) }
        }
    }

    /// Composes a part of the page that is not covered.
    private mutating func composePage(_ shown: PixelRect, onto surface: Surface, rotation: Rotation) {
        if let backdrop = paper.backdrop, !inkArea.contains(shown) {
            for part in shown.excluding(inkArea) { surface.copy(part, from: backdrop, rotation: rotation) }
        }
        let hole = shown.intersection(inkHole)
        if let backdrop = paper.backdrop, !hole.isEmpty { surface.copy(hole, from: backdrop, rotation: rotation) }
        for part in shown.intersection(inkArea).excluding(inkHole) {
            Self.forEachBand(of: part) { composeBand($0, onto: surface, rotation: rotation) }
        }
    }

    /// Calls `body` with the bands of a rectangle, from the top.
    private static func forEachBand(of rect: PixelRect, _ body: (PixelRect) -> Void) {
        var y = rect.minY
        while y < rect.maxY {
            let maxY = min(y + bandHeight, rect.maxY)
            body(PixelRect(minX: rect.minX, minY: y, maxX: rect.maxX, maxY: maxY))
            y = maxY
        }
    }

    /// Writes the wet ink of a damaged part, predicted ink included, to a picture that may be on screen: only pixels
    /// that it changes on the paper, each once. Where wet ink was taken back, the picture keeps it until
    /// ``compose(_:onto:rotation:)``.
    /// - Parameters:
    ///   - damage: in pixels of the picture.
    ///   - surface: shows an earlier picture of this page.
    ///   - rotation: from the picture to the surface.
    /// - Returns: whether there was any.
    @discardableResult
    public mutating func writeWetInk(of damage: Damage, onto surface: Surface, rotation: Rotation) -> Bool {
        precondition(rotation.pictureSize(onPanel: surface.size) == size, "the surface has another size")
        guard wet != nil else { return false }
        var hasWritten = false
        for rect in damage.rects {
            let parts = rect.intersection(inkArea).excluding(inkHole)
            for shown in parts.flatMap({ $0.excluding(cover.region) }) {
                Self.forEachBand(of: shown) { band in
                    paper.paint(band, of: history, with: &rasterizer)
                    guard let page = blendWetInk(band) else { return }
                    surface.copy(band, from: page, whereNot: paper.pixels.surface, rotation: rotation)
                    hasWritten = true
                }
            }
        }
        return hasWritten
    }

    private mutating func composeBand(_ rect: PixelRect, onto surface: Surface, rotation: Rotation) {
        paper.paint(rect, of: history, with: &rasterizer)
        surface.copy(rect, from: blendWetInk(rect) ?? paper.pixels.surface, rotation: rotation)
    }

    /// Copies a band of the paper, which is painted, and fills the wet ink over it.
    /// - Returns: a page whose rows of the band are valid; nil without wet ink there.
    private mutating func blendWetInk(_ rect: PixelRect) -> Surface? {
        guard wet != nil, wet!.bounds.intersects(rect.rect) else { return nil }
        // The band as a page whose row `rect.minY` is the band's first one: paths keep the page's coordinates, so that
        // an outline gives the same bytes here and on the paper.
        let stride = band.surface.strideBytes
        let page = Surface(base: band.surface.base - rect.minY * stride, size: size, strideBytes: stride)
        page.copy(rect, from: paper.pixels.surface, rotation: .none)
        wet!.fill(rect, of: page, over: paper.pixels.surface, settled: &settled, with: &rasterizer)
        return page
    }

    // MARK: undo, redo and clear

    /// Whether visible strokes that undo reaches may ink pixels of a region: judged by the box of each stroke.
    public func hasInk(in region: PixelRect) -> Bool {
        wet?.bounds.intersects(region.rect) == true
            || history.strokeNumbers.contains { history.stroke($0).bounds.intersects(region.rect) }
    }

    /// Whether ``undo()`` would change anything.
    public var canUndo: Bool { wetInk != nil || history.canUndo }
    /// Whether ``redo()`` would change anything.
    public var canRedo: Bool { wetInk == nil && history.canRedo }

    /// Removes the last stroke, or undoes the last clear (`History`). The oldest strokes may be out of its reach. A
    /// stroke that is being drawn is cancelled, for good, and its further events are stray ones.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func undo() -> Bool {
        if cancelStroke() { return true }
        return addDamage(of: history.undo())
    }

    /// Reverts the last ``undo()``. Does nothing after a finished stroke or a clear, and during a stroke.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func redo() -> Bool {
        if wetInk != nil { return false }
        return addDamage(of: history.redo())
    }

    /// Removes all strokes; ``undo()`` brings them back, except for a stroke that is being drawn.
    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func clear() -> Bool {
        let wasWet = cancelStroke()
        return addDamage(of: history.clear()) || wasWet
    }

    /// Paints the tiles of a region again from their strokes, and damages the region; for tests and benchmarks.
    /// - Parameter region: clipped to the page.
    package mutating func redraw(_ region: PixelRect) {
        grid.forEachTile(in: region) { paper.void($0) }
        damage.add(region.intersection(PixelRect(size: size)))
    }

    /// Damages the changed tiles; returns whether anything changed.
    private mutating func addDamage(of change: PageHistory.ChangedTiles?) -> Bool {
        switch change {
        case nil: return false
        case .stroke(let stroke):
            let tiles = history.tiles
            for place in stroke.places {
                let tile = Int(place.tile)
                paper.keep(before: tiles[tile].numbers.upperBound, of: tile)
                damage.add(grid.rect(of: tile).intersection(inkArea))
            }
        case .sheet(let tiles):
            for tile in tiles {
                paper.void(tile)
                damage.add(grid.rect(of: tile).intersection(inkArea))
            }
        }
        return true
    }

    private mutating func extend(_ sample: Sample) {
        guard wet != nil else { return }
        guard Self.canDraw(sample) else {
            leftOutCount += 1
            return
        }
        addDamage(wet!.add(sample))
    }

    private mutating func finishStroke() -> StrokeInk? {
        guard var stroke = wet.take(), !stroke.isBlank else { return nil }
        // The pixels are the same dry on the paper as wet above it, except for the prediction and a tapered end.
        addDamage(stroke.finish())
        let (ink, dry) = stroke.dried()
        history.append(dry)
        hasNewPen = false
        return ink
    }

    /// Removes the wet stroke; returns whether it had ink.
    @discardableResult
    private mutating func cancelStroke() -> Bool {
        guard let stroke = wet.take() else { return false }
        addDamage(stroke.bounds)
        return !stroke.isBlank
    }

    private mutating func addDamage(_ rect: Rect) {
        damage.add(PixelRect(covering: rect, within: inkArea))
    }

    // MARK: pages and covers

    /// Begins another page: ink and undo history are gone for good.
    ///
    /// Ink is visible within `inkArea` only and is cut off at its edge; without a backdrop, on paper of one colour, it
    /// is visible everywhere.
    /// - Parameters:
    ///   - inkArea: clipped to the page.
    ///   - hole: a part of it that shows no ink, such as buttons on a card.
    /// - Returns: the surface for the whole backdrop, to be drawn before the canvas is next composed.
    public mutating func beginPage(inkArea: PixelRect, except hole: PixelRect = .empty) -> Surface {
        wipe()
        uncover()
        self.inkArea = inkArea.intersection(PixelRect(size: size))
        inkHole = hole.intersection(self.inkArea)
        damage.add(PixelRect(size: size))
        return paper.makeBackdrop()
    }

    /// Changes the backdrop. Below ink that is too old to be undone, it stays as it was.
    /// - Parameter region: the part that looks different afterwards.
    /// - Returns: the surface of the backdrop, to be drawn before the canvas is next composed.
    public mutating func changeBackdrop(_ region: PixelRect) -> Surface {
        for part in region.intersection(inkArea).excluding(inkHole) {
            grid.forEachTile(in: part) { paper.void($0) }
        }
        damage.add(region.intersection(PixelRect(size: size)))
        return paper.makeBackdrop()
    }

    /// Damages the whole page, because the display has shown another one.
    public mutating func showAgain() { damage.add(PixelRect(size: size)) }

    /// Covers a part of the page, ink too, until ``uncover()``; the page below goes on. A cover replaces the one
    /// before.
    /// - Parameter region: clipped to the page.
    /// - Returns: the surface of the cover in its own coordinates, to be drawn whole before the canvas is next
    ///   composed; nil when the region is empty.
    public mutating func cover(_ region: PixelRect) -> Surface? {
        uncover()
        let region = region.intersection(PixelRect(size: size))
        if region.isEmpty { return nil }
        damage.add(region)
        return cover.cover(region)
    }

    /// Removes the cover.
    public mutating func uncover() {
        damage.add(cover.region)
        cover.remove()
    }

    /// Removes all ink, with what undo and redo could bring back: the next person must not see it.
    public mutating func wipe() {
        wet = nil
        history = PageHistory(grid, byteLimit: undoBytes)
        paper.voidAll()
        damage.add(inkArea)
    }
}
