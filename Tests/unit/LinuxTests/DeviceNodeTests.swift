// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Linux

@Suite("Devices and their nodes") struct DeviceNodeTests {
    private func refusal(
        mode: mode_t, owner: uid_t = 0, group: gid_t = 0, writing: Bool = true, user: uid_t = 4711,
        groups: [gid_t] = [4711], isInitialized: Bool = true
    ) -> NodeRefusal {
        var status = stat()
        (status.st_mode, status.st_uid, status.st_gid) = (S_IFCHR | mode, owner, group)
        return NodeRefusal(isInitialized: isInitialized, status: status, writing: writing, user: user, groups: groups)
    }

    @Test("owner, group and mode give the cause of a refusal")
    func causes() {
        #expect(refusal(mode: 0o600, isInitialized: false) == .notInitialized)
        #expect(refusal(mode: 0o600) == .ownerOnly(owner: "root", group: "root"))
        #expect(refusal(mode: 0o660, group: 4712) == .otherGroup("4712", user: "4711"))
        #expect(refusal(mode: 0o660, group: 4711) == .byPolicy)
        #expect(refusal(mode: 0o666) == .byPolicy)
        #expect(refusal(mode: 0o600, owner: 4711) == .byPolicy)
        #expect(refusal(mode: 0o600, user: 0) == .byPolicy)
        // Reading is enough for input devices.
        #expect(refusal(mode: 0o640, group: 4711) == .ownerOnly(owner: "root", group: "4711"))
        #expect(refusal(mode: 0o640, group: 4711, writing: false) == .byPolicy)
        #expect(refusal(mode: 0o640, group: 4712, writing: false) == .otherGroup("4712", user: "4711"))
    }

    @Test("each cause has a remedy")
    func messages() {
        #expect("\(NodeRefusal.otherGroup("video", user: "me"))".contains("usermod -aG video me"))
        #expect("\(NodeRefusal.ownerOnly(owner: "root", group: "root"))".contains("rule"))
        #expect("\(NodeRefusal.notInitialized)".contains("udev"))
        #expect("\(NodeRefusal.byPolicy)".contains("DeviceAllow="))
    }

    @Test("a file that is not a device is not waited for")
    func notADevice() {
        #expect(!DeviceNode.awaitsUdev("/nowhere") && !DeviceNode.awaitsUdev("/etc/passwd"))
    }

    @Test("a watch reports a change of mode once, also in a directory that appears later")
    func watch() throws {
        let root = try TemporaryDirectory()
        let (early, late) = (root.path + "/early", root.path + "/late")
        mkdir(early, 0o700)
        try root.write("early/node", [])
        let watch = try NodeWatch(folders: [(early, .drm), (late, .input), (root.path, .graphics)])
        #expect(watch.changed().isEmpty)
        chmod(early + "/node", 0o640)
        #expect(watch.changed() == [.drm])
        #expect(watch.changed().isEmpty)
        mkdir(late, 0o700)
        #expect(watch.changed().isEmpty)
        try root.write("late/node", [])
        chmod(late + "/node", 0o640)
        #expect(watch.changed() == [.input])
        mkfifo(root.path + "/fb0", 0o600)
        #expect(watch.changed() == [.graphics])
        mkfifo(root.path + "/tty", 0o600)
        #expect(watch.changed().isEmpty)
    }

    @Test("a device is found by its node") func device() throws {
        guard let device = UdevDevice(node: "/dev/null") else {
            Issue.record("/dev/null is a device")
            return
        }
        let name = device.property("DEVNAME")
        let none = device.property("LIBINPUT_CALIBRATION_MATRIX")
        #expect(name == "/dev/null")
        #expect(none == nil)
    }

    @Test("other files are not devices", arguments: ["/dev/nothing-of-this-name", "/etc/passwd", ""])
    func otherFiles(path: String) {
        let isNone = UdevDevice(node: path) == nil
        #expect(isNone)
    }

    /// Tests/system/Panel checks its events on a real kernel.
    @Test("a new monitor has a descriptor and no report") func monitor() throws {
        let monitor = try DeviceMonitor()
        let number = monitor.descriptor
        let change = monitor.next()
        #expect(number >= 0)
        #expect(change == nil)
    }
}
