// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Record

/// A record as the `toData()` of szimek/signature_pad, for its `fromData()`: in CSS pixels from the corner of the
/// signing area, which is the canvas there, and milliseconds since 1970.
///
/// The look is signature_pad's own standard in the colour that the ink had, stated, since `fromData()` wants one: this
/// format has no other pens. Each group of a record that was not accepted has a member `outcome`, which `fromData()`
/// passes over and `toData()` gives back.
public enum SignaturePadJSONEncoder {
    /// A CSS pixel is 1/96 of 25.4 mm.
    private static let pixelsPerMillimetre = 96 / 25.4
    /// Of a pixel: under a micrometre.
    private static let decimals = 3
    /// signature_pad 5's defaults, but for the colour.
    private static let look =
        "\"dotSize\":0,\"minWidth\":0.5,\"maxWidth\":2.5,\"velocityFilterWeight\":0.7,"
        + "\"compositeOperation\":\"source-over\""

    /// - Throws: ``ExportError/noPlaces``, ``ExportError/noSigningArea``, and
    ///   ``ExportError/inexpressible(format:what:)`` for a time beyond any calendar.
    public static func encode(
        _ record: CaptureRecord, strokes selection: StrokeSelection = .visible
    ) throws(ExportError) -> [UInt8] {
        let plane = try CapturePlane(record.header)
        guard let area = plane.signingArea else { throw .noSigningArea }
        let strokes = record.strokes(selection)
        // Pixels stay pixels where nobody knows their size.
        let scale = plane.density.map { pixelsPerMillimetre / $0.pixelsPerMillimetre } ?? 1
        func number(_ pixels: Double) -> String { DecimalText.text(pixels * scale, decimals: decimals) }

        let color = record.header.screen.penLook?.color == nil ? "black" : record.inkColor.hexText
        let outcome = record.isAccepted ? "" : "\"outcome\":\"\(record.outcome)\","
        var groups: [String] = []
        for stroke in strokes where !stroke.samples.isEmpty {
            var points: [String] = []
            let pressureAxis = record.measuredPressure(of: stroke.device, in: strokes)
            for sample in stroke.samples {
                let (time, isTooLate) = record.header.startedAt.addingReportingOverflow(sample.microseconds)
                if isTooLate {
                    throw .inexpressible(format: "signature_pad JSON", what: "a time in it is beyond any calendar")
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
