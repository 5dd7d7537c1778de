// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing
import Touch

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

    @Test("a path that is not there, a file, a folder and a pipe are refused by name, and none holds up the caller")
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

    @Test("each message names the device and what to do")
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
