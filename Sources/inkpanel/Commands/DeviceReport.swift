// SPDX-License-Identifier: Apache-2.0
import Touch

/// The part of `inkpanel devices` about touch: each device, what it can do, and whether `run` would take it.
enum DeviceReport {
    static func lines(_ candidates: [DeviceFinder.Candidate], _ choice: DeviceFinder.Choice) -> [String] {
        if candidates.isEmpty { return ["  /dev/input has no event device"] }
        return zip(candidates, choice.reasons).flatMap { candidate, reason in
            let mark = choice.paths.contains(candidate.path) ? "* " : "  "
            return ["  " + mark + reason] + axes(of: candidate.device).map { "        " + $0 }
        }
    }

    private static func axes(of device: DeviceDescription?) -> [String] {
        guard let device, let axes = device.positionAxes else { return [] }
        let pressure = device.pressureAxis.map { "\($0.minimum)...\($0.maximum)" } ?? "not measured"
        return ["x: " + range(axes.x), "y: " + range(axes.y), "pressure: " + pressure]
    }

    private static func range(_ axis: AxisInfo) -> String {
        "\(axis.minimum)...\(axis.maximum), "
            + (axis.resolution > 0 ? "\(axis.resolution) units/mm" : "resolution not stated")
    }
}
