// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster

/// Keeps texts and shapes from one picture of a document to the next, so that scrolling does not make them again.
struct DocumentMemory: ~Copyable {
    /// A text in one size.
    fileprivate struct Words: Hashable {
        var text: String
        var style: TextStyle
    }

    fileprivate final class Stamp {
        let size: PixelSize
        let coverage: CoverageBuffer

        init(_ block: borrowing TextBlock) {
            size = block.size
            coverage = block.coverage(within: PixelRect(minX: -64, minY: -64, maxX: 8192, maxY: 2048))
        }
    }

    /// Zooming needs each text in many sizes one after the other.
    private static let limit = 128

    fileprivate var stamps: [Words: Stamp] = [:]
    fileprivate var scaler = PictureScaler()
    fileprivate var inks = SignedInkShapes()

    /// Forgets texts and ink: the next person must not see them.
    mutating func removeAll() {
        stamps = [:]
        inks.removeAll()
    }

    fileprivate mutating func stamp(_ text: String, _ style: TextStyle, _ fonts: borrowing Fonts) -> Stamp? {
        let words = Words(text: text, style: style)
        if let stamp = stamps[words] { return stamp }
        guard let block = try? TextBlock(text, style: style, fonts: fonts) else { return nil }
        let stamp = Stamp(block)
        if stamps.count >= Self.limit { stamps = [:] }
        stamps[words] = stamp
        return stamp
    }
}

/// The document of a page: sheets of paper with soft edges on a desk, the fields on them, and the position.
extension PagePainter {
    /// Draws a part of what the document element shows.
    /// - Parameters:
    ///   - part: the only pixels that change, within the element.
    ///   - surface: of the whole page.
    mutating func draw(
        _ scene: DocumentScene, part: PixelRect, of page: PlacedPage, _ memory: inout DocumentMemory,
        on surface: Surface
    ) {
        let clip = part.intersection(page.documentArea).intersection(surface.bounds)
        if clip.isEmpty { return }
        let places = scene.sheets.map { PixelRect(rounding: $0.place) }
        var desk = [clip]
        for place in places { desk = desk.flatMap { $0.excluding(place) } }
        for rect in desk { surface.fill(rect, with: theme.desk) }
        for place in places { drawEdge(of: place, page, within: clip, on: surface) }
        for (sheet, place) in zip(scene.sheets, places) where !place.intersection(clip).isEmpty {
            draw(sheet, place, page, within: clip, &memory, on: surface)
        }
        for mark in scene.marks {
            let room = mark.place.insetBy(-4 * page.design.unit)
            guard room.intersects(clip.rect) else { continue }
            let middle = Point(
                x: (mark.place.minX + mark.place.maxX) / 2, y: (mark.place.minY + mark.place.maxY) / 2)
            let sheet = scene.sheets.first { $0.place.holds(middle) }
            draw(mark, sheet?.pixelsPerPoint, page, within: clip, &memory, on: surface)
        }
        if let visible = scene.visible { drawPosition(visible, page, within: clip, on: surface) }
    }

    /// The part of the element that one scene shows in another way than the one before.
    static func change(from old: DocumentScene?, to new: DocumentScene, on page: PlacedPage) -> PixelRect {
        let area = page.documentArea
        guard let old, old.visible == new.visible, old.sheets.map(\.place) == new.sheets.map(\.place) else {
            return area
        }
        var change = PixelRect.empty
        for (one, other) in zip(old.sheets, new.sheets) where one != other {
            change = change.union(PixelRect(rounding: other.place))
        }
        // Edges and rings are drawn beyond the place of a mark.
        func room(of mark: DocumentScene.Mark) -> PixelRect {
            PixelRect(covering: mark.place.insetBy(-4 * page.design.unit), within: area)
        }
        for index in 0..<max(old.marks.count, new.marks.count) {
            let one = old.marks.indices.contains(index) ? old.marks[index] : nil
            let other = new.marks.indices.contains(index) ? new.marks[index] : nil
            if one == other { continue }
            for mark in [one, other] { change = mark.map { change.union(room(of: $0)) } ?? change }
        }
        return change.intersection(area)
    }

