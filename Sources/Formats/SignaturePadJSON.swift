// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import JSON
public import Record

/// Writes a record for `fromData()` of szimek/signature_pad: CSS pixels from the corner of the signing area, which is
/// the canvas there, and milliseconds since 1970.
///
/// The look is signature_pad's default in the colour of the ink, because `fromData()` needs one. Each group of a record
/// that was not accepted has a member `outcome`, which `fromData()` ignores and `toData()` returns.
public enum SignaturePadJSONEncoder {
    /// A CSS pixel is 1/96 of 25.4 mm.
    private static let pixelsPerMillimetre = 96 / 25.4
    /// Decimals of a pixel: less than a micrometre.
    private static let decimals = 3
    /// The defaults of signature_pad 5, except for the colour.
    private static let look =
        "\"dotSize\":0,\"minWidth\":0.5,\"maxWidth\":2.5,\"velocityFilterWeight\":0.7,"
        + "\"compositeOperation\":\"source-over\""

    /// - Throws: ``ExportError/noPlaces``, ``ExportError/noSigningArea``, and
    ///   ``ExportError/inexpressible(format:what:)`` for a time beyond any calendar.
    public static func encode(_ record: CaptureRecord) throws(ExportError) -> [UInt8] {
        let plane = try CapturePlane(record.header)
        guard let area = plane.signingArea else { throw .noSigningArea }
        let strokes = record.visibleStrokes
        // Pixels stay pixels if their size is unknown.
        let scale = plane.density.map { pixelsPerMillimetre / $0.pixelsPerMillimetre } ?? 1
        func number(_ pixels: Double) -> String { DecimalText.text(pixels * scale, decimals: decimals) }

        let color = record.header.screen.penLook?.color == nil ? "black" : record.inkColor.hexText
        let outcome = record.isAccepted ? "" : "\"outcome\":\"\(record.outcome.rawValue)\","
        var groups: [String] = []
        for stroke in strokes where !stroke.samples.isEmpty {
            var points: [String] = []
            let pressureAxis = record.measuredPressure(of: stroke.device, in: strokes)
            for sample in stroke.samples {
                let (time, isTooLate) = record.header.startedAt.addingReportingOverflow(sample.microseconds)
                if isTooLate {
                    throw .inexpressible(format: "signature_pad JSON", what: "a time in it is out of range")
                }
                let place = try plane.position(sample, of: stroke.device)
                var point = "{\"time\":\(DecimalText.text(units: time, decimals: 3))"
                point += ",\"x\":\(number(place.x - area.minX)),\"y\":\(number(place.y - area.minY))"
                if let pressureAxis, let pressure = sample.pressure {
                    point += ",\"pressure\":\(DecimalText.text(pressureAxis.share(of: pressure), decimals: 6))"
                }
                points.append(point + "}")
            }
            groups.append("{\(outcome)\"penColor\":\"\(color)\",\(look),\"points\":[\(points.joined(separator: ","))]}")
        }
        return Array(("[" + groups.joined(separator: ",\n") + "]\n").utf8)
    }
}

/// Reads strokes from `toData()` of szimek/signature_pad. docs/formats.md says which versions and what is repaired.
public enum SignaturePadJSON {
    /// A list of points (1.6 to 2.3), or an object with the list (from 3).
    private struct Stroke: Decodable {
        var points: [Point?]

        private enum CodingKeys: CodingKey { case points }

        init(from decoder: any Decoder) throws {
            if let list = try? decoder.unkeyedContainer(), list.count != nil {
                points = try [Point?](from: decoder)
            } else {
                points = try decoder.container(keyedBy: CodingKeys.self).decode([Point?].self, forKey: .points)
            }
        }
    }

    private struct Point: Decodable {
        var time, x, y, pressure: Number?
    }

    /// A number; forms that were posted to a server have it as text.
    private struct Number: Decodable {
        var value: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                guard let value = Double(text), value.isFinite else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
                }
                self.value = value
            } else {
                value = try container.decode(Double.self)
            }
        }
    }

    /// More than a century; microseconds would overflow.
    private static let maximumMilliseconds = 4e12
    /// No page is this large, and later arithmetic stays exact.
    private static let maximumCoordinate = 1e6
    /// Times that are read as seconds, from 2001 on; as milliseconds they would be in spring 1970.
    private static let epochSeconds = 1e9...1e10
    /// The shortest median step that is read as milliseconds: 5,000 points a second, more than any browser reports.
    private static let shortestStep = 0.2

    /// - Returns: pixels. Strokes without points are left out.
    public static func decode(_ bytes: [UInt8]) throws(ImportError) -> ImportedInk {
        let strokes: [Stroke]
        do {
            // Some editors write a byte order mark.
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            strokes = try JSONValue(text).decode([Stroke].self)
        } catch let fault as JSONFault {
            throw .malformed(fault.description)
        } catch let error as DecodingError {
            throw .malformed(error.reason)
        } catch {
            throw .malformed("the file cannot be decoded (\(error))")
        }
        var ink = ImportedInk(unit: .pixels, strokes: [])
        var filePressures = MeasuredPressure()
        for point in strokes.lazy.flatMap(\.points) { filePressures.add(point?.pressure?.value) }
        let unit = isInSeconds(strokes) ? 1000.0 : 1
        ink.hasTimes = false
        for (number, stroke) in strokes.enumerated() {
            var points: [ImportedPoint] = []
            var pressures: [Double?] = []
            for (index, point) in stroke.points.enumerated() {
                guard let point, let x = point.x?.value, let y = point.y?.value else {
                    ink.leftOutCount += 1
                    continue
                }
                let time = point.time.map { $0.value * unit }
                guard abs(x) <= maximumCoordinate, abs(y) <= maximumCoordinate, abs(time ?? 0) <= maximumMilliseconds
                else {
                    throw .malformed("stroke \(number), point \(index) is out of range")
                }
                points.append(ImportedPoint(position: .init(x: x, y: y), milliseconds: time))
                pressures.append(filePressures.isMeasured ? point.pressure.map { min(max($0.value, 0), 1) } : nil)
            }
            if points.isEmpty { continue }
            if points.hasTimes { ink.hasTimes = true }
            ink.strokes.append(
                zip(points.samples(perSecond: nil), pressures).map { sample, pressure in
                    var sample = sample
                    sample.pressure = pressure
                    return sample
                })
        }
        if ink.leftOutCount > 0, ink.strokes.isEmpty {
            throw .malformed("none of its \(ink.leftOutCount) points has a position")
        }
        return ink
    }

    /// Whether the times of a file are seconds: some programs divide them before they store them.
    private static func isInSeconds(_ strokes: [Stroke]) -> Bool {
        let times = strokes.map { $0.points.compactMap { $0?.time?.value } }
        if let first = times.joined().first(where: { $0 != 0 }), epochSeconds.contains(abs(first)) { return true }
        let steps = times.flatMap { zip($0, $0.dropFirst()).map { $1 - $0 }.filter { $0 > 0 } }.sorted()
        return !steps.isEmpty && steps[steps.count / 2] < shortestStep
    }
}
