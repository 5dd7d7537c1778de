// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension StrokeInk {
    /// Pieces in a row that are of one tone: what is filled together. Runs are filled in order, each over those before.
    public struct Run: Sendable {
        public fileprivate(set) var tone: Tone?
        /// Where it begins and ends in ``StrokeInk/outline``.
        public fileprivate(set) var start: Path.Mark
        public fileprivate(set) var end: Path.Mark
        public fileprivate(set) var bounds: Rect
    }

    /// All runs; one, or none without ink, when no piece has a tone.
    public var runs: [Run] {
        var runs: [Run] = []
        for piece in pieces {
            if piece.run == runs.count {
                runs.append(Run(tone: piece.tone, start: piece.start, end: piece.end, bounds: piece.bounds))
            } else {
                runs[runs.count - 1].end = piece.end
                runs[runs.count - 1].bounds = runs[runs.count - 1].bounds.union(piece.bounds)
            }
        }
        return runs
    }
}
