// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Raster
import Record
import Touch

/// A person's reading of the document: the view on the screen, the pictures of pages that have arrived or are
/// requested, and the parts that were seen. Touches and time move the view. ``Capture`` makes actions of the requests.
struct Reading {
    /// Memory for the pictures of pages, in bytes. The visible ones are kept in any case.
    private static let pictureBytes = 44 << 20
    private static let textBytes = 256 << 10
    /// A view that stands still for this time was seen.
    private static let restTime = Duration.milliseconds(250)
    /// A view that moves slowly was seen, too: at most half a viewport in this time.
    private static let slowTime = Duration.milliseconds(500)
    /// The time between two steps of a motion: a frame at 60 Hz.
    private static let frameTime = Duration.microseconds(16_667)
    /// The widest page, in millimetres: 10 % more than A4. On large screens lines would get too long for the eye.
    private static let widestPage = 231.0

    let document: OpenedDocument
    private(set) var view: ReadingView
    private var touches: ReadingTouches
    private var fling: Fling?
    private var flingStep: Timestamp?
    private var pictures: [Int: DrawnPage] = [:]
    private var asked: HelperRequest.Rendering?
    /// Whether the texts of pages are wanted, and the texts that have arrived.
    var wantsTexts = false
    private var texts: [Int: String] = [:]
    /// The same texts, cut for reading them aloud.
    private var pieces: [Int: [String]] = [:]
    private var askedText: Int?
    /// The part that was drawn larger, for the view as it is.
    private var detail: (part: HelperRequest.Rendering, picture: DrawnPage)?
    private(set) var seen: SeenRows
    /// When the view was last moved, and the last view that was noted.
    private var movedAt: Timestamp?
    private var noted: (time: Timestamp, origin: Point, zoom: Double)?
    /// Pages whose first picture the record has; for all people.
    private var recordedPages: Set<Int> = []
    /// The time with the document.
    private(set) var time = Duration.zero
    /// When the page was shown; nil while another page is.
    private var shownSince: Timestamp?

    /// - Parameter page: has an element for the document.
    init(_ document: OpenedDocument, on page: PlacedPage) {
        self.document = document
        let viewport = page.documentArea
        let gap = page.design.smallGap
        let widest = Int(Self.widestPage * page.density.pixelsPerMillimetre)
        view = ReadingView(document.facts.pages, in: viewport, widest: widest, gap: gap)
        touches = ReadingTouches(pixelsPerMillimetre: page.density.pixelsPerMillimetre)
        seen = SeenRows(pages: view.pages)
    }

    /// The next person reads.
    mutating func beginTurn() {
        view = ReadingView(restarting: view)
        seen = SeenRows(pages: view.pages)
        (fling, flingStep, movedAt, noted, time) = (nil, nil, nil, nil, .zero)
        touches.release()
    }

    mutating func appear(at now: Timestamp) {
        shownSince = now
        movedAt = now
        noted = nil
    }

    mutating func disappear(at now: Timestamp) {
        if let shownSince { time += now - shownSince }
        shownSince = nil
        (fling, flingStep, movedAt) = (nil, nil, nil)
        touches.release()
    }

    func timeSpent(at now: Timestamp) -> Duration { time + (shownSince.map { now - $0 } ?? .zero) }

    /// When to call ``advance(to:)`` at the latest.
    var deadline: Timestamp? {
        // Without its pictures, a view does not rest: the answer to the request comes first.
        let rest = hasVisiblePictures ? movedAt.map { $0 + Self.restTime } : nil
        return [flingStep, rest].compactMap { $0 }.min()
    }

    // MARK: touches and time

    /// Whether a report belongs to the document, rather than to a button.
    func wants(_ event: TouchEvent) -> Bool {
        touches.has(event.contact) || event.phase == .began && view.viewport.contains(event.sample.position)
    }

