// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry
public import Ink
import Record

/// Strokes from szimek/signature_pad's `toData()`:
/// `[{"points":[{"time":ms,"x":px,"y":px,"pressure":p}, …], …}, …]`; other keys are ignored.
public enum SignaturePadJSON {
    private struct Group: Decodable { let points: [Point] }

    private struct Point: Decodable {
        let time: Double?
        let x, y: Double
        let pressure: Double?
    }

    /// Beyond a century of milliseconds there is no time of a stroke, and microseconds would overflow.
    private static let maximumMilliseconds = 4e12
    /// No page is this large; a bound keeps later arithmetic exact.
    private static let maximumCoordinate = 1e6

    /// - Returns: the samples of each stroke, strokes without points left out.
    public static func decode(_ bytes: [UInt8]) throws(ImportError) -> [[Sample]] {
        let groups: [Group]
        do {
            // JSONDecoder takes no byte order mark, which some editors write.
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

    /// Browsers report a constant for hardware without pressure (0.5 while pressed, 0 otherwise; W3C Pointer Events),
    /// and an invented pressure must not shape ink: only one that varies was measured.
    private static func hasMeasuredPressure(_ groups: [Group]) -> Bool {
        let values = groups.lazy.flatMap(\.points).map(\.pressure)
        guard let first = values.first else { return false }
        return values.contains { $0 != first }
    }
}
