// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import TestSupport
import Testing

@testable import Touch

/// A source of devices that tests plug in.
private final class Socket: TouchSource {
    var devices: [String: DeviceDescription] = [:]
    var unwanted: Set<String> = []
    var faults: [TouchError] = []
    /// A warning for each kind of screen.
    var warning: (ScreenPlace?) -> String? = { _ in nil }

    func scan(besides paths: Set<String>, for screen: ScreenPlace?) -> TouchFindings {
        let new = devices.filter { !paths.contains($0.key) }.sorted { $0.key < $1.key }
        return TouchFindings(
            found: new.map { Plug(path: $0.key, description: $0.value) }, unwanted: unwanted.intersection(paths),
            faults: faults, warning: warning(screen))
    }
}

private final class Plug: TouchInput {
    let path: String?
    let description: DeviceDescription
    let dropCount = 0
    var name: String { description.name }
    var descriptor: CInt { -1 }

    init(path: String, description: DeviceDescription) { (self.path, self.description) = (path, description) }

    func start() throws(Errno) {}
    func read() throws(TouchError) -> TouchReading { TouchReading(frames: []) }
}

@Suite("Touch device hotplug") struct TouchDevicesTests {
    private static let second: Timestamp = 1_000_000
    private let socket = Socket()
    private let touches: TouchDevices

    init() { touches = TouchDevices(sources: [socket]) }

    private func device(_ name: String) -> DeviceDescription {
        let axis = AxisInfo(minimum: 0, maximum: 99)
        return DeviceDescription(
            name: name, properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [EventCode.absX: axis, EventCode.absY: axis])
    }

    @Test("a device that returns with another range says so, once, and joins when no capture runs")
    func otherRange() {
        func ranged(_ maximum: Int32) -> DeviceDescription {
            var changed = device("a")
            changed.axes[EventCode.absX]?.maximum = maximum
            return changed
        }
        socket.devices = ["/dev/input/event3": ranged(799)]
        #expect(touches.scan(at: 0, mayJoin: false).altered == [])
        #expect(touches.scan(at: Self.second, mayJoin: true).joined == [0])
        touches.remove(0)
        socket.devices = ["/dev/input/event5": ranged(4095)]
        touches.devicesChanged(at: Self.second)
        let found = touches.scan(at: Self.second, mayJoin: false)
        #expect(found.joined == [])
        #expect(
            found.altered == [
                TouchDevices.Altered(name: "a", difference: "another range (x 0...4095, before 0...799)", waits: true)
            ])
        touches.devicesChanged(at: .zero + .seconds(2))
        #expect(touches.scan(at: .zero + .seconds(2), mayJoin: false).altered == [])
        touches.devicesChanged(at: .zero + .seconds(3))
        let joined = touches.scan(at: .zero + .seconds(3), mayJoin: true)
        #expect(joined.joined == [1] && joined.altered.map(\.waits) == [false])
        // The same again says nothing.
        touches.remove(1)
        socket.devices = ["/dev/input/event6": ranged(4095)]
        touches.devicesChanged(at: .zero + .seconds(4))
        let same = touches.scan(at: .zero + .seconds(4), mayJoin: false)
        #expect(same.joined == [1] && same.altered == [])
    }

    @Test("another screen is known to the sources, and each warning is reported once")
    func screens() {
        socket.devices = ["/dev/input/event3": device("a")]
        socket.warning = { $0 == .external ? "two fit" : nil }
        #expect(touches.scan(at: 0, mayJoin: true).warning == nil)
        touches.screenChanged(to: .external, at: Self.second)
        #expect(touches.deadline == Self.second)
        #expect(touches.scan(at: Self.second, mayJoin: true).warning == "two fit")
        touches.devicesChanged(at: .zero + .seconds(2))
        #expect(touches.scan(at: .zero + .seconds(2), mayJoin: true).warning == nil)
        touches.screenChanged(to: .external, at: .zero + .seconds(3))
        #expect(touches.deadline != .zero + .seconds(3))
    }

    @Test("a device that returns under another path gets its number again")
    func returns() throws {
        socket.devices = ["/dev/input/event3": device("a"), "/dev/input/event4": device("b")]
        #expect(touches.scan(at: 0, mayJoin: true).joined == [0, 1])
        let token = touches.devices[0].token
        touches.remove(0)
        #expect(touches.present == [1])
        socket.devices = ["/dev/input/event9": device("a"), "/dev/input/event4": device("b")]
        touches.devicesChanged(at: Self.second)
        // This also holds during a capture, whose record lists the device.
        #expect(touches.scan(at: Self.second, mayJoin: false).joined == [0])
        #expect(touches.devices.count == 2 && touches.devices[0].token != token)
    }

    @Test("a new device waits until no capture is running")
    func another() throws {
        socket.devices = ["/dev/input/event3": device("a")]
        _ = touches.scan(at: 0, mayJoin: true)
        socket.devices["/dev/input/event4"] = device("b")
        touches.devicesChanged(at: 1)
        #expect(touches.scan(at: 1, mayJoin: false).joined.isEmpty)
        let again = try #require(touches.deadline)
        #expect(touches.scan(at: again, mayJoin: true).joined == [1])
    }

    @Test("without a device, scans repeat; with one, they need an event")
    func waits() throws {
        #expect(touches.scan(at: 0, mayJoin: true).joined.isEmpty)
        let deadline = try #require(touches.deadline)
        #expect(deadline > Self.second)
        socket.devices = ["/dev/input/event3": device("a")]
        #expect(touches.scan(at: deadline, mayJoin: true).joined == [0])
        #expect(touches.deadline == nil)
    }

    @Test("without a monitor, scans repeat even with a device")
    func polls() throws {
        socket.devices = ["/dev/input/event3": device("a")]
        touches.polls = true
        #expect(touches.scan(at: 0, mayJoin: true).joined == [0])
        let deadline = try #require(touches.deadline)
        #expect(deadline > Self.second)
        socket.devices["/dev/input/event4"] = device("b")
        #expect(touches.scan(at: deadline, mayJoin: true).joined == [1])
    }

    @Test("a node that cannot be opened is tried again three times, and reported once")
    func denied() throws {
        let fault = TouchError.refused(path: "/dev/input/event3", .byPolicy)
        socket.devices = ["/dev/input/event4": device("a")]
        socket.faults = [fault]
        #expect(touches.scan(at: 0, mayJoin: true).news == [fault])
        var attempts = 0
        while let deadline = touches.deadline, attempts < 100 {
            attempts += 1
            #expect(touches.scan(at: deadline, mayJoin: true).news.isEmpty)
        }
        #expect(attempts == 3)
        // An event starts the attempts again.
        touches.devicesChanged(at: 9_000_000)
        _ = touches.scan(at: 9_000_000, mayJoin: true)
        #expect(touches.deadline != nil)
    }

    @Test("a node that udev is setting up is not reported, and is tried at once when its owner or mode changes")
    func notInitialized() {
        socket.faults = [.refused(path: "/dev/input/event3", .notInitialized)]
        #expect(touches.scan(at: 0, mayJoin: true).news.isEmpty)
        socket.faults = []
        socket.devices = ["/dev/input/event3": device("a")]
        touches.nodesChanged(at: 1)
        #expect(touches.scan(at: 1, mayJoin: true).joined == [0])
        touches.nodesChanged(at: 2)
        #expect(touches.deadline == nil)
    }

    @Test("unwanted devices are removed when no capture is running")
    func unwanted() {
        socket.devices = ["/dev/input/event3": device("tablet")]
        _ = touches.scan(at: 0, mayJoin: true)
        socket.devices["/dev/input/event4"] = device("screen")
        socket.unwanted = ["/dev/input/event3"]
        touches.devicesChanged(at: 1)
        #expect(touches.scan(at: 1, mayJoin: false).unwanted.isEmpty)
        touches.devicesChanged(at: 2)
        let changes = touches.scan(at: 2, mayJoin: true)
        #expect(changes.joined == [1] && changes.unwanted == [0])
    }

    @Test("the number of devices is limited")
    func bounded() {
        for number in 0..<100 {
            let now = Timestamp(microseconds: Int64(number))
            socket.devices = ["/dev/input/event\(number)": device("device \(number)")]
            touches.devicesChanged(at: now)
            _ = touches.scan(at: now, mayJoin: true)
            for present in touches.present { touches.remove(present) }
        }
        #expect(touches.devices.count <= 8)
    }
}