    mutating func receive(_ event: TouchEvent, at now: Timestamp) -> [Tap] {
        var taps: [Tap] = []
        for effect in touches.receive(event) {
            switch effect {
            case .held: (fling, flingStep) = (nil, nil)
            case .moved(let distance): if view.move(by: distance) { note(movedAt: now) }
            case .enlarged(let factor, let place):
                view.enlarge(by: factor, at: place)
                note(movedAt: now)
            case .flung(let speed):
                fling = Fling(speed, at: now)
                flingStep = fling.map { _ in now + Self.frameTime }
            case .tapped(let tap): taps.append(tap)
            }
        }
        return taps
    }

    /// Enlarges at a place of the screen, or goes back to the usual size.
    mutating func enlarge(at place: Point, _ now: Timestamp) {
        view.enlarge(by: view.zoom > 1 ? 1 / view.zoom : 2, at: place)
        note(movedAt: now)
    }

    mutating func advance(to now: Timestamp) {
        if let due = flingStep, now >= due {
            if let distance = fling?.step(to: now), view.move(by: distance) {
                note(movedAt: now)
                flingStep = now + Self.frameTime
            } else {
                (fling, flingStep) = (nil, nil)
            }
        }
    }

    /// Shows a field or the part of a page in the middle.
    mutating func show(_ rect: Rect, at now: Timestamp) {
        (fling, flingStep) = (nil, nil)
        view.show(rect)
        note(movedAt: now)
    }

    mutating func move(_ step: ViewStep, at now: Timestamp) {
        (fling, flingStep) = (nil, nil)
        let (width, height) = (Double(view.viewport.width), Double(view.viewport.height))
        func move(_ x: Double, _ y: Double) { view.move(by: Point(x: -x, y: -y)) }
        func enlarge(_ factor: Double) {
            let area = view.viewport
            let middle = Point(x: Double(area.minX + area.maxX) / 2, y: Double(area.minY + area.maxY) / 2)
            view.enlarge(by: factor, at: middle)
        }
        let before = view
        switch step {
        case .lineUp: move(0, -height / 8)
        case .lineDown: move(0, height / 8)
        // A little of what was seen stays in view, so that the eye finds the line.
        case .pageUp: move(0, -height * 0.9)
        case .pageDown: move(0, height * 0.9)
        case .start: move(0, -1e9)
        case .end: move(0, 1e9)
        case .left: move(-width / 8, 0)
        case .right: move(width / 8, 0)
        case .larger: enlarge(1.5)
        case .smaller: enlarge(1 / 1.5)
        case .usualSize: enlarge(1 / view.zoom)
        }
        if view != before { note(movedAt: now) }
    }

    /// Scrolls to what was not seen yet.
    mutating func showUnseen(at now: Timestamp) {
        guard let (page, row) = seen.firstUnseen, view.pages.indices.contains(page - 1) else { return }
        let rect = view.pages[page - 1]
        // A little of what was seen stays in view, so that the eye finds the line.
        let top = Double(rect.minY + row) - Double(view.viewport.height) * 0.08
        let middle = top + Double(view.viewport.height) / 2
        show(Rect(minX: 0, minY: middle, maxX: 1, maxY: middle), at: now)
    }

    private mutating func note(movedAt now: Timestamp) {
        movedAt = now
        detail = nil
    }

    /// The view, if it counts as seen and was not noted yet. It counts while it rests or moves slowly, and only with
    /// the pictures of all of its pages.
    mutating func takeSeenView(at now: Timestamp) -> SeenView? {
        guard shownSince != nil, hasVisiblePictures else { return nil }
        if let noted, noted.origin == view.origin, noted.zoom == view.zoom {
            if let movedAt, now - movedAt >= Self.restTime { self.movedAt = nil }
            return nil
        }
        let rests = movedAt.map { now - $0 >= Self.restTime } ?? true
        let isSlow =
            noted.map {
                now - $0.time >= Self.slowTime && $0.zoom == view.zoom
                    && view.origin.distance(to: $0.origin) * view.zoom <= Double(view.viewport.height) / 2
            } ?? false
        guard rests || isSlow && fling == nil else { return nil }
        if rests { movedAt = nil }
        noted = (now, view.origin, view.zoom)
        let parts = view.parts
        seen.add(parts)
        return SeenView(parts: parts)
    }

    // MARK: pictures

