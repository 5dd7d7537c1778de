// SPDX-License-Identifier: Apache-2.0
package import Geometry
package import Linux

/// The panel's touch devices, numbered from 0. A device that returns, under any path, gets its number again, so that
/// the device numbers in a record stay valid.
///
/// Never blocks. Times are on ``MonotonicClock``. For the main thread.
package final class TouchDevices {
    package struct Device {
        package let description: DeviceDescription
        /// udev's calibration, or nil.
        package fileprivate(set) var calibration: Transform?
        /// nil while the device is gone.
        package fileprivate(set) var input: (any TouchInput)?
        /// Identifies the input for as long as the program runs, even if another takes its number.
        package fileprivate(set) var token: UInt64
    }

    /// The result of a scan, as numbers of devices.
    package struct Changes {
        /// Devices with a new input.
        package var joined: [Int] = []
        /// Devices that are no longer wanted. They stay until ``remove(_:)``.
        package var unwanted: [Int] = []
        /// Why a wanted device is missing. Each error is reported once.
        package var news: [TouchError] = []
        /// The choice may be wrong. Each warning is reported once.
        package var warning: String?
        /// Devices that have returned with other ranges or another calibration.
        package var altered: [Altered] = []
    }

    /// A device that has returned, and measures otherwise than before.
    package struct Altered: Equatable {
        package let name: String
        /// The difference, such as `x 0...799, before 0...1023`.
        package let difference: String
        /// It has to wait until the capture ends, whose record has one description of each device.
        package let waits: Bool
    }

    /// The number of devices after which a new device takes the number of one that is gone.
    private static let deviceLimit = 8
    /// A node may appear before udev has set it up, or before its driver can be queried (ENOENT for a moment after the
    /// event). After these delays the next scan waits for an event, or for `idleDelay` while there is no device or no
    /// monitor.
    private static let retryDelays: [Duration] = [.milliseconds(100), .milliseconds(300), .seconds(1)]
    private static let idleDelay = Duration.seconds(5)

    /// Whether to scan regularly, because no monitor reports changes.
    package var polls = false
    /// How the screen is attached; nil before the first one.
    package private(set) var screen: ScreenPlace?
    private let sources: [any TouchSource]
    package private(set) var devices: [Device] = []
    private var nextToken: UInt64 = 0
    /// When to scan again, even without an event; nil is never.
    package private(set) var deadline: Timestamp?
    private var attempts = 0
    private var reported: [TouchError] = []
    private var warning: String?
    /// The last one that had to wait, which each scan finds again.
    private var waiting: Altered?
    /// Inputs that were added and not reported yet.
    private var arrivals: [Int] = []

    /// - Parameter sources: find devices that may be plugged in and unplugged.
    package init(sources: [any TouchSource]) {
        self.sources = sources
        if !sources.isEmpty { deadline = .distantPast }
    }

    /// Adds permanent inputs: recordings.
    package func add(_ inputs: [any TouchInput]) {
        arrivals += inputs.compactMap { place($0, mayJoin: true) }
    }

    /// Whether devices may be added.
    package var awaitsDevices: Bool { !sources.isEmpty }

    /// The numbers of devices that are present.
    package var present: [Int] { devices.indices.filter { devices[$0].input != nil } }
    package var inputs: [any TouchInput] { devices.compactMap(\.input) }

    /// An event about input devices arrived.
    package func devicesChanged(at now: Timestamp) {
        guard awaitsDevices else { return }
        attempts = 0
        deadline = now
    }

    /// A node has another owner or mode: a device that could not be opened may open now.
    package func nodesChanged(at now: Timestamp) {
        if present.isEmpty || !reported.isEmpty { devicesChanged(at: now) }
    }

    /// Another screen is used: its own touch screen is preferred.
    package func screenChanged(to place: ScreenPlace, at now: Timestamp) {
        guard place != screen else { return }
        screen = place
        if awaitsDevices { devicesChanged(at: now) }
    }

    /// A device could not be read. The next scan is delayed more each time.
    package func deviceFailed(at now: Timestamp) {
        deadline = now + Self.retryDelays[min(attempts, Self.retryDelays.count - 1)]
        attempts += 1
    }

    /// Scans the sources if that is due.
    /// - Parameter mayJoin: whether devices without a number may join; false during a capture, whose record has already
    ///   listed its devices.
    package func scan(at now: Timestamp, mayJoin: Bool) -> Changes {
        var changes = Changes(joined: arrivals)
        arrivals = []
        guard awaitsDevices, let due = deadline, due <= now else { return changes }
        deadline = nil
        var faults: [TouchError] = []
        var isPostponed = false
        for source in sources {
            let findings = source.scan(besides: Set(inputs.compactMap(\.path)), for: screen)
            if findings.warning != warning {
                changes.warning = findings.warning
                warning = findings.warning
            }
            for input in findings.found {
                let difference = difference(of: input)
                let number = place(input, mayJoin: mayJoin)
                if let number { changes.joined.append(number) } else { isPostponed = true }
                guard let difference else { continue }
                let altered = Altered(name: input.name, difference: difference, waits: number == nil)
                if altered != waiting { changes.altered.append(altered) }
                waiting = altered.waits ? altered : nil
            }
            if mayJoin, !isPostponed {
                changes.unwanted += present.filter { devices[$0].input?.path.map(findings.unwanted.contains) ?? false }
            }
            faults += findings.faults
        }
        // A device that udev is still setting up is no fault: an event follows.
        changes.news = faults.filter { fault in
            if case .refused(_, .notInitialized) = fault { false } else { !reported.contains(fault) }
        }
        reported = faults
        if isPostponed {
            deadline = now + Self.retryDelays[2]
        } else if !faults.isEmpty, attempts < Self.retryDelays.count {
            deadline = now + Self.retryDelays[attempts]
            attempts += 1
        } else if present.isEmpty || polls {
            deadline = now + Self.idleDelay
        }
        return changes
    }

    /// Removes the input of a device that is gone or no longer wanted. The device keeps its number.
    package func remove(_ number: Int) { devices[number].input = nil }

    /// The difference between a device and the one that is gone and is otherwise the same; nil if no such device is
    /// gone, or if they are equal.
    private func difference(of input: any TouchInput) -> String? {
        let gone = devices.filter { $0.input == nil }
        let same = gone.filter { $0.description.isSameDevice(as: input.description) }
        if let before = same.first {
            return same.contains { $0.calibration == input.calibration } || before.calibration == input.calibration
                ? nil : "another calibration"
        }
        return gone.last { $0.description.isSameModel(as: input.description) }?.description
            .difference(to: input.description)
    }

    /// - Returns: the device's number; nil if it has to wait.
    private func place(_ input: any TouchInput, mayJoin: Bool) -> Int? {
        precondition(input.description.positionAxes != nil, "an input is a device that can draw")
        let device = Device(
            description: input.description, calibration: input.calibration, input: input, token: nextToken)
        let free = devices.indices.filter { devices[$0].input == nil }
        let before = free.first { number in
            devices[number].description.isSameDevice(as: input.description)
                // A record has one transform for each device.
                && (mayJoin || devices[number].calibration == input.calibration)
        }
        if let before {
            devices[before] = device
            nextToken += 1
            return before
        }
        guard mayJoin else { return nil }
        nextToken += 1
        if devices.count >= Self.deviceLimit, let other = free.first {
            devices[other] = device
            return other
        }
        devices.append(device)
        return devices.count - 1
    }
}