@Suite("Reports of several devices") struct TouchMergeTests {
    private func reading(_ times: [Timestamp], handedOut: Timestamp? = nil, isFinished: Bool = false) -> TouchReading {
        TouchReading(
            frames: times.map { TouchFrame(time: $0, contacts: []) }, handedOut: handedOut,
            isFinished: isFinished)
    }

    private func all(_ merge: inout TouchMerge) -> [[Int64]] {
        var reports: [[Int64]] = []
        while let report = merge.next() {
            reports.append([Int64(report.device), report.frame.time.microseconds, report.reported.microseconds])
        }
        return reports
    }

    @Test("reports are ordered by time; those of one device keep their order, whatever their times")
    func order() {
        var merge = TouchMerge()
        merge.add(reading([10, 30, 20, 60]), of: 2)
        merge.add(reading([]), of: 0)
        merge.add(reading([5, 30, 61]), of: 1)
        #expect(
            all(&merge) == [
                [1, 5, 5], [2, 10, 10], [2, 30, 30], [2, 20, 20], [1, 30, 30], [2, 60, 60], [1, 61, 61],
            ])
        #expect(merge.finished == [])
    }

    @Test("reports of a recording keep their times and have the time they became available; ended ones are listed")
    func recordings() {
        var merge = TouchMerge()
        merge.add(reading([10, 20], handedOut: 500, isFinished: true), of: 3)
        #expect(all(&merge) == [[3, 10, 500], [3, 20, 500]])
        #expect(merge.finished == [3])
    }

    @Test("an empty merge has no report")
    func empty() {
        var merge = TouchMerge()
        #expect(merge.next() == nil)
        merge.add(reading([.distantFuture]), of: 0)
        #expect(all(&merge) == [[0, .max, .max]])
    }
}
