// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import Touch

@Suite("Choosing a device")
struct DeviceFinderTests {
    private func candidate(_ number: Int, _ device: DeviceDescription) -> DeviceFinder.Candidate {
        .init(path: "/dev/input/event\(number)", device: device)
    }

    @Test("multitouch before single touch before a pen on a screen before a tablet, whatever their numbers")
    func rank() {
        let all = [
            candidate(0, .pen(isDirect: false)), candidate(1, .pen(isDirect: true)), candidate(2, .singleTouch()),
            candidate(3, .multitouch()), candidate(4, .multitouch()),
        ]
        for count in 1...4 {
            #expect(DeviceFinder.choose(from: Array(all.prefix(count))).paths.first == "/dev/input/event\(count - 1)")
        }
        let choice = DeviceFinder.choose(from: all)
        #expect(choice.paths.first == "/dev/input/event3")
        #expect(choice.reasons.count == 5)
        #expect(choice.reasons[3] == "/dev/input/event3 (panel): used: a multitouch screen (10 contacts)")
        #expect(choice.reasons[4].contains("not used: a multitouch screen"))
    }

    @Test("both devices of a pen display are chosen, by maker and size, whatever else is there")
    func penDisplay() throws {
        let finger = try DeviceDescription.described("Wacom Cintiq 24HD touch Finger.desc")
        let pen = try DeviceDescription.described("Wacom Cintiq 24HD touch Pen.desc")
        let smaller = try DeviceDescription.described("Wacom Cintiq 21UX2 Pen.device")
        let elan = try DeviceDescription.described("ELAN Touchscreen.desc")
        let choice = DeviceFinder.choose(from: [candidate(1, smaller), candidate(2, pen), candidate(3, finger)])
        #expect(choice.paths == ["/dev/input/event3", "/dev/input/event2"])
        #expect(choice.reasons[1].hasSuffix("used: a pen on a screen, with the touch screen"))
        #expect(choice.reasons[0].contains("another device is preferred"))
        // The pen of a smaller display does not belong to this one, nor does a tablet beside the screen.
        #expect(DeviceFinder.choose(from: [candidate(1, smaller), candidate(3, finger)]).paths.count == 1)
        #expect(DeviceFinder.choose(from: [candidate(1, elan), candidate(3, .pen(isDirect: false))]).paths.count == 1)
        // A pen of another maker and unknown size belongs to the only touch screen; if there are two, to neither.
        var stranger = DeviceDescription.pen()
        stranger.vendor = 7
        let alone = DeviceFinder.choose(from: [candidate(0, stranger), candidate(1, elan)])
        #expect(alone.paths == ["/dev/input/event1", "/dev/input/event0"])
        let two = [candidate(0, stranger), candidate(1, elan), candidate(2, finger)]
        #expect(DeviceFinder.choose(from: two).paths == ["/dev/input/event1"])
        // The same maker's pen comes before the first.
        let both = DeviceFinder.choose(from: [candidate(0, stranger), candidate(1, pen), candidate(2, finger)])
        #expect(both.paths == ["/dev/input/event2", "/dev/input/event1"])
        // A pen alone is not joined by a second one.
        #expect(DeviceFinder.choose(from: [candidate(1, pen), candidate(2, smaller)]).paths == ["/dev/input/event1"])
    }

    @Test("unusable devices are passed over with the reason")
    func reasons() {
        let choice = DeviceFinder.choose(from: [
            candidate(0, DeviceDescription(name: "mouse", keys: [EventCode.buttonLeft])),
            .init(
                path: "/dev/input/event1",
                error: .refused(path: "/dev/input/event1", .otherGroup("input", user: "me"))),
        ])
        #expect(choice.paths == [])
        #expect(choice.reasons[0] == "/dev/input/event0 (mouse): not used: it is a mouse")
        #expect(choice.reasons[1].contains("group input"))
        #expect(DeviceFinder.choose(from: []).paths == [])
    }

    @Test("event devices, and nothing else, are listed in numeric order, with an error if they cannot be queried")
    func list() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        for name in ["event10", "event2", "event0", "eventful", "event", "event01", "mouse0", "event99999999999"] {
            try folder.write(name, [])
        }
        mkdir(root + "/event3", 0o700)
        mkfifo(root + "/event4", 0o600)
        let candidates = try DeviceFinder.list(directory: root)
        #expect(candidates.map(\.path) == [0, 2, 3, 4, 10].map { "\(root)/event\($0)" })
        for candidate in candidates {
            #expect(candidate.error == .notAnInputDevice(path: candidate.path, .notATerminal))
        }
    }

    @Test("a missing directory is an error with an explanation")
    func noFolder() {
        let error = TouchError.cannotList(directory: "/nowhere", .noSuchFile)
        #expect(throws: error) { try DeviceFinder.list(directory: "/nowhere") }
        #expect(error.message.contains("/nowhere"))
    }
}

@Suite("Opening a device")
struct TouchDeviceTests {
    private func failure(_ path: String) -> TouchError? {
        do {
            _ = try TouchDevice(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("a missing path, a file, a directory and a pipe are refused by name, without blocking")
    func notDevices() throws {
        #expect(failure("/nowhere") == .cannotOpen(path: "/nowhere", .noSuchFile))
        let folder = try TemporaryDirectory()
        let root = folder.path
        try folder.write("file", [0])
        mkfifo(root + "/pipe", 0o600)
        for name in ["/file", "/pipe", ""] {
            #expect(failure(root + name) == .notAnInputDevice(path: root + name, .notATerminal))
        }
    }

    @Test("each message names the device and the remedy")
    func messages() {
        let path = "/dev/input/event7"
        let errors: [(TouchError, String)] = [
            (.refused(path: path, .otherGroup("input", user: "me")), "group input"),
            (.refused(path: path, .notInitialized), "udev"), (.refused(path: path, .byPolicy), "DeviceAllow"),
            (.cannotOpen(path: path, .noSuchFile), "plugged in"),
            (.cannotOpen(path: path, .noSuchDevice), "unplugged"),
            (.cannotOpen(path: path, .inputOutput), "cannot open"),
            (.notAnInputDevice(path: path, .notATerminal), "/dev/input/event*"),
            (.unusable(path: path, name: "Mouse", reason: "is a mouse"), "it is a mouse"),
            (.deviceGone(path: path), "unplugged"), (.readFailed(path: path, .inputOutput), "reading"),
        ]
        for (error, words) in errors {
            #expect(error.message.contains(path) && error.message.contains(words), "\(error)")
            #expect("\(error)" == error.message)
        }
    }
}