    private var hasVisiblePictures: Bool { view.visiblePages.allSatisfy { pictures[$0 + 1] != nil } }

    private func rendering(of page: Int) -> HelperRequest.Rendering {
        let rect = view.pages[page - 1]
        return HelperRequest.Rendering(page: page, size: PixelSize(width: rect.width, height: rect.height))
    }

    private func bytes(of page: Int) -> Int { view.pages[page - 1].area * 4 }

    /// The picture to ask for next; nil if all wanted pictures have arrived, and while one is being drawn.
    mutating func takeRequest() -> HelperRequest.Rendering? {
        guard asked == nil, let next = wanted else { return nil }
        asked = next
        return next
    }

    private var wanted: HelperRequest.Rendering? {
        if view.pages.isEmpty { return nil }
        let visible = view.visiblePages
        if let page = visible.first(where: { pictures[$0 + 1] == nil }) { return rendering(of: page + 1) }
        if view.zoom > 1, movedAt == nil, detail == nil, let part = detailPart { return part }
        var room = Self.pictureBytes - visible.reduce(0) { $0 + bytes(of: $1 + 1) }
        // The page ahead comes first, because most people read on.
        for page in [visible.upperBound, visible.lowerBound - 1, visible.upperBound + 1]
        where view.pages.indices.contains(page) {
            room -= bytes(of: page + 1)
            if room < 0 { return nil }
            if pictures[page + 1] == nil { return rendering(of: page + 1) }
        }
        return nil
    }

    /// The visible part of the page in the middle, in the pixels of the screen.
    private var detailPart: HelperRequest.Rendering? {
        let page = view.currentPage
        let rect = view.pages[page - 1]
        let size = PixelSize(
            width: Int((Double(rect.width) * view.zoom).rounded()),
            height: Int((Double(rect.height) * view.zoom).rounded()))
        guard max(size.width, size.height) <= HelperLimits.pageSide else { return nil }
        let place = view.place(of: rect.rect)
        let corner = Point(x: place.minX.rounded(), y: place.minY.rounded())
        let visible = Rect(
            minX: Double(view.viewport.minX) - corner.x, minY: Double(view.viewport.minY) - corner.y,
            maxX: Double(view.viewport.maxX) - corner.x, maxY: Double(view.viewport.maxY) - corner.y)
        let crop = PixelRect(covering: visible, within: PixelRect(size: size))
        return crop.isEmpty ? nil : HelperRequest.Rendering(page: page, size: size, crop: crop)
    }

    mutating func receive(_ picture: DrawnPage, of part: HelperRequest.Rendering, at now: Timestamp) {
        if asked == part { asked = nil }
        if part.crop == nil {
            guard view.pages.indices.contains(part.page - 1), part == rendering(of: part.page) else { return }
            // The view counts as seen only from now on, because this picture was missing.
            if view.visiblePages.contains(part.page - 1) { movedAt = now }
            pictures[part.page] = picture
            dropPictures()
        } else if view.zoom > 1, movedAt == nil, part == detailPart {
            detail = (part, picture)
        }
    }

    // MARK: texts

    /// The texts of the visible pages that have arrived, in all at most ``textBytes``.
    var visibleTexts: [String] {
        var left = Self.textBytes
        return view.visiblePages.compactMap { texts[$0 + 1] }.prefix {
            left -= $0.utf8.count
            return left >= 0
        }
    }

    /// The texts of the visible pages that have arrived, cut for reading them aloud, with the numbers of the pages.
    var visiblePieces: [(number: Int, pieces: [String])] {
        view.visiblePages.compactMap { index in pieces[index + 1].map { (index + 1, $0) } }
    }

    /// The page whose text to ask for next. Pictures come first.
    mutating func takeTextRequest() -> Int? {
        guard wantsTexts, askedText == nil, hasVisiblePictures else { return nil }
        guard let page = view.visiblePages.first(where: { texts[$0 + 1] == nil }) else { return nil }
        askedText = page + 1
        return askedText
    }

    mutating func receive(_ text: String, of page: Int) {
        askedText = nil
        let visible = view.visiblePages
        texts = texts.filter { visible.contains($0.key - 1) }
        texts[page] = text
        pieces = pieces.filter { texts[$0.key] != nil }
        pieces[page] = SpokenText.pieces(of: text)
    }