    // MARK: sheets

    /// A border around a sheet, and a soft shadow, which falls down a little.
    private func drawEdge(of place: PixelRect, _ page: PlacedPage, within clip: PixelRect, on surface: Surface) {
        let step = max(1, page.design.hairline)
        for number in stride(from: 4, through: 0, by: -1) {
            let outset = (number + 1) * step
            let drop = number > 0 ? step : 0
            let ring = PixelRect(
                minX: place.minX - outset + drop, minY: place.minY - outset + 2 * drop,
                maxX: place.maxX + outset - drop,
                maxY: place.maxY + outset)
            let darkness = number == 0 ? 0.22 : 0.1 * Double(5 - number) / 4
            let color = theme.desk.mixed(with: number == 0 ? theme.border : .black, number == 0 ? 0.45 : darkness)
            for side in ring.intersection(clip).excluding(place) { surface.fill(side, with: color) }
        }
    }

    private mutating func draw(
        _ sheet: DocumentScene.Sheet, _ place: PixelRect, _ page: PlacedPage, within clip: PixelRect,
        _ memory: inout DocumentMemory, on surface: Surface
    ) {
        if let picture = sheet.picture, PictureScaler.canCopy(picture.pixels.surface, to: place) {
            memory.scaler.copy(picture.pixels.surface, to: place, within: clip, of: surface)
        } else {
            surface.fill(place.intersection(clip), with: .white)
            drawWaiting(in: place.intersection(page.documentArea), page, within: clip, on: surface)
        }
        if let detail = sheet.detail, let detailPlace = sheet.detailPlace {
            let target = PixelRect(rounding: detailPlace)
            memory.scaler.copy(
                detail.pixels.surface, to: target, within: clip.intersection(place), of: surface)
        }
    }

    /// Three dots in the middle of what is visible of a sheet without a picture.
    private mutating func drawWaiting(
        in visible: PixelRect, _ page: PlacedPage, within clip: PixelRect, on surface: Surface
    ) {
        let radius = 0.9 * page.design.unit
        guard Double(visible.height) > 8 * radius else { return }
        let middle = Point(
            x: Double(visible.minX + visible.maxX) / 2, y: Double(visible.minY + visible.maxY) / 2)
        var path = Path()
        for step in -1...1 {
            let x = middle.x + Double(step) * 4 * radius
            path.append(
                .disc(Rect(minX: x - radius, minY: middle.y - radius, maxX: x + radius, maxY: middle.y + radius)))
        }
        fill(path, Color.white.mixed(with: .black, 0.28), within: clip, on: surface)
    }

    /// A thin bar at the end side.
    private mutating func drawPosition(
        _ visible: ClosedRange<Double>, _ page: PlacedPage, within clip: PixelRect, on surface: Surface
    ) {
        let (area, unit) = (page.documentArea.rect, page.design.unit)
        let (width, inset) = (max(3, 1.1 * unit), max(2, 0.8 * unit))
        let track = area.height - 2 * inset
        let length = min(track, max(8 * unit, track * (visible.upperBound - visible.lowerBound)))
        let share = visible.upperBound - visible.lowerBound
        // The bar reaches both ends, however long it is.
        let progress = share < 1 ? max(0, min(visible.lowerBound / (1 - share), 1)) : 0
        let y = area.minY + inset + (track - length) * progress
        let isMirrored = page.page.direction == .rightToLeft
        let x = isMirrored ? area.minX + inset : area.maxX - inset - width
        let bar = Rect(minX: x, minY: y, maxX: x + width, maxY: y + length)
        // A light rim, so that it is seen on dark pictures.
        fill(
            .roundedRect(bar.insetBy(-1), radius: width), Color(red: 255, green: 255, blue: 255, alpha: 150),
            within: clip, on: surface)
        fill(
            .roundedRect(bar, radius: width), Color(red: 0x30, green: 0x35, blue: 0x3D, alpha: 190), within: clip,
            on: surface)
    }

    // MARK: fields

