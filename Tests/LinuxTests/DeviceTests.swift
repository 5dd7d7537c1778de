// SPDX-License-Identifier: Apache-2.0
import Linux
import Testing

@Suite struct DeviceTests {
    @Test func aDeviceIsKnownByItsNode() throws {
        let device = UdevDevice(node: "/dev/null")
        guard let device else {
            Issue.record("/dev/null is a device")
            return
        }
        let name = device.property("DEVNAME")
        let none = device.property("LIBINPUT_CALIBRATION_MATRIX")
        #expect(name == "/dev/null")
        #expect(none == nil)
    }

    @Test(arguments: ["/dev/nothing-of-this-name", "/etc/passwd", ""])
    func otherFilesAreNoDevices(path: String) {
        let isNone = UdevDevice(node: path) == nil
        #expect(isNone)
    }

    /// What comes through it is shown on a real kernel (Tests/Panel).
    @Test func aMonitorWaitsForWhatHappens() throws {
        let monitor = try DeviceMonitor()
        let number = monitor.descriptor
        let change = monitor.next()
        #expect(number >= 0)
        #expect(change == nil)
    }
}