    /// Drops the pictures that are furthest away, if there is no room for them.
    private mutating func dropPictures() {
        let visible = view.visiblePages
        func distance(_ page: Int) -> Int {
            max(visible.lowerBound - (page - 1), (page - 1) - (visible.upperBound - 1), 0)
        }
        var room = Self.pictureBytes
        for page in pictures.keys.sorted(by: { (distance($0), $0) < (distance($1), $1) }) {
            room -= bytes(of: page)
            if room < 0, distance(page) > 0 { pictures[page] = nil }
        }
    }

    /// The pages that are on the screen for the first time, for the record.
    mutating func takeNewPages() -> [SeenPage] {
        guard shownSince != nil else { return [] }
        return view.visiblePages.compactMap { index in
            guard let picture = pictures[index + 1], let sha256 = picture.sha256,
                recordedPages.insert(index + 1).inserted
            else { return nil }
            let size = picture.pixels.surface.size
            return SeenPage(number: index + 1, width: size.width, height: size.height, sha256: sha256)
        }
    }

    // MARK: the scene

    /// - Parameter state: the mark of a field, without its place; nil if it is not shown.
    func scene(_ state: (Field) -> DocumentScene.Mark?) -> DocumentScene {
        let visible = view.visiblePages
        var scene = DocumentScene(visible: view.share)
        for index in visible where view.pages.indices.contains(index) {
            var sheet = DocumentScene.Sheet(
                page: index + 1, place: view.place(of: view.pages[index].rect), picture: pictures[index + 1])
            sheet.pixelsPerPoint = Double(view.pages[index].width) * view.zoom / document.facts.pages[index].width
            if let detail, detail.part.page == index + 1, let crop = detail.part.crop {
                let corner = Point(x: sheet.place.minX.rounded(), y: sheet.place.minY.rounded())
                sheet.detail = detail.picture
                sheet.detailPlace = Rect(
                    minX: corner.x + Double(crop.minX), minY: corner.y + Double(crop.minY),
                    maxX: corner.x + Double(crop.maxX), maxY: corner.y + Double(crop.maxY))
            }
            scene.sheets.append(sheet)
        }
        for (index, field) in document.plan.fields.enumerated() where visible.contains(field.page - 1) {
            guard let rect = view.content(of: field), var mark = state(field) else { continue }
            mark.place = view.place(of: rect)
            mark.hasPlate = document.plan.plates.contains(index)
            scene.marks.append(mark)
        }
        return scene
    }

    /// The visible part of a field on the screen; nil if none of it is visible.
    func visiblePlace(of field: Field) -> PixelRect? {
        guard let rect = view.content(of: field).map(view.place) else { return nil }
        let visible = PixelRect(covering: rect, within: view.viewport)
        return visible.isEmpty ? nil : visible
    }

    /// The field at a place of the screen: of several, the first. Small ones can be hit beside them.
    /// - Parameter reach: in pixels.
    func field(at place: Point, reach: Double, where isWanted: (Field) -> Bool) -> Field? {
        var best: (field: Field, distance: Double)?
        for field in document.plan.fields where isWanted(field) {
            guard let rect = view.content(of: field).map(view.place) else { continue }
            let (x, y) = (
                max(rect.minX - place.x, place.x - rect.maxX, 0), max(rect.minY - place.y, place.y - rect.maxY, 0)
            )
            let distance = max(x, y)
            if distance <= reach, distance < best?.distance ?? .infinity { best = (field, distance) }
        }
        return best?.field
    }

    func result(at now: Timestamp) -> ReadingResult {
        ReadingResult(
            pages: seen.pages, toEnd: seen.firstUnseen == nil,
            seconds: Double(timeSpent(at: now).microseconds / 1000) / 1000)
    }
}

extension ReadingView {
    /// The same view at the beginning of the document.
    fileprivate init(restarting view: ReadingView) {
        self = view
        show(Rect(minX: 0, minY: 0, maxX: 0, maxY: 0))
    }
}
