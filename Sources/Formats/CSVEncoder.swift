// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
public import Record

/// Writes a record as comma-separated values (RFC 4180, UTF-8, with a header line and CR LF), one row per sample:
///
/// | column | |
/// |---|---|
/// | `stroke` | number of the stroke, from 1; 0 for movement in the air |
/// | `time_us` | microseconds after the start of the capture, by the device's clock |
/// | `x`, `y` | device units, as reported |
/// | `pressure` | device units, as reported; empty if none was measured |
/// | `x_mm`, `y_mm` | position on the screen in millimetres, y down; empty if the size of the screen is unknown |
/// | `pen` | the pen that the screen showed the stroke with; empty for movement in the air |
/// | `device` | number of the device, from 1 |
/// | `tip` | 1 on the page, 0 in the air |
/// | `distance` | device units, as reported; empty on the page, and if the device does not report it |
/// | `outcome` | of the capture, the same in each row: `accepted`, `cancelled`, `timedOut` or `interrupted` |
public enum CSVEncoder {
    private static let header = "stroke,time_us,x,y,pressure,x_mm,y_mm,pen,device,tip,distance,outcome"
    /// A tenth of a micrometre, as in InkML.
    private static let placeDecimals = 4

    /// - Throws: ``ExportError/noPlaces``.
    public static func encode(_ record: CaptureRecord) throws(ExportError) -> [UInt8] {
        let plane = try CapturePlane(record.header)
        var text = header + "\r\n"
        let outcome = ",\(record.outcome.rawValue)\r\n"
        var number = 0
        let strokes = record.visibleStrokes
        let areMeasured = record.header.devices.indices.map { record.measuredPressure(of: $0, in: strokes) != nil }
        for trace in record.traces {
            switch trace {
            case .stroke(let stroke):
                number += 1
                let isPressureMeasured = areMeasured.indices.contains(stroke.device) && areMeasured[stroke.device]
                let end = ",\(quoted(stroke.pen)),\(stroke.device + 1),1," + outcome
                for sample in stroke.samples {
                    let pressure = isPressureMeasured ? sample.pressure.map { "\($0)" } ?? "" : ""
                    text += "\(number),\(sample.microseconds),\(sample.x),\(sample.y),\(pressure),"
                    text += millimetres(try plane.position(sample, of: stroke.device), plane) + end
                }
            case .inAir(let movement):
                for sample in movement.samples {
                    text += "0,\(sample.microseconds),\(sample.x),\(sample.y),,"
                    text += millimetres(try plane.position(x: sample.x, y: sample.y, of: movement.device), plane)
                    text += ",,\(movement.device + 1),0,\(sample.distance.map { "\($0)" } ?? "")" + outcome
                }
            }
        }
        return Array(text.utf8)
    }

    /// The fields x_mm and y_mm.
    private static func millimetres(_ place: Point, _ plane: CapturePlane) -> String {
        guard let scale = plane.density?.pixelsPerMillimetre else { return "," }
        return DecimalText.text(place.x / scale, decimals: placeDecimals) + ","
            + DecimalText.text(place.y / scale, decimals: placeDecimals)
    }

    private static func quoted(_ field: String) -> String {
        // Compares scalars, because CR LF is one character.
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
