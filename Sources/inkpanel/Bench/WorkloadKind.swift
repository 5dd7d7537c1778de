// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The kinds of ink that a rasterizer has to fill, each with a generated workload of its own.
enum WorkloadKind: String, CaseIterable {
    /// What a report adds to a signature: pieces 5 to 40 px long, 2 to 6 px wide, one fill each.
    case signature
    /// The strokes of ``redraw`` in pieces of 2 to 4 px, one fill each.
    case quads
    /// All strokes of a page, 1.5 to 6 px wide.
    case redraw
    /// Scribbles 40 to 200 px wide.
    case big
    /// Thin scribbles, 0.7 to 1.5 px wide.
    case hair

    var page: PixelSize {
        switch self {
        case .signature: PixelSize(width: 800, height: 480)
        case .quads, .redraw: PixelSize(width: 1920, height: 1080)
        case .big, .hair: PixelSize(width: 3840, height: 2160)
        }
    }

    /// Scribbles, not fills: one of ``quads`` is 199 fills.
    var scribbleCount: Int {
        switch self {
        case .signature: 600
        case .quads, .redraw: 200
        case .big: 50
        case .hair: 2000
        }
    }

    /// Strokes and their pieces are of the same scribbles.
    var seed: UInt64 {
        switch self {
        case .signature: 1
        case .quads, .redraw: 2
        case .big: 3
        case .hair: 4
        }
    }

    func style(_ random: inout SplitMix64) -> Scribble.Style {
        switch self {
        case .signature:
            // Squared: short pieces are more frequent than long ones.
            let root = random.number(in: 0...1)
            let length = 5 + 35 * root * root
            let pieces = (length / 3.4).rounded()
            let step = length / pieces
            return .init(nodeCount: Int(pieces) + 1, step: step...step, width: 2...6, radius: 8, reach: 100)
        case .quads, .redraw: return .init(nodeCount: 399, step: 0.9...1.7, width: 1.5...6, radius: 8, reach: 24)
        case .big: return .init(nodeCount: 930, step: 3...5, width: 40...200, radius: 100, reach: 200)
        case .hair: return .init(nodeCount: 254, step: 1.5...2.5, width: 0.7...1.5, radius: 10, reach: 40)
        }
    }
}
