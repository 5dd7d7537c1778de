// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
public import Record

/// Writes a record as W3C InkML (Recommendation of 20 September 2011): a trace per stroke, a trace of type penUp per
/// movement in the air, an ink source and a context per device, explicit values, times from one timestamp.
/// docs/formats.md has details.
public enum InkMLEncoder {
    /// Decimals of a millimetre: 0.1 um, a hundredth of the finest digitizer's step.
    private static let placeDecimals = 4

    /// - Throws: ``ExportError/noPlaces``.
    public static func encode(_ record: CaptureRecord) throws(ExportError) -> [UInt8] {
        let strokes = record.visibleStrokes
        let traces = record.traces
        let plane = try CapturePlane(record.header)
        let pressures = record.header.devices.indices.map { record.measuredPressure(of: $0, in: strokes) }
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ink xmlns="http://www.w3.org/2003/InkML">
            <definitions>
            <timestamp xml:id="ts0" timeString="\(TimestampText.text(microseconds: record.header.startedAt))"/>

            """
        for (device, pressure) in pressures.enumerated() {
            text += try source(record, device, plane, pressure, traces)
        }
        for number in pressures.indices.map({ $0 + 1 }) {
            text += "<context xml:id=\"c\(number)\" inkSourceRef=\"#d\(number)\" timestampRef=\"#ts0\"/>\n"
        }
        text += "</definitions>\n"
        for (type, value) in annotations(record) {
            text += "<annotation type=\"\(XMLText.escaped(type))\">\(XMLText.escaped(value))</annotation>\n"
        }
        for trace in traces {
            let hasForce = pressures.indices.contains(trace.device) && pressures[trace.device] != nil
            text += try element(trace, hasForce: hasForce, plane)
        }
        return Array((text + "</ink>\n").utf8)
    }

    /// A trace; empty without samples.
    private static func element(
        _ trace: CaptureTrace, hasForce: Bool, _ plane: CapturePlane
    ) throws(ExportError) -> String {
        let samples = trace.samples
        if samples.isEmpty { return "" }
        var points: [String] = []
        points.reserveCapacity(samples.count)
        for sample in samples {
            let place = try plane.position(sample, of: trace.device)
            var point = number(place.x, plane) + " " + number(place.y, plane)
            // "?" marks a missing value.
            if hasForce { point += " " + (sample.pressure.map { "\($0)" } ?? "?") }
            points.append(point + " " + DecimalText.text(units: sample.microseconds, decimals: 3))
        }
        let type = trace.isDown ? "" : " type=\"penUp\""
        return "<trace\(type) contextRef=\"#c\(trace.device + 1)\">" + points.joined(separator: ",") + "</trace>\n"
    }

    private static func source(
        _ record: CaptureRecord, _ index: Int, _ plane: CapturePlane, _ pressure: CaptureDevice.Axis?,
        _ traces: [CaptureTrace]
    ) throws(ExportError) -> String {
        let device = record.header.devices[index]
        let units = plane.density == nil ? "px" : "mm"
        let range = try range(of: device, index, plane, traces)
        func channel(_ name: String, _ minimum: Double, _ maximum: Double) -> String {
            "<channel name=\"\(name)\" type=\"decimal\" units=\"\(units)\" min=\"\(number(minimum, plane))\""
                + " max=\"\(number(maximum, plane))\"/>\n"
        }
        var text = "<inkSource xml:id=\"d\(index + 1)\" model=\"\(XMLText.escaped(device.name))\">\n<traceFormat>\n"
        text += channel("X", range.minX, range.maxX) + channel("Y", range.minY, range.maxY)
        if let pressure {
            text += "<channel name=\"F\" type=\"integer\" units=\"dev\" min=\"\(pressure.minimum)\""
            text += " max=\"\(pressure.maximum)\"/>\n"
        }
        text += "<channel name=\"T\" type=\"decimal\" units=\"ms\" respectTo=\"#ts0\"/>\n</traceFormat>\n"
        // The rate of the record is that of all devices together.
        let isAlone = record.entries.allSatisfy { entry in
            if case .stroke(let stroke) = entry { stroke.device == index } else { true }
        }
        if isAlone, let rate = record.end?.quality.reportRate, rate.isFinite, rate > 0 {
            text += "<sampleRate uniform=\"false\" value=\"\(DecimalText.text(rate, decimals: 3))\"/>\n"
        }
        return text + "</inkSource>\n"
    }

    /// The range of the device and of its samples, in pixels.
    private static func range(
        of device: CaptureDevice, _ index: Int, _ plane: CapturePlane, _ traces: [CaptureTrace]
    ) throws(ExportError) -> Rect {
        var range = Rect.empty
        for x in [device.x.minimum, device.x.maximum] {
            for y in [device.y.minimum, device.y.maximum] {
                range.include(try plane.position(x: x, y: y, of: index))
            }
        }
        for trace in traces where trace.device == index {
            for sample in trace.samples { range.include(try plane.position(sample, of: index)) }
        }
        return range
    }

    private static func number(_ pixels: Double, _ plane: CapturePlane) -> String {
        let scale = plane.density?.pixelsPerMillimetre ?? 1
        return DecimalText.text(pixels / scale, decimals: placeDecimals)
    }

    /// InkML leaves the types open; other signature pads write "signatory", too.
    private static func annotations(_ record: CaptureRecord) -> [(type: String, value: String)] {
        let request = record.header.request
        let prompt = request.prompt.isEmpty ? nil : request.prompt.joined(separator: "\n")
        let all: [(String, String?)] = [
            ("captureId", record.header.id), ("program", record.header.program), ("panel", record.header.panel),
            ("startedAt", TimestampText.text(microseconds: record.header.startedAt)),
            ("endedAt", record.end.map { TimestampText.text(microseconds: $0.endedAt) }),
            ("signatory", request.signer),
            ("reason", request.reason), ("operator", request.operator), ("prompt", prompt),
            ("documentReference", request.document?.reference), ("documentSHA256", request.document?.sha256),
            ("outcome", record.outcome.rawValue),
        ]
        return all.compactMap { type, value in value.map { (type, $0) } }
            + (request.rows ?? []).map { ("row." + $0.label, $0.value) }
            + record.dataEntries.map { ("data." + $0.key, $0.value) }
    }
}
