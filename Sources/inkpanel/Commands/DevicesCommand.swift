// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux
import Screen
import Touch

/// `inkpanel devices`: touch devices and screens, which of them `run` would use, and why.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List touch devices and screens, and which of them run would use.")

    @Flag(help: "Print nothing; exit with 0 if there is a touch device and a screen for run, else with 69.")
    var check = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if check, json { throw ValidationError("--check prints nothing; omit --json") }
    }

    func run() throws {
        try reportingErrors {
            let inventory = DisplayFinder().inventory()
            if check {
                // A missing device directory means no device.
                let candidates = (try? DeviceFinder.list()) ?? []
                // A screen that another program uses does not count.
                guard !DeviceFinder.choose(from: candidates).paths.isEmpty,
                    inventory.chosen?.card.isMaster == true
                else {
                    throw ExitCode(EX_UNAVAILABLE)
                }
                return
            }
            let place = ScreenPlace(isBuiltIn: inventory.isBuiltIn)
            if json {
                let all = Inventory(screens: inventory.screens, place)
                return try OutputFile.print(try JSONText.encode(all))
            }
            var lines = ["touch devices (* is used by run):"]
            do throws(TouchError) {
                let candidates = try DeviceFinder.list()
                lines += DeviceReport.lines(candidates, DeviceFinder.choose(from: candidates, for: place))
            } catch {
                lines.append("  " + error.message)
            }
            lines.append("screens (* is used by run):")
            lines += inventory.description.split(separator: "\n").map { "  " + $0 }
            let framebuffers = FramebufferList.descriptions()
            if !framebuffers.isEmpty {
                lines.append("framebuffer devices (used with --display fb:PATH only):")
                lines += framebuffers.map { "    " + $0 }
            }
            try OutputFile.print(lines.joined(separator: "\n") + "\n")
        }
    }
}

/// The output of `inkpanel devices --json`.
private struct Inventory: Encodable {
    struct Touch: Encodable {
        var path: String
        /// Missing if the device cannot be read.
        var name: String?
        var used: Bool
        /// Why it is used or not.
        var reason: String
        var x, y, pressure: Axis?
    }

    struct Axis: Encodable {
        var minimum, maximum: Int32
        /// Missing if not stated.
        var unitsPerMillimetre: Int32?

        init?(_ axis: AxisInfo?) {
            guard let axis else { return nil }
            (minimum, maximum) = (axis.minimum, axis.maximum)
            unitsPerMillimetre = axis.resolution > 0 ? axis.resolution : nil
        }
    }

    var touchDevices: [Touch] = []
    /// Why there is no list of touch devices.
    var touchError: String?
    /// Several touch screens fit.
    var touchWarning: String?
    var screens: [ScreenSummary]
    /// A line for each.
    var framebuffers = FramebufferList.descriptions()

    init(screens: [ScreenSummary], _ place: ScreenPlace) {
        self.screens = screens
        do throws(TouchError) {
            let candidates = try DeviceFinder.list()
            let choice = DeviceFinder.choose(from: candidates, for: place)
            touchWarning = choice.warning
            touchDevices = zip(candidates, choice.reasons).map { candidate, reason in
                let (device, axes) = (candidate.device, candidate.device?.positionAxes)
                return Touch(
                    path: candidate.path, name: device?.name, used: choice.paths.contains(candidate.path),
                    reason: reason, x: Axis(axes?.x), y: Axis(axes?.y), pressure: Axis(device?.pressureAxis))
            }
        } catch {
            touchError = error.message
        }
    }
}

/// The touch devices in the output of `inkpanel devices`.
enum DeviceReport {
    static func lines(_ candidates: [DeviceFinder.Candidate], _ choice: DeviceFinder.Choice) -> [String] {
        if candidates.isEmpty { return ["  /dev/input has no event device"] }
        let lines = zip(candidates, choice.reasons).flatMap { candidate, reason in
            let mark = choice.paths.contains(candidate.path) ? "* " : "  "
            return ["  " + mark + reason] + axes(of: candidate.device).map { "        " + $0 }
        }
        return lines + (choice.warning.map { ["  ! " + $0] } ?? [])
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
