// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// Strokes to write on a page. One unit is the width of the whole; y is 0 on the writing line and grows downwards.
struct Signature {
    struct Sample {
        var time: Timestamp
        var place: Point
    }
    var strokes: [[Sample]] = []
    /// The heights above and below the writing line.
    var ascent: Double { strokes.joined().map { -$0.place.y }.max() ?? 1 }
    var descent: Double { strokes.joined().map(\.place.y).max() ?? 1 }

    /// Too little to be accepted.
    static let dash: Signature = {
        var signature = Signature()
        signature.strokes = [
            [0.4, 0.42, 0.44].enumerated().map {
                Sample(time: .zero + .milliseconds(8 * $0.offset), place: Point(x: $0.element, y: -0.1))
            }
        ]
        return signature
    }()

    private init() {}

    /// The writing line is the middle of the recording's height.
    init(_ recording: Recording) {
        guard var tracker = SlotTracker(recording.device.kind), let axes = recording.device.positionAxes else { return }
        var player = RecordingPlayer(recording, from: .zero, pace: .immediate)
        while let report = player.next() {
            for frame in report.compactMap({ tracker.update(with: $0) }) {
                for contact in frame.contacts {
                    if [.began, .resumed].contains(contact.phase) { strokes.append([]) }
                    guard !strokes.isEmpty else { continue }
                    let place = Point(x: Double(contact.reading.x), y: Double(contact.reading.y))
                    strokes[strokes.count - 1].append(Sample(time: frame.time, place: place))
                }
            }
        }
        let xs = strokes.joined().map(\.place.x)
        guard let left = xs.min(), let right = xs.max(), right > left else { return }
        let line = (Double(axes.y.minimum) + Double(axes.y.maximum)) / 2
        for stroke in strokes.indices {
            for sample in strokes[stroke].indices {
                let place = strokes[stroke][sample].place
                strokes[stroke][sample].place = Point(
                    x: (place.x - left) / (right - left), y: (place.y - line) / (right - left))
            }
        }
    }
}
