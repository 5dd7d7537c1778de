// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A record as comma-separated values (RFC 4180, with a header line, lines end with CR LF, UTF-8), one row a sample:
///
/// | column | |
/// |---|---|
/// | `stroke` | number of the stroke, from 1 |
/// | `time_us` | microseconds after the start of the capture, by the device's clock |
/// | `x`, `y` | device units, as reported |
/// | `pressure` | device units, as reported; empty where none was measured |
/// | `x_mm`, `y_mm` | place on the screen in millimetres, y down; empty where the screen's size is not known |
/// | `pen` | the pen that the screen showed the stroke with |
/// | `device` | number of the device that drew the stroke, from 1 |
public enum CSVEncoder {
    private static let header = "stroke,time_us,x,y,pressure,x_mm,y_mm,pen,device"
    /// A tenth of a micrometre, as in InkML.
    private static let placeDecimals = 4

    /// - Throws: ``ExportError/noPlaces``.
    public static func encode(
        _ record: CaptureRecord, strokes selection: StrokeSelection = .visible
    ) throws(ExportError) -> [UInt8] {
        let plane = try CapturePlane(record.header)
        var text = header + "\r\n"
        for (index, stroke) in record.strokes(selection).enumerated() {
            let pen = quoted(stroke.pen)
            let isPressureMeasured = record.device(of: stroke)?.pressure != nil
            for sample in stroke.samples {
                let pressure = isPressureMeasured ? sample.pressure.map { "\($0)" } ?? "" : ""
                text += "\(index + 1),\(sample.microseconds),\(sample.x),\(sample.y),\(pressure),"
                let place = try plane.position(sample, of: stroke.device)
                if let density = plane.density {
                    let perMillimetre = density.pixelsPerMillimetre
                    text += DecimalText.text(place.x / perMillimetre, decimals: placeDecimals) + ","
                    text += DecimalText.text(place.y / perMillimetre, decimals: placeDecimals)
                } else {
                    text += ","
                }
                text += ",\(pen),\(stroke.device + 1)\r\n"
            }
        }
        return Array(text.utf8)
    }

    private static func quoted(_ field: String) -> String {
        // By scalar: CR LF is one character.
        let special: [Unicode.Scalar] = [",", "\"", "\r", "\n"]
        guard field.unicodeScalars.contains(where: special.contains) else { return field }
        var text = "\""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
