// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import Record
import Touch

/// Strokes read from a file, as events on a page of some size: an evemu recording or signature_pad's JSON.
struct StrokePage {
    let events: [StrokeEvent]
    let size: PixelSize
    /// Where the recording's device states its resolution and the page has its proportions: as if the page were as
    /// large as the device. Else nil.
    let density: PixelDensity?

    /// JSON with strokes is text; a day of signing is less.
    private static let maximumJSONBytes = 64 << 20
    /// Around ink whose page is not known, in pixels.
    private static let margin = 20.0

    /// - Parameters:
    ///   - size: the page; nil is chosen to fit.
    ///   - keepsPlace: strokes of JSON stay where they are, though some of their ink may be beside the page.
    init(reading path: String, size: PixelSize?, keepsPlace: Bool = false) throws {
        if try Self.isJSON(path) {
            try self.init(json: path, size: size, keepsPlace: keepsPlace)
        } else {
            try self.init(recording: try Recording(path: path), name: path, size: size)
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
        var owner = ContactOwner(mapping: mapping)
        events = recording.frames().flatMap { owner.update(with: $0) }.map(StrokeEvent.init)
        self.size = page
    }

    private init(json path: String, size: PixelSize?, keepsPlace: Bool) throws {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Self.maximumJSONBytes)
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let bytes else {
            throw CommandError.unusableInput("\(path) is larger than \(Self.maximumJSONBytes >> 20) MiB")
        }
        let strokes: [[Sample]]
        do throws(ImportError) {
            strokes = try SignaturePadJSON.decode(bytes)
        } catch {
            throw CommandError.unusableInput("\(path): \(error)")
        }
        var bounds = Rect.empty
        for sample in strokes.joined() { bounds.include(sample.position) }
        // Only ink that left its page at the left or the top is moved, and only when no page is given.
        func shift(_ minimum: Double) -> Double {
            !keepsPlace && size == nil && minimum < 0 ? (Self.margin - minimum).rounded(.up) : 0
        }
        let offset = Point(x: shift(bounds.minX), y: shift(bounds.minY))
        events = strokes.flatMap { stroke in
            stroke.enumerated().map { index, sample in
                var sample = sample
                sample.position = sample.position + offset
                return index == 0 ? .begin(sample) : .move(sample)
            } + [StrokeEvent.end]
        }
        // Without strokes the box is empty and the page is the margin alone.
        func side(_ maximum: Double) -> Int { Int((max(maximum, 0) + Self.margin).rounded(.up)) }
        let page = size ?? PixelSize(width: side(bounds.maxX + offset.x), height: side(bounds.maxY + offset.y))
        guard page.isDrawable else {
            throw CommandError.unusableInput(
                "\(path) needs a page of \(page) pixels, which is too large; name a --size")
        }
        self.size = page
        density = nil
    }

    /// signature_pad's data is an array; no line of a recording starts with a bracket or a brace.
    private static func isJSON(_ path: String) throws(CommandError) -> Bool {
        do throws(Errno) {
            // Some editors put a byte order mark before it.
            let start = try InputFile.readStart(of: path, byteCount: 4096).drop { [0xEF, 0xBB, 0xBF].contains($0) }
            let first = start.first { !($0 == 0x20 || 0x09...0x0D ~= $0) }
            return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        } catch {
            throw .cannotRead(path, error)
        }
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
