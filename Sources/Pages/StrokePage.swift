// SPDX-License-Identifier: Apache-2.0
import Canvas
public import Formats
public import Geometry
public import Ink
import Pad
public import Touch

/// Strokes from a recording or another program's file, placed on a page in pixels.
public struct StrokePage {
    public let events: [StrokeEvent]
    public let size: PixelSize
    /// The density at which the ink has its original size. Known for recordings whose device states its resolution and
    /// has the proportions of the page, and for ink in millimetres; else nil.
    public let density: PixelDensity?
    /// Whether the times of samples are those of the hand. Otherwise they are those of an even speed, and the pen must
    /// not derive widths from them (``Pen/ignoresSpeed``).
    public let hasTimes: Bool

    /// The samples of each finished stroke, as a canvas would keep them.
    public var strokes: [[Sample]] {
        var strokes: [[Sample]] = []
        // nil between strokes, where a move belongs to none.
        var open: [Sample]?
        func finish() {
            if let samples = open, !samples.isEmpty { strokes.append(samples) }
            open = nil
        }
        for event in events {
            switch event {
            case .begin(let sample):
                finish()
                open = Canvas.canDraw(sample) ? [sample] : []
            case .move(let sample): if Canvas.canDraw(sample) { open?.append(sample) }
            case .end: finish()
            case .cancel: open = nil
            }
        }
        return strokes
    }

    /// The scatter of all strokes (``Pen/panelScatter``); nil if there are few samples.
    /// - Parameter density: of the page.
    public func panelScatter(density: PixelDensity) -> Double? {
        var scatter = ScatterHistory()
        for stroke in strokes { scatter.add(stroke, density: density) }
        return scatter.millimetres
    }

    /// Maps a recording to the page as a panel of that size would.
    /// - Parameters:
    ///   - name: of the recording, for errors.
    ///   - size: nil for 1280 wide with the proportions of the device, in millimetres if it states its resolution.
    /// - Throws: ``TouchError/unusable(path:name:reason:)`` for a device that cannot draw.
    public init(recording: Recording, name: String, size: PixelSize?) throws(TouchError) {
        let axes = recording.device.positionAxes
        let page = size ?? axes.map { Self.size(of: $0.x, $0.y) } ?? PixelSize(width: 0, height: 0)
        guard let axes, let mapping = PanelMapping(recording.device, panel: page) else {
            var reason = "cannot be read"
            if case .unusable(let found) = recording.device.kind { reason = found }
            throw .unusable(path: name, name: recording.device.name, reason: reason)
        }
        density = Self.density(of: page, axes.x, axes.y)
        var gate = ContactGate(mappings: [mapping])
        var contacts = PageContacts()
        events = recording.frames().flatMap { contacts.strokes(of: gate.update(with: $0, of: 0)) }
        self.size = page
        hasTimes = true
    }

    /// Places imported ink on a page.
    /// - Parameters:
    ///   - size: the page; nil for one that fits the ink with a margin. Ink left of or above it is then moved onto it.
    ///   - density: of the page, for ink in millimetres.
    ///   - keepsPlace: do not move the ink, nor scale ink of arbitrary units, even if some lies beside the page.
    /// - Throws: ``ImportError/pageTooLarge(_:)``.
    public init(
        _ ink: ImportedInk, size: PixelSize?, density: PixelDensity = .standard, keepsPlace: Bool = false
    ) throws(ImportError) {
        let placement = InkPlacement(of: ink, size: size, density: density, keepsPlace: keepsPlace)
        guard placement.page.isDrawable else { throw .pageTooLarge(placement.page) }
        let speed = Pen.referenceSpeed * density.pixelsPerMillimetre
        events = ink.strokes.flatMap { stroke in
            var samples = stroke.map { placement.apply($0) }
            if !ink.hasTimes { Self.drawEvenly(&samples, pixelsPerSecond: speed) }
            return samples.enumerated().map { $0 == 0 ? .begin($1) : .move($1) } + [StrokeEvent.end]
        }
        self.size = placement.page
        self.density = ink.unit == .millimetres ? density : nil
        // A lone point is a dot of a resting pen, with or without a time.
        hasTimes = ink.hasTimes || ink.strokes.allSatisfy { $0.count == 1 }
    }

