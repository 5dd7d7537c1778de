// SPDX-License-Identifier: Apache-2.0
import Pad
import Control
import Glibc
import Linux

/// What happens during a capture, for whoever watches the command: a line for each change, on a terminal only.
struct ProgressLines {
    private let log: Log?
    private var last: String?

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) { log = isTerminal ? Log() : nil }

    mutating func tell(_ progress: CaptureProgress) {
        let line = Self.line(progress)
        if line == last { return }
        last = line
        log?.notice(line)
    }

    static func line(_ progress: CaptureProgress) -> String {
        switch progress.state {
        case .waiting: "waiting for the panel to be free (\(progress.id))"
        case .signing where progress.strokes == 0: "waiting for the signature (\(progress.id))"
        case .signing: "signing: \(progress.strokes) \(progress.strokes == 1 ? "stroke" : "strokes")"
        case .refused(let refusal): "not taken for a signature: \(reason(refusal))"
        case .saving: "accepted; storing it"
        }
    }

    private static func reason(_ refusal: Refusal) -> String {
        func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        return switch refusal {
        case .noInk: "there is no ink"
        case .fewStrokes(let count, let minimum): "\(count) strokes of \(minimum)"
        case .fewSamples(let count, let minimum): "\(count) reports of \(minimum)"
        case .short(let length, let minimum): "\(rounded(length)) mm of line, \(rounded(minimum)) are asked for"
        case .small(let length, let minimum): "\(rounded(length)) mm large, \(rounded(minimum)) are asked for"
        case .straight(let length, let minimum): "\(rounded(length)) mm broad, \(rounded(minimum)) are asked for"
        case .quick(let time, let minimum): "drawn in \(time / 1000) ms, \(minimum / 1000) are asked for"
        }
    }
}
