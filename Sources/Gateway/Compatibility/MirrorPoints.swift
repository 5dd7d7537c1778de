// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HostAPI
import JSON

/// Points of the ink while somebody signs, made of the mirror's outlines: at its pace and without pressure, so that
/// nobody can forge a signature with them.
struct MirrorPoints {
    /// Points of a stroke's middle, in pixels of a page of this size.
    struct Batch: Equatable, Sendable {
        var points: [Point] = []
        /// Whether the first point begins a stroke.
        var startsStroke = false
    }

    struct Point: Equatable, Sendable {
        var x, y: Int
    }

    /// Sixteenths of a pixel.
    private static let unit = 16
    /// Pixels between two points.
    private static let step = 3
    /// Numbers of a contour that are read.
    private static let numberLimit = 4096

    private var isInStroke = false

    /// - Parameter event: of the mirror, with its name and its data.
    /// - Returns: nil if it has no new points.
    mutating func batch(of event: Data) -> Batch? {
        let lines = event.split(separator: UInt8(ascii: "\n"))
        guard let name = Self.value("event: ", in: lines), let data = Self.value("data: ", in: lines) else {
            return nil
        }
        switch String(decoding: name, as: UTF8.self) {
        case "ink", "stroke":
            guard let final = (try? JSONValue(data))?["final"]?.text else { return nil }
            let points = Self.middle(of: final)
            let batch = Batch(points: points, startsStroke: !isInStroke)
            isInStroke = name.first == UInt8(ascii: "i") && (isInStroke || !points.isEmpty)
            return points.isEmpty ? nil : batch
        case "snapshot", "resync", "cancel":
            isInStroke = false
            return nil
        default: return nil
        }
    }

    private static func value(_ prefix: String, in lines: [Data.SubSequence]) -> Data? {
        let prefix = Array(prefix.utf8)
        return lines.first { $0.starts(with: prefix) }.map { Data($0.dropFirst(prefix.count)) }
    }

    /// The line in the middle of the outlines. A contour goes along one side of a piece of a stroke, and back along the
    /// other, so its middle is half way between the points that are as far from its start.
    static func middle(of path: String) -> [Point] {
        var points: [Point] = []
        for contour in path.utf8.split(separator: UInt8(ascii: "M")) {
            let corners = corners(of: contour)
            for index in 0..<(corners.count + 1) / 2 {
                let (one, other) = (corners[index], corners[(corners.count - index) % corners.count])
                let point = Point(x: (one.x + other.x) / 2 / unit, y: (one.y + other.y) / 2 / unit)
                if let last = points.last, abs(last.x - point.x) < step, abs(last.y - point.y) < step { continue }
                points.append(point)
            }
        }
        return points
    }

    /// The corners of `x y l dx dy … z`, in units.
    private static func corners(of contour: Substring.UTF8View) -> [Point] {
        var numbers: [Int] = []
        var number: Int?
        var isNegative = false
        func close() {
            if let value = number { numbers.append(isNegative ? -value : value) }
            (number, isNegative) = (nil, false)
        }
        for byte in contour where numbers.count < numberLimit {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), 1 << 30)
            case UInt8(ascii: "-"):
                close()
                isNegative = true
            default: close()
            }
        }
        close()
        var corners: [Point] = []
        var place = Point(x: 0, y: 0)
        for index in stride(from: 0, to: numbers.count - 1, by: 2) {
            place = Point(x: place.x + numbers[index], y: place.y + numbers[index + 1])
            corners.append(place)
        }
        return corners
    }
}

extension CompatiblePad {
    /// Reports points of a capture until it or the right ends. There are none unless the panel's configuration and the
    /// bearer's scopes allow the mirror's level `ink`.
    func points(
        of id: CaptureID, until end: BearerEnd, _ report: @Sendable (MirrorPoints.Batch) async -> Void
    ) async {
        guard end.bearer.allows(.mirrorInk),
            let response = try? await mirror[.ink].follow(until: end, access: { $0 == id ? .page : nil }),
            case .httpBody(let events) = response.payload
        else { return }
        var points = MirrorPoints()
        do {
            for try await event in events {
                if Task.isCancelled { return }
                if let batch = points.batch(of: event) { await report(batch) }
            }
        } catch {
            // The mirror has ended.
        }
    }
}
