// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// The outlines of a page's strokes, kept for followers that come later.
struct MirrorOutlines {
    /// A signature has a few kilobytes.
    private static let strokeLimit = 2000
    private static let byteLimit = 1 << 20

    /// The outlines of finished strokes.
    private(set) var strokes: [String] = []
    private var byteCount = 0
    /// The stroke that is being drawn.
    private(set) var wet: (final: String, tail: String)?

    mutating func add(_ step: MirrorReply.Step) {
        if step.cancels == true {
            wet = nil
            return
        }
        let stroke = (wet?.final ?? "") + (step.final ?? "")
        wet = step.ends == true ? nil : (stroke, step.tail ?? "")
        guard wet == nil, strokes.count < Self.strokeLimit, byteCount + stroke.utf8.count <= Self.byteLimit else {
            return
        }
        strokes.append(stroke)
        byteCount += stroke.utf8.count
    }
}
