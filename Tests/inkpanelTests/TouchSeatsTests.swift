// SPDX-License-Identifier: Apache-2.0
import Linux
import Testing
import Touch

@testable import inkpanel

/// Devices that are plugged in by tests.
private final class Socket: TouchSource {
    var devices: [String: DeviceDescription] = [:]
    var unwanted: Set<String> = []
    var faults: [TouchError] = []

    func look(besides paths: Set<String>) -> TouchFindings {
        let new = devices.filter { !paths.contains($0.key) }.sorted { $0.key < $1.key }
        return TouchFindings(
            found: new.map { Plug(path: $0.key, description: $0.value) }, unwanted: unwanted.intersection(paths),
            faults: faults)
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

@Suite("Places of touch devices") struct TouchSeatsTests {
    private static let second: Int64 = 1_000_000_000
    private let socket = Socket()
    private let seats: TouchSeats

    init() { seats = TouchSeats(sources: [socket]) }

    private func device(_ name: String) -> DeviceDescription {
        let axis = AxisInfo(minimum: 0, maximum: 99)
        return DeviceDescription(
            name: name, properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [EventCode.absX: axis, EventCode.absY: axis])
    }

    @Test("a device that comes back under another name has its place again")
    func returns() throws {
        socket.devices = ["/dev/input/event3": device("a"), "/dev/input/event4": device("b")]
        #expect(seats.look(at: 0, mayJoin: true).joined == [0, 1])
        let token = seats.seats[0].token
        seats.remove(0)
        #expect(seats.occupied == [1])
        socket.devices = ["/dev/input/event9": device("a"), "/dev/input/event4": device("b")]
        seats.devicesChanged(at: Self.second)
        // Also while a record is being written, whose devices are known.
        #expect(seats.look(at: Self.second, mayJoin: false).joined == [0])
        #expect(seats.seats.count == 2 && seats.seats[0].token != token)
    }

    @Test("a device of another kind waits until no record is being written")
    func another() throws {
        socket.devices = ["/dev/input/event3": device("a")]
        _ = seats.look(at: 0, mayJoin: true)
        socket.devices["/dev/input/event4"] = device("b")
        seats.devicesChanged(at: 1)
        #expect(seats.look(at: 1, mayJoin: false).joined.isEmpty)
        let again = try #require(seats.deadline)
        #expect(seats.look(at: again, mayJoin: true).joined == [1])
    }

    @Test("while there is none it is looked for now and then; with one, only after an event")
    func waits() throws {
        #expect(seats.look(at: 0, mayJoin: true).joined.isEmpty)
        let deadline = try #require(seats.deadline)
        #expect(deadline > Self.second)
        socket.devices = ["/dev/input/event3": device("a")]
        #expect(seats.look(at: deadline, mayJoin: true).joined == [0])
        #expect(seats.deadline == nil)
    }

    @Test("where nobody tells of changes, others are looked for though there is one")
    func polls() throws {
        socket.devices = ["/dev/input/event3": device("a")]
        seats.polls = true
        #expect(seats.look(at: 0, mayJoin: true).joined == [0])
        let deadline = try #require(seats.deadline)
        #expect(deadline > Self.second)
        socket.devices["/dev/input/event4"] = device("b")
        #expect(seats.look(at: deadline, mayJoin: true).joined == [1])
    }

    @Test("a node that may not be opened yet is tried again soon, a few times, and told of once")
    func denied() throws {
        let fault = TouchError.refused(path: "/dev/input/event3", .byPolicy)
        socket.devices = ["/dev/input/event4": device("a")]
        socket.faults = [fault]
        #expect(seats.look(at: 0, mayJoin: true).news == [fault])
        var attempts = 0
        while let deadline = seats.deadline, attempts < 100 {
            attempts += 1
            #expect(seats.look(at: deadline, mayJoin: true).news.isEmpty)
        }
        #expect(attempts == 3)
        // An event begins it anew.
        seats.devicesChanged(at: 9 * Self.second)
        _ = seats.look(at: 9 * Self.second, mayJoin: true)
        #expect(seats.deadline != nil)
    }

    @Test("a node that udev is still setting up is no news, and is tried at once when its owner or mode changes")
    func notInitialized() {
        socket.faults = [.refused(path: "/dev/input/event3", .notInitialized)]
        #expect(seats.look(at: 0, mayJoin: true).news.isEmpty)
        socket.faults = []
        socket.devices = ["/dev/input/event3": device("a")]
        seats.nodesChanged(at: 1)
        #expect(seats.look(at: 1, mayJoin: true).joined == [0])
        seats.nodesChanged(at: 2)
        #expect(seats.deadline == nil)
    }

    @Test("what is not wanted any more goes when no record is being written")
    func unwanted() {
        socket.devices = ["/dev/input/event3": device("tablet")]
        _ = seats.look(at: 0, mayJoin: true)
        socket.devices["/dev/input/event4"] = device("screen")
        socket.unwanted = ["/dev/input/event3"]
        seats.devicesChanged(at: 1)
        #expect(seats.look(at: 1, mayJoin: false).unwanted.isEmpty)
        seats.devicesChanged(at: 2)
        let changes = seats.look(at: 2, mayJoin: true)
        #expect(changes.joined == [1] && changes.unwanted == [0])
    }

    @Test("places are not made without end")
    func bounded() {
        for number in 0..<100 {
            let now = Int64(number)
            socket.devices = ["/dev/input/event\(number)": device("device \(number)")]
            seats.devicesChanged(at: now)
            _ = seats.look(at: now, mayJoin: true)
            for occupied in seats.occupied { seats.remove(occupied) }
        }
        #expect(seats.seats.count <= 8)
    }
}
