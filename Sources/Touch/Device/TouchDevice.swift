// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Glibc
import Linux

/// A touch device. Owns the libevdev context and the descriptor; both end with the value, and with them the grab.
///
/// One thread only, the one that waits on ``descriptor``.
public struct TouchDevice: ~Copyable {
    /// A synchronisation takes one event from a queue of at most some thousand; more than this is no device's state.
    private static let synchronisationLimit = 16384

    public let path: String
    public let description: DeviceDescription
    public let kind: TouchKind
    /// Whether it is grabbed: no other program sees its events.
    public let isExclusive: Bool
    /// What works less well than it should, each a sentence for the log. Not errors: the panel can be used.
    public let warnings: [String]

    private let context: EvdevContext
    private var tracker: SlotTracker
    private var lastMicroseconds: Int64
    private var isGone = false

    /// Opens a device, sets its clock to CLOCK_MONOTONIC and takes over its state. Contacts that are down already draw
    /// nothing until they lift.
    /// - Parameter grab: whether to keep the events from other readers (a desktop, the console). Failing that is a
    ///   warning, not an error: a panel that draws while another program watches is better than none.
    public init(path: String, grab: Bool = true) throws(TouchError) {
        let context = try EvdevContext(path: path)
        // First of all: when the clock changes the kernel throws away what is queued and sends a SYN_DROPPED (evdev.c).
        let clockResult = libevdev_set_clock_id(context.handle, CLOCK_MONOTONIC)
        let description = DeviceDescription(evdev: context.handle)
        let kind = description.kind
        guard var tracker = SlotTracker(description) else {
            var reason = ""
            if case .unusable(let words) = kind { reason = words }
            throw .unusable(path: path, name: description.name, reason: reason)
        }
        var warnings: [String] = []
        if clockResult != 0 {
            warnings.append(
                "\(path): the kernel refuses CLOCK_MONOTONIC (\(Errno(code: -clockResult))); times jump when the "
                    + "clock is set")
        }
        let refusal = grab ? Self.grab(context, path) : nil
        if let refusal { warnings.append(refusal) }
        _ = Self.synchronise(context, isForced: true)
        let now = MonotonicClock.microseconds
        // Nothing begins: all that is down is ignored.
        _ = tracker.resynchronise(
            to: DeviceState(evdev: context.handle, device: description), at: now, ignoringContactsDown: true)
        // Swift 6.0 lets a move-only value call no method of its own in here: all is ready before it is put together.
        self.path = path
        self.description = description
        self.kind = kind
        self.warnings = warnings
        self.isExclusive = grab && refusal == nil
        self.tracker = tracker
        self.lastMicroseconds = now
        self.context = context
    }

    /// For ``Linux/EventPoll/add(_:token:)``. Valid while this value lives.
    public var descriptor: CInt { context.number }

    /// How often the kernel's buffer overran because nobody read in time.
    public var dropCount: Int { tracker.dropCount }

    /// Reads all reports that wait, oldest first; never blocks.
    ///
    /// - Returns: the frames, perhaps none. When the device goes, nothing says that contacts have ended: nobody has lifted
    ///   them.
    /// - Throws: ``TouchError/deviceGone(path:)`` once there are no frames left to hand out, and at every call after
    ///   that; take the descriptor out of the poll at once, it stays ready for ever.
    public mutating func read() throws(TouchError) -> [TouchFrame] {
        if isGone { throw .deviceGone(path: path) }
        var frames: [TouchFrame] = []
        while true {
            var raw = input_event()
            let status = libevdev_next_event(context.handle, UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue), &raw)
            switch status {
            case CInt(LIBEVDEV_READ_STATUS_SUCCESS.rawValue), CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue):
                let event = InputEvent(raw)
                lastMicroseconds = event.microseconds
                if let frame = tracker.update(with: event) { frames.append(frame) }
                // With this status the event is a SYN_DROPPED, so contacts have ended; begin them anew from the state
                // the device is in now. The events between are lost for good.
                if status == CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue), let frame = takeOverState() {
                    frames.append(frame)
                }
            case -EAGAIN: return frames
            case -EINTR: continue
            case -ENODEV:
                isGone = true
                if frames.isEmpty { throw .deviceGone(path: path) }
                return frames
            default:
                // A second attempt reports the error again, then with nothing left to hand out.
                if frames.isEmpty { throw .readFailed(path: path, Errno(code: -status)) }
                return frames
            }
        }
    }

    private mutating func takeOverState() -> TouchFrame? {
        if let time = Self.synchronise(context, isForced: false) { lastMicroseconds = time }
        return tracker.resynchronise(
            to: DeviceState(evdev: context.handle, device: description), at: lastMicroseconds)
    }

    /// Makes libevdev ask the device for its state and takes the differences out of its queue, after which its values
    /// are the device's (libevdev.h, "SYN_DROPPED handling").
    /// - Parameter isForced: without a SYN_DROPPED. After one it must be false: forcing once more makes libevdev count
    ///   what is queued behind the SYN_DROPPED as answers.
    /// - Returns: the time of the last difference, nil when there is none.
    private static func synchronise(_ context: borrowing EvdevContext, isForced: Bool) -> Int64? {
        var raw = input_event()
        var time: Int64?
        let force = UInt32(LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue)
        if isForced, libevdev_next_event(context.handle, force, &raw) < 0 {
            return nil
        }
        for _ in 0..<synchronisationLimit {
            // -EAGAIN is the end; a device that has gone will say so at the next read.
            let status = libevdev_next_event(context.handle, UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue), &raw)
            guard status >= 0 else { break }
            time = InputEvent(raw).microseconds
        }
        return time
    }

    /// - Returns: what to tell when the grab failed.
    private static func grab(_ context: borrowing EvdevContext, _ path: String) -> String? {
        let result = libevdev_grab(context.handle, LIBEVDEV_GRAB)
        if result == 0 { return nil }
        if result == -EBUSY {
            return "\(path) is grabbed by another program, which may keep the touches for itself; if the panel does "
                + "not react, stop that program (an X server, another inkpanel)"
        }
        return "\(path) cannot be grabbed (\(Errno(code: -result))); other programs see the touches too"
    }
}

extension InputEvent {
    init(_ raw: input_event) {
        self.init(
            microseconds: Int64(raw.time.tv_sec) &* 1_000_000 &+ Int64(raw.time.tv_usec), type: raw.type,
            code: raw.code, value: raw.value)
    }
}
