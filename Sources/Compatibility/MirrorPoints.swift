// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI

/// Points of the ink while somebody signs, made of the mirror's outlines: at its pace and without pressure, so that
/// nobody can forge a signature with them.
struct MirrorPoints {
    /// Points of a stroke's middle, in pixels of the page.
    struct Batch: Equatable, Sendable {
        var points: [Point] = []
        /// Whether the first point begins a stroke.
        var startsStroke = false
    }

    /// Pixels between two points.
    private static let step = 3.0

    private var isInStroke = false

    /// - Returns: nil if the step has no new points.
    mutating func batch(of step: MirrorReply.Step) -> Batch? {
        if step.cancels == true {
            isInStroke = false
            return nil
        }
        let points = Self.middle(of: step.final ?? "")
        let batch = Batch(points: points, startsStroke: !isInStroke)
        isInStroke = step.ends != true && (isInStroke || !points.isEmpty)
        return points.isEmpty ? nil : batch
    }

    /// The line in the middle of the outlines. A contour goes along one side of a piece of a stroke, and back along the
    /// other, so its middle is half way between the points that are as far from its start.
    static func middle(of path: String) -> [Point] {
        var points: [Point] = []
        for corners in MirrorPath(path).contours {
            for index in 0..<(corners.count + 1) / 2 {
                let point = (corners[index] + corners[(corners.count - index) % corners.count]) * 0.5
                if let last = points.last, abs(last.x - point.x) < step, abs(last.y - point.y) < step { continue }
                points.append(point)
            }
        }
        return points
    }
}

extension CompatiblePad {
    /// The ink of a capture, step by step, until the right ends: nothing unless the panel's configuration and the
    /// bearer's scopes allow the mirror's level `ink`.
    func steps(of id: CaptureID, until end: BearerEnd) async -> AsyncStream<MirrorReply.Step> {
        guard end.bearer.allows(.mirrorInk), let steps = try? await mirror[.ink].steps(of: id, until: end) else {
            return AsyncStream { $0.finish() }
        }
        return steps
    }
}