    private mutating func draw(
        _ mark: DocumentScene.Mark, _ pixelsPerPoint: Double?, _ page: PlacedPage, within clip: PixelRect,
        _ memory: inout DocumentMemory, on surface: Surface
    ) {
        let place = PixelRect(rounding: mark.place).rect
        if place.isEmpty { return }
        let outer = outline(of: mark.shape, place, page, isStrong: true).outer
        if mark.hasPlate, mark.state != .foreign {
            surface.fill(PixelRect(rounding: place).intersection(clip), with: .white)
        }
        if mark.isPressed { fill(outer, theme.mark.withAlpha(0.35), within: clip, on: surface) }
        switch mark.state {
        case .open(let isRequired):
            if !mark.isPressed {
                fill(outer, theme.mark.withAlpha(isRequired ? 0.16 : 0.07), within: clip, on: surface)
            }
            drawEdge(of: mark.shape, place, theme.mark, isStrong: isRequired, page, within: clip, on: surface)
            if let hint = mark.hint {
                draw(hint, in: place, page, isStrong: isRequired, within: clip, &memory, on: surface)
            }
        case .foreign:
            fill(outer, Color.black.withAlpha(0.08), within: clip, on: surface)
            drawEdge(of: mark.shape, place, Self.quietEdge, isStrong: false, page, within: clip, on: surface)
        case .empty: drawEdge(of: mark.shape, place, Self.quietEdge, isStrong: false, page, within: clip, on: surface)
        case .ticked:
            let side = min(place.width, place.height)
            let shape: Path = mark.shape == .choice ? .disc(place.centredSquare(side * 0.56)) : .documentTick(place)
            fill(shape, .black, within: clip, on: surface)
        case .ink(let ink):
            let foot =
                mark.caption.map { drawCaption($0, in: mark.place, pixelsPerPoint, within: clip, &memory, on: surface) }
            var room = mark.place
            room.maxY -= foot ?? 0
            memory.inks.draw(
                ink, in: room, pixelsPerPoint: pixelsPerPoint, within: clip, of: surface, with: &rasterizer)
        case .instead(let words, let inks):
            let foot =
                mark.caption.map { drawCaption($0, in: mark.place, pixelsPerPoint, within: clip, &memory, on: surface) }
            // The signed document has it smaller above the caption, too.
            let share = max(0, 1 - (foot ?? 0) / mark.place.height)
            let inset = mark.place.width * (1 - share) / 2
            let room = Rect(
                minX: mark.place.minX + inset, minY: mark.place.minY, maxX: mark.place.maxX - inset,
                maxY: mark.place.minY + mark.place.height * share)
            let layout = InsteadLayout(inkCount: inks.count, in: room)
            for (ink, place) in zip(inks, layout.inks) {
                memory.inks.draw(
                    ink, in: place, pixelsPerPoint: pixelsPerPoint.map { $0 * share }, within: clip, of: surface,
                    with: &rasterizer)
            }
            let point = (pixelsPerPoint ?? mark.place.height / 18) * share
            drawLines(layout.lines(of: words), in: layout.words, point, within: clip, &memory, on: surface)
        case .words(let text):
            drawWords(text, in: place, pixelsPerPoint, within: clip, &memory, on: surface)
        }
    }

    /// On white paper; 3.2 to 1.
    private static let quietEdge: Color = 0x8A9099

    private mutating func drawEdge(
        of shape: DocumentScene.Mark.Shape, _ place: Rect, _ color: Color, isStrong: Bool, _ page: PlacedPage,
        within clip: PixelRect, on surface: Surface
    ) {
        switch shape {
        case .signature, .initials, .words:
            if !isStrong { return drawDashes(around: place, color, page, within: clip, on: surface) }
        case .check, .choice: break
        }
        let edge = outline(of: shape, place, page, isStrong: isStrong)
        rasterizer.begin(clip: clip)
        rasterizer.add(edge.outer)
        rasterizer.add(edge.inner)
        rasterizer.fill(.evenOdd, with: color, into: surface)
    }

