// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import Ink
import Linux
import Record
import Touch

/// Strokes read from a file, as events on a page of some size: an evemu recording, signature_pad's JSON or InkML.
struct StrokePage {
    let events: [StrokeEvent]
    let size: PixelSize
    /// Where the recording's device states its resolution and the page has its proportions: as if the page were as
    /// large as the device. Of InkML in units of length, how they became pixels. Else nil.
    let density: PixelDensity?

    /// The samples of each finished stroke: what a canvas would have after all events.
    var strokes: [[Sample]] {
        var strokes: [[Sample]] = []
        // Without a stroke that has begun, a move is a stray one.
        var open: [Sample]?
        func finish() {
            if let samples = open, !samples.isEmpty { strokes.append(samples) }
            open = nil
        }
        for event in events {
            switch event {
            case .begin(let sample):
                finish()
                open = Canvas.takes(sample) ? [sample] : []
            case .move(let sample): if Canvas.takes(sample) { open?.append(sample) }
            case .end: finish()
            case .cancel: open = nil
            }
        }
        return strokes
    }

    /// - Parameters:
    ///   - size: the page; nil is chosen to fit.
    ///   - density: of the page, for ink whose size is stated in units of length.
    ///   - keepsPlace: strokes of JSON and InkML stay where they are, though some of their ink may be beside the page.
    init(
        reading path: String, size: PixelSize?, density: PixelDensity = .standard, keepsPlace: Bool = false
    ) throws {
        switch try StrokeFile(path) {
        case .recording:
            try self.init(recording: try Recording(path: path), name: path, size: size)
        case .ink(let ink):
            try self.init(ink: ink, name: path, size: size, density: density, keepsPlace: keepsPlace)
        }
    }

    /// - Parameters:
    ///   - recording: mapped to the page as it would be to a panel of that size.
    ///   - size: nil is 1280 wide with the proportions of the device, measured where it says its resolution.
    init(recording: Recording, name: String, size: PixelSize?) throws {
        guard let axes = recording.device.positionAxes else {
            throw TouchError.unusable(path: name, device: recording.device)
        }
        let page = size ?? Self.size(of: axes.x, axes.y)
        guard let mapping = PanelMapping(recording.device, panel: page) else {
            throw TouchError.unusable(path: name, device: recording.device)
        }
        density = Self.density(of: page, axes.x, axes.y)
        var gate = ContactGate(mappings: [mapping])
        var owner = ContactOwner()
        events = recording.frames().flatMap { owner.update(with: gate.update(with: $0, of: 0)) }.map(StrokeEvent.init)
        self.size = page
    }

    private init(ink: ImportedInk, name: String, size: PixelSize?, density: PixelDensity, keepsPlace: Bool) throws {
        let placement = InkPlacement(of: ink, size: size, density: density, keepsPlace: keepsPlace)
        guard placement.page.isDrawable else {
            throw CommandError.unusableInput(
                "\(name) needs a page of \(placement.page) pixels, which is too large; name a --size")
        }
        events = ink.strokes.flatMap { stroke in
            stroke.enumerated().map { index, sample in
                let sample = placement.apply(sample)
                return index == 0 ? .begin(sample) : .move(sample)
            } + [StrokeEvent.end]
        }
        self.size = placement.page
        self.density = ink.unit == .millimetres ? density : nil
    }

    private static func size(of x: AxisInfo, _ y: AxisInfo) -> PixelSize {
        let isMeasured = x.resolution > 0 && y.resolution > 0
        let proportion = isMeasured ? millimetres(y) / millimetres(x) : cells(y) / cells(x)
        let page = PixelSize(width: 1280, height: Int(max(min(1280 * proportion, 1e6).rounded(), 1)))
        // A strip of a device: its proportions do not matter.
        return page.isDrawable ? page : PixelSize(width: 1280, height: 1280)
    }

    private static func density(of page: PixelSize, _ x: AxisInfo, _ y: AxisInfo) -> PixelDensity? {
        guard x.resolution > 0, y.resolution > 0 else { return nil }
        return PixelDensity(of: page, widthInMillimetres: millimetres(x), heightInMillimetres: millimetres(y))
    }

    private static func cells(_ axis: AxisInfo) -> Double { Double(axis.maximum) - Double(axis.minimum) + 1 }

    /// Of an axis that states its resolution.
    private static func millimetres(_ axis: AxisInfo) -> Double { cells(axis) / Double(axis.resolution) }
}