extension DeviceDescription {
    /// Whether this may be the same device, plugged in again. The current values of its axes are ignored.
    fileprivate func isSameDevice(as other: DeviceDescription) -> Bool { withoutValues == other.withoutValues }

    /// Whether this may be the same device with other axes, as after an update of its firmware.
    fileprivate func isSameModel(as other: DeviceDescription) -> Bool {
        (name, bus, vendor, product) == (other.name, other.bus, other.vendor, other.product) && uniq == other.uniq
    }

    fileprivate func difference(to next: DeviceDescription) -> String {
        guard let before = positionAxes, let after = next.positionAxes else { return "other axes" }
        let parts = [("x", before.x, after.x), ("y", before.y, after.y)].compactMap { name, before, after -> String? in
            let (old, new) = (Self.range(before), Self.range(after))
            return old == new ? nil : "\(name) \(new), before \(old)"
        }
        return parts.isEmpty ? "other axes" : "another range (" + parts.joined(separator: "; ") + ")"
    }

    private static func range(_ axis: AxisInfo) -> String {
        "\(axis.minimum)...\(axis.maximum)" + (axis.resolution > 0 ? " at \(axis.resolution) units/mm" : "")
    }

    private var withoutValues: DeviceDescription {
        var copy = self
        copy.axes = axes.mapValues { axis in
            var axis = axis
            axis.value = 0
            return axis
        }
        return copy
    }
}

/// Finds touch devices. Main thread only.
package protocol TouchSource {
    /// - Parameters:
    ///   - paths: devices that are open already.
    ///   - screen: how the screen is attached; nil before there is a screen.
    func scan(besides paths: Set<String>, for screen: ScreenPlace?) -> TouchFindings
}

package struct TouchFindings {
    /// Newly opened inputs.
    var found: [any TouchInput] = []
    /// Paths of open devices that are replaced by better ones.
    var unwanted: Set<String> = []
    /// Why a wanted device is missing.
    var faults: [TouchError] = []
    /// Several devices fit the screen.
    var warning: String?
}

/// The devices in `/dev/input`.
package struct DeviceSource: TouchSource {
    private let path: String?
    private let log: Log

    /// - Parameter path: nil for the best devices.
    package init(path: String? = nil, log: Log) {
        self.path = path
        self.log = log
    }

    package func scan(besides paths: Set<String>, for screen: ScreenPlace?) -> TouchFindings {
        if let path { open([path], besides: paths) } else { findBest(besides: paths, for: screen) }
    }

    private func findBest(besides paths: Set<String>, for screen: ScreenPlace?) -> TouchFindings {
        let candidates: [DeviceFinder.Candidate]
        do throws(TouchError) {
            candidates = try DeviceFinder.list()
        } catch {
            return TouchFindings(faults: [error])
        }
        let choice = DeviceFinder.choose(from: candidates, for: screen)
        if choice.paths.isEmpty {
            // Missing permissions are more likely than a panel without a touch device.
            return TouchFindings(faults: candidates.compactMap(\.error).filter(\.isDenied))
        }
        var findings = open(choice.paths, besides: paths)
        findings.warning = choice.warning
        // Replace open devices only if all better ones could be opened.
        if findings.faults.isEmpty { findings.unwanted = paths.subtracting(choice.paths) }
        return findings
    }

    private func open(_ wanted: [String], besides paths: Set<String>) -> TouchFindings {
        var findings = TouchFindings()
        for path in wanted where !paths.contains(path) {
            do throws(TouchError) {
                findings.found.append(try DeviceInput(path: path, log: log))
            } catch {
                findings.faults.append(error)
            }
        }
        return findings
    }
}