    /// The outer and the inner side of the edge of a field. Boxes and rings are drawn around their places, so that they
    /// do not cover the document's own marks.
    private func outline(
        of shape: DocumentScene.Mark.Shape, _ place: Rect, _ page: PlacedPage, isStrong: Bool
    ) -> (outer: Path, inner: Path) {
        let design = page.design
        let edge = isStrong ? max(2, (0.4 * design.unit).rounded()) : Double(design.hairline)
        switch shape {
        case .choice:
            let square = place.centredSquare(min(place.width, place.height) + 2 * edge)
            return (.disc(square), .disc(square.insetBy(edge)))
        case .check:
            let radius = design.radius * 0.3
            return (.roundedRect(place.insetBy(-edge), radius: radius), .roundedRect(place, radius: radius - edge))
        case .signature, .initials, .words:
            let radius = min(design.radius * 0.5, place.height * 0.2)
            return (.roundedRect(place, radius: radius), .roundedRect(place.insetBy(edge), radius: radius - edge))
        }
    }

    /// A thin dashed edge.
    private func drawDashes(
        around place: Rect, _ color: Color, _ page: PlacedPage, within clip: PixelRect, on surface: Surface
    ) {
        let (thickness, dash) = (page.design.hairline, max(4, Int(page.design.unit)))
        let rect = PixelRect(rounding: place)
        func fill(_ minX: Int, _ minY: Int, _ maxX: Int, _ maxY: Int) {
            let part = PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
            surface.fill(part.intersection(clip), with: color)
        }
        func forEachDash(from start: Int, to end: Int, _ body: (Int, Int) -> Void) {
            // The dashes that fit, with half a dash at the corners.
            let count = max(1, (end - start + dash) / (2 * dash))
            for number in 0...count {
                let middle = start + (end - start) * number / count
                body(max(start, middle - dash / 2), min(end, middle + dash / 2))
            }
        }
        forEachDash(from: rect.minX, to: rect.maxX) { from, to in
            fill(from, rect.minY, to, rect.minY + thickness)
            fill(from, rect.maxY - thickness, to, rect.maxY)
        }
        forEachDash(from: rect.minY, to: rect.maxY) { from, to in
            fill(rect.minX, from, rect.minX + thickness, to)
            fill(rect.maxX - thickness, from, rect.maxX, to)
        }
    }

    /// A pen and words in the middle of a field; the pen alone in a field that is too small for words.
    private mutating func draw(
        _ hint: String, in place: Rect, _ page: PlacedPage, isStrong: Bool, within clip: PixelRect,
        _ memory: inout DocumentMemory, on surface: Surface
    ) {
        let largest = min(page.design.em(.detail) * 1.1, place.height * 0.5)
        var (em, words): (Double, DocumentMemory.Stamp?) = (largest, nil)
        let room = place.width - 2 * largest * 0.4
        for factor in [1, 0.85, 0.72, 0.6] {
            em = (largest * factor).rounded(.down)
            guard em >= 8 else { break }
            let style = TextStyle(em: em, weight: isStrong ? .semibold : .medium)
            guard let stamp = memory.stamp(hint, style, fonts) else { break }
            if Double(stamp.size.width) + em * 1.4 <= room { words = stamp }
            if words != nil { break }
        }
        if words == nil { em = min(largest, place.width * 0.6) }
        let width = em + (words.map { Double($0.size.width) + em * 0.4 } ?? 0)
        let isMirrored = page.page.direction == .rightToLeft
        let start = (place.minX + (place.width - width) / 2).rounded()
        let middle = (place.minY + place.maxY) / 2
        let iconX = isMirrored ? start + width - em : start
        let icon = Rect(minX: iconX, minY: middle - em / 2, maxX: iconX + em, maxY: middle + em / 2)
        fill(.pen(icon.insetBy(em * 0.06), isMirrored: isMirrored), theme.mark, within: clip, on: surface)
        guard let words else { return }
        let x = Int(isMirrored ? start : start + em * 1.4) - clip.minX
        let y = Int((middle - Double(words.size.height) / 2).rounded()) - clip.minY
        surface.part(clip).blend(words.coverage, with: theme.mark, movedBy: x, y)
    }