    /// Gives samples the times of an even movement, which pens smooth and interpolate by.
    private static func drawEvenly(_ samples: inout [Sample], pixelsPerSecond speed: Double) {
        for index in samples.indices.dropFirst() {
            let before = samples[index - 1]
            let seconds = min(samples[index].position.distance(to: before.position) / speed, 3600)
            samples[index].time = before.time + .microseconds(Int64((seconds * 1_000_000).rounded()))
        }
    }

    private static func size(of x: AxisInfo, _ y: AxisInfo) -> PixelSize {
        let isMeasured = x.resolution > 0 && y.resolution > 0
        let proportion = isMeasured ? millimetres(y) / millimetres(x) : y.cellCount / x.cellCount
        let page = PixelSize(width: 1280, height: Int(max(min(1280 * proportion, 1e6).rounded(), 1)))
        // A square for devices with extreme proportions.
        return page.isDrawable ? page : PixelSize(width: 1280, height: 1280)
    }

    private static func density(of page: PixelSize, _ x: AxisInfo, _ y: AxisInfo) -> PixelDensity? {
        guard x.resolution > 0, y.resolution > 0 else { return nil }
        return PixelDensity(of: page, widthInMillimetres: millimetres(x), heightInMillimetres: millimetres(y))
    }

    /// - Parameter axis: states its resolution.
    private static func millimetres(_ axis: AxisInfo) -> Double { axis.cellCount / Double(axis.resolution) }
}

/// Scale and offset of imported ink, and the size of its page.
private struct InkPlacement {
    /// Margin around ink whose page is not known, in pixels.
    private static let margin = 20.0
    /// The longer side of the page for ink of unknown size, in pixels: 10 cm at the standard density, the width of a
    /// few words.
    private static let defaultSide = 600.0

    /// May be too large to be drawn.
    let page: PixelSize
    private let scale: Double
    private let offset: Point

    init(of ink: ImportedInk, size: PixelSize?, density: PixelDensity, keepsPlace: Bool) {
        var bounds = Rect.empty
        for sample in ink.strokes.joined() { bounds.include(sample.position) }
        // 0 for a single sample, and for no ink, whose box is inside out.
        let (width, height) = (max(bounds.maxX - bounds.minX, 0), max(bounds.maxY - bounds.minY, 0))
        let isFitted = ink.unit == .arbitrary && !keepsPlace
        switch ink.unit {
        case .millimetres: scale = density.pixelsPerMillimetre
        case .arbitrary where isFitted:
            func room(_ side: Int?) -> Double { max((side.map(Double.init) ?? Self.defaultSide) - 2 * Self.margin, 1) }
            let fitting = min(room(size?.width) / width, room(size?.height) / height)
            scale = fitting.isFinite ? fitting : 1
        case .arbitrary, .pixels: scale = 1
        }

        let scale = scale
        func shift(_ minimum: Double, _ length: Double, _ side: Int?) -> Double {
            let start = minimum * scale
            if keepsPlace || !start.isFinite { return 0 }
            if isFitted, let side { return (Double(side) - length * scale) / 2 - start }
            // Ink on a page of given size stays where it is.
            if side != nil { return 0 }
            switch ink.unit {
            case .arbitrary, .millimetres: return Self.margin - start
            // Only ink left of or above the page is moved.
            case .pixels: return start < 0 ? (Self.margin - start).rounded(.up) : 0
            }
        }
        let offset = Point(
            x: shift(bounds.minX, width, size?.width), y: shift(bounds.minY, height, size?.height))
        self.offset = offset
        // Without strokes the page is the margin alone.
        func side(_ maximum: Double, _ offset: Double) -> Int {
            Int(min(max(maximum * scale + offset, 0) + Self.margin, 1e9).rounded(.up))
        }
        page = size ?? PixelSize(width: side(bounds.maxX, offset.x), height: side(bounds.maxY, offset.y))
    }

    func apply(_ sample: Sample) -> Sample {
        var sample = sample
        sample.position = sample.position * scale + offset
        return sample
    }
}
