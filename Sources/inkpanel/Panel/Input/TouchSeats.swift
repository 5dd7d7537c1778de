// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Pad
import Record
import Touch

/// The places of a panel's touch devices, numbered from 0: which device is in each, and which is gone. One that comes
/// back, under whatever name, gets its place again, so that a record's numbers stay true.
///
/// Nothing here waits; times are nanoseconds on ``MonotonicClock``. For the main thread.
final class TouchSeats {
    struct Seat {
        let description: DeviceDescription
        /// As udev says of it.
        fileprivate(set) var calibration: Transform?
        fileprivate(set) var input: (any TouchInput)?
        /// Names the input for as long as the program runs; another one in this place has another.
        fileprivate(set) var token: UInt64
    }

    /// What a look has changed.
    struct Changes {
        /// Places with a new device in them.
        var joined: [Int] = []
        /// Inputs that are not wanted any more, with their places; they are in them until ``remove(_:)``.
        var unwanted: [Int] = []
        /// Why a device that is wanted is not there; nothing that was said before.
        var news: [TouchError] = []
    }

    /// Places that devices of other kinds may have been in before one of them is given away.
    private static let seatLimit = 8
    /// A node may be there before udev has set it up, or a driver before it can be asked (plumbing: ENOENT for a moment
    /// after the event); after that an event is waited for, and while there is no device at all, or
    /// nobody tells of events, this long.
    private static let retryDelays: [Int64] = [100_000_000, 300_000_000, 1_000_000_000]
    private static let idleDelay: Int64 = 5_000_000_000

    /// Nobody tells of changes: devices are looked for now and then, though there are some.
    var polls = false
    private let sources: [any TouchSource]
    private(set) var seats: [Seat] = []
    private var nextToken: UInt64 = 0
    private var dueAt: Int64?
    private var attempts = 0
    private var told: [TouchError] = []
    /// Added, and nobody has been told.
    private var arrivals: [Int] = []

    /// Devices that come and go.
    init(sources: [any TouchSource]) {
        self.sources = sources
        if !sources.isEmpty { dueAt = .min }
    }

    /// Inputs that are there and stay: recordings.
    func add(_ inputs: [any TouchInput]) {
        arrivals += inputs.compactMap { seat($0, mayJoin: true) }
    }

    /// Whether devices may come.
    var awaitsDevices: Bool { !sources.isEmpty }

    /// When to look again, though no event has come.
    var deadline: Int64? { dueAt }

    /// Numbers of the places with a device in them.
    var occupied: [Int] { seats.indices.filter { seats[$0].input != nil } }
    var inputs: [any TouchInput] { seats.compactMap(\.input) }

    /// From the units of each place's device to the picture.
    /// - Parameter calibration: of all devices; nil is as udev says of each.
    func mappings(to screen: PadScreen, calibration: Transform?) -> [PanelMapping] {
        seats.map { seat in
            guard
                let mapping = PanelMapping(
                    seat.description, panel: screen.panelSize, rotation: screen.rotation,
                    calibration: calibration ?? seat.calibration ?? .identity)
            else { preconditionFailure("a place is given to devices with axes only") }
            return mapping
        }
    }

    /// Something has happened to input devices.
    func devicesChanged(at now: Int64) {
        attempts = 0
        dueAt = now
    }

    /// A node has another owner or mode: one that could not be opened may be opened now.
    func nodesChanged(at now: Int64) {
        if occupied.isEmpty || !told.isEmpty { devicesChanged(at: now) }
    }

    /// One could not be read: it, or another, is looked for, and not at once each time.
    func deviceFailed(at now: Int64) {
        dueAt = now + Self.retryDelays[min(attempts, Self.retryDelays.count - 1)]
        attempts += 1
    }

    /// Looks, if it is time to.
    /// - Parameter mayJoin: whether a device may join that no place was made for; false while a record is being
    ///   written, whose devices have been said.
    func look(at now: Int64, mayJoin: Bool) -> Changes {
        var changes = Changes(joined: arrivals)
        arrivals = []
        guard awaitsDevices, let due = dueAt, due <= now else { return changes }
        dueAt = nil
        var faults: [TouchError] = []
        var isPostponed = false
        for source in sources {
            let paths = Set(inputs.compactMap(\.path))
            let findings = source.look(besides: paths)
            for input in findings.found {
                if let number = seat(input, mayJoin: mayJoin) {
                    changes.joined.append(number)
                } else {
                    isPostponed = true
                }
            }
            if mayJoin, !isPostponed {
                changes.unwanted += occupied.filter { seats[$0].input?.path.map(findings.unwanted.contains) ?? false }
            }
            faults += findings.faults
        }
        // udev is at work on it and tells when it is done: nothing is wrong.
        changes.news = faults.filter { fault in
            if case .refused(_, .notInitialized) = fault { false } else { !told.contains(fault) }
        }
        told = faults
        if isPostponed {
            dueAt = now + Self.retryDelays[2]
        } else if !faults.isEmpty, attempts < Self.retryDelays.count {
            dueAt = now + Self.retryDelays[attempts]
            attempts += 1
        } else if occupied.isEmpty || polls {
            dueAt = now + Self.idleDelay
        }
        return changes
    }

    /// The input of a place is gone or not wanted any more.
    func remove(_ number: Int) { seats[number].input = nil }

    /// - Returns: nil when it has to wait.
    private func seat(_ input: any TouchInput, mayJoin: Bool) -> Int? {
        precondition(input.description.positionAxes != nil, "an input is a device that can draw")
        let token = nextToken
        let seat = Seat(
            description: input.description, calibration: input.calibration, input: input, token: token)
        let free = seats.indices.filter { seats[$0].input == nil }
        if let before = free.first(where: { seats[$0].description.isOfSameDevice(as: input.description) }) {
            seats[before] = seat
            nextToken += 1
            return before
        }
        guard mayJoin else { return nil }
        nextToken += 1
        if seats.count >= Self.seatLimit, let other = free.first {
            seats[other] = seat
            return other
        }
        seats.append(seat)
        return seats.count - 1
    }
}

extension DeviceDescription {
    /// Whether it may be the same device, plugged in again: what its axes said when it was asked does not matter.
    fileprivate func isOfSameDevice(as other: DeviceDescription) -> Bool { resting == other.resting }

    private var resting: DeviceDescription {
        var copy = self
        copy.axes = axes.mapValues { axis in
            var axis = axis
            axis.value = 0
            return axis
        }
        return copy
    }
}
