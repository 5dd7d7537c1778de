// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry
public import Ink
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

/// Reads strokes from `toData()` of szimek/signature_pad:
/// `[{"points":[{"time":ms,"x":px,"y":px,"pressure":p}, …], …}, …]`; ignores other keys.
public enum SignaturePadJSON {
    private struct Group: Decodable { let points: [Point] }

    private struct Point: Decodable {
        let time: Double?
        let x, y: Double
        let pressure: Double?
    }

    /// More than a century; microseconds would overflow.
    private static let maximumMilliseconds = 4e12
    /// No page is this large, and later arithmetic stays exact.
    private static let maximumCoordinate = 1e6

    /// - Returns: the samples of each stroke that has points.
    public static func decode(_ bytes: [UInt8]) throws(ImportError) -> [[Sample]] {
        let groups: [Group]
        do {
            // Some editors write a byte order mark, which JSONDecoder refuses.
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            groups = try CheckedJSON.decode([Group].self, from: Data(text))
        } catch let error as DecodingError {
            throw .malformed(error.reason)
        } catch {
            throw .malformed("the file cannot be decoded (\(error))")
        }
        let isPressureMeasured = hasMeasuredPressure(groups)
        var strokes: [[Sample]] = []
        for (groupIndex, group) in groups.enumerated() {
            var stroke: [Sample] = []
            for (index, point) in group.points.enumerated() {
                let time = point.time ?? 0
                guard abs(point.x) <= maximumCoordinate, abs(point.y) <= maximumCoordinate,
                    abs(time) <= maximumMilliseconds
                else {
                    throw .malformed("stroke \(groupIndex), point \(index) is out of range")
                }
                stroke.append(Sample(
                    microseconds: Int64((time * 1000).rounded()), position: .init(x: point.x, y: point.y),
                    pressure: isPressureMeasured ? point.pressure.map { min(max($0, 0), 1) } : nil))
            }
            if !stroke.isEmpty { strokes.append(stroke) }
        }
        return strokes
    }

    /// Only a pressure that varies was measured: browsers report a constant for hardware without pressure (0.5 while
    /// pressed, 0 otherwise; W3C Pointer Events).
    private static func hasMeasuredPressure(_ groups: [Group]) -> Bool {
        let values = groups.lazy.flatMap(\.points).map(\.pressure)
        guard let first = values.first else { return false }
        return values.contains { $0 != first }
    }
}
