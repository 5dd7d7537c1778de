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
        #expect(choice.reasons[3] == "/dev/input/event3 (panel): taken: a multitouch screen (10 contacts)")
        #expect(choice.reasons[4].contains("passed over: a multitouch screen"))
    }

    @Test("a pen display is taken with both its devices, by its maker and size, whatever else is there")
    func penDisplay() throws {
        let finger = try DeviceDescription.described("Wacom Cintiq 24HD touch Finger.desc")
        let pen = try DeviceDescription.described("Wacom Cintiq 24HD touch Pen.desc")
        let smaller = try DeviceDescription.described("Wacom Cintiq 21UX2 Pen.device")
        let elan = try DeviceDescription.described("ELAN Touchscreen.desc")
        let choice = DeviceFinder.choose(from: [candidate(1, smaller), candidate(2, pen), candidate(3, finger)])
        #expect(choice.paths == ["/dev/input/event3", "/dev/input/event2"])
        #expect(choice.reasons[1].hasSuffix("taken: a pen on a screen, with the touch screen"))
        #expect(choice.reasons[0].contains("another comes first"))
        // The pen of a smaller display is none of this one's, nor is a tablet beside the screen.
        #expect(DeviceFinder.choose(from: [candidate(1, smaller), candidate(3, finger)]).paths.count == 1)
        #expect(DeviceFinder.choose(from: [candidate(1, elan), candidate(3, .pen(isDirect: false))]).paths.count == 1)
        // A pen by another maker, whose size is not known, belongs to the only touch screen; of two screens to neither.
        var stranger = DeviceDescription.pen()
        stranger.vendor = 7
        let alone = DeviceFinder.choose(from: [candidate(0, stranger), candidate(1, elan)])
        #expect(alone.paths == ["/dev/input/event1", "/dev/input/event0"])
        let two = [candidate(0, stranger), candidate(1, elan), candidate(2, finger)]
        #expect(DeviceFinder.choose(from: two).paths == ["/dev/input/event1"])
        // Of two that fit the maker's own comes before the first.
        let both = DeviceFinder.choose(from: [candidate(0, stranger), candidate(1, pen), candidate(2, finger)])
        #expect(both.paths == ["/dev/input/event2", "/dev/input/event1"])
        // A pen alone is a device of its own, and takes no second one with it.
        #expect(DeviceFinder.choose(from: [candidate(1, pen), candidate(2, smaller)]).paths == ["/dev/input/event1"])
    }

    @Test("what cannot be used is passed over with its reason")
    func reasons() {
        let choice = DeviceFinder.choose(from: [
            candidate(0, DeviceDescription(name: "mouse", keys: [EventCode.buttonLeft])),
            .init(
                path: "/dev/input/event1",
                error: .refused(path: "/dev/input/event1", .otherGroup("input", user: "me"))),
        ])
        #expect(choice.paths == [])
        #expect(choice.reasons[0] == "/dev/input/event0 (mouse): passed over: it is a mouse")
        #expect(choice.reasons[1].contains("group input"))
        #expect(DeviceFinder.choose(from: []).paths == [])
    }

    @Test("lists event devices in numeric order and nothing else, each that cannot be asked with its error")
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

    @Test("a folder that is not there is an error that says what it means")
    func noFolder() {
        let error = TouchError.cannotList(directory: "/nowhere", .noSuchFile)
        #expect(throws: error) { try DeviceFinder.list(directory: "/nowhere") }
        #expect(error.message.contains("/nowhere"))
    }
}