    /// Draws the line below a signature as the signed document has it.
    /// - Returns: the height that it takes from the field.
    private func drawCaption(
        _ text: String, in place: Rect, _ pixelsPerPoint: Double?, within clip: PixelRect,
        _ memory: inout DocumentMemory, on surface: Surface
    ) -> Double {
        let point = pixelsPerPoint ?? place.height / 50
        guard point > 0,
            let usual = memory.stamp(text, TextStyle(em: SignatureCaption.usualEm * point), fonts), usual.size.width > 0
        else { return 0 }
        let layout = SignatureCaption(
            width: Double(usual.size.width), height: Double(usual.size.height), fieldWidth: place.width,
            fieldHeight: place.height, point: point)
        // Smaller letters than these are no letters on the screen.
        guard layout.em * point >= 1, let stamp = memory.stamp(text, TextStyle(em: layout.em * point), fonts) else {
            return 0
        }
        let (width, height) = (Double(stamp.size.width), Double(stamp.size.height))
        let x = Int(max(place.minX, (place.minX + place.maxX - width) / 2).rounded()) - clip.minX
        let y = Int((place.maxY - layout.lift * point - height).rounded()) - clip.minY
        surface.part(clip).blend(stamp.coverage, with: .black, movedBy: x, y)
        return height + layout.lift * point
    }

    /// Words as the signed document has them: 12 points, or less in a smaller field.
    private func drawWords(
        _ text: String, in place: Rect, _ pixelsPerPoint: Double?, within clip: PixelRect,
        _ memory: inout DocumentMemory, on surface: Surface
    ) {
        let point = pixelsPerPoint ?? place.height / 18
        let margin = 2 * point
        var em = min(12 * point, place.height * 0.7)
        while em >= 1 {
            guard let stamp = memory.stamp(text, TextStyle(em: em), fonts) else { return }
            if Double(stamp.size.width) <= place.width - 2 * margin || em < 4 * point {
                let x = Int((place.minX + margin).rounded()) - clip.minX
                let y = Int((place.minY + (place.height - Double(stamp.size.height)) / 2).rounded()) - clip.minY
                surface.part(clip).blend(stamp.coverage, with: .black, movedBy: x, y)
                return
            }
            em *= 0.9
        }
    }

    /// Words in place of a signature, from the top of their room: as large as in the signed document.
    private func drawLines(
        _ lines: String, in room: Rect, _ point: Double, within clip: PixelRect, _ memory: inout DocumentMemory,
        on surface: Surface
    ) {
        let em = InsteadLayout.usualEm * point
        guard em >= 1, let usual = memory.stamp(lines, TextStyle(em: em), fonts), usual.size.width > 0 else { return }
        let (width, height) = (Double(usual.size.width), Double(usual.size.height))
        let margin = InsteadLayout.margin * point
        let scale = min(1, room.width / (width + 2 * margin), room.height / height)
        guard em * scale >= 1, let stamp = memory.stamp(lines, TextStyle(em: em * scale), fonts) else { return }
        let (x, y) = (Int((room.minX + margin * scale).rounded()), Int(room.minY.rounded()))
        surface.part(clip).blend(stamp.coverage, with: .black, movedBy: x - clip.minX, y - clip.minY)
    }

    // MARK: fills

    private mutating func fill(_ path: Path, _ color: Color, within clip: PixelRect, on surface: Surface) {
        rasterizer.begin(clip: clip)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: color, into: surface)
    }
}

extension PixelRect {
    /// The nearest rectangle of whole pixels. Places that no screen has are empty.
    init(rounding rect: Rect) {
        let limit = 1e6
        guard !rect.isEmpty, abs(rect.minX) < limit, abs(rect.minY) < limit, abs(rect.maxX) < limit,
            abs(rect.maxY) < limit
        else {
            self = .empty
            return
        }
        self.init(
            minX: Int(rect.minX.rounded()), minY: Int(rect.minY.rounded()), maxX: Int(rect.maxX.rounded()),
            maxY: Int(rect.maxY.rounded()))
    }
}

extension Color {
    fileprivate func withAlpha(_ share: Double) -> Color {
        var color = self
        color.alpha = UInt8(max(0, min(share * 255, 255)).rounded())
        return color
    }
}

extension Rect {
    fileprivate func holds(_ point: Point) -> Bool {
        minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY
    }
}
