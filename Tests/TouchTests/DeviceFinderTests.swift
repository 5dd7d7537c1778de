// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing
import Touch

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
            #expect(DeviceFinder.choose(from: Array(all.prefix(count))).path == "/dev/input/event\(count - 1)")
        }
        let choice = DeviceFinder.choose(from: all)
        #expect(choice.path == "/dev/input/event3")
        #expect(choice.reasons.count == 5)
        #expect(choice.reasons[3] == "/dev/input/event3 (panel): taken: a multitouch screen (10 contacts)")
        #expect(choice.reasons[4].contains("passed over: a multitouch screen"))
    }

    @Test("what cannot be used is passed over with its reason")
    func reasons() {
        let choice = DeviceFinder.choose(from: [
            candidate(0, DeviceDescription(name: "mouse", keys: [EventCode.buttonLeft])),
            .init(
                path: "/dev/input/event1",
                error: .cannotOpen(path: "/dev/input/event1", .permissionDenied)),
        ])
        #expect(choice.path == nil)
        #expect(choice.reasons[0] == "/dev/input/event0 (mouse): passed over: it is a mouse")
        #expect(choice.reasons[1].contains("group input"))
        #expect(DeviceFinder.choose(from: []).path == nil)
    }

    @Test("lists event devices in numeric order and nothing else, each that cannot be asked with its error")
    func list() throws {
        let folder = try TemporaryFolder()
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
