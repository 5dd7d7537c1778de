// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Touch

@Suite("The firmware of touch controllers")
struct DeviceFirmwareTests {
    /// A tree as in sysfs: folders with a driver, and attributes.
    private func tree(_ drivers: [String], _ attributes: [String: String]) throws -> TemporaryDirectory {
        let root = try TemporaryDirectory()
        func make(_ folder: String) {
            var path = root.path
            for part in folder.split(separator: "/") {
                path += "/" + part
                mkdir(path, 0o700)
            }
        }
        make("i2c-1/1-0038/rmi4-00/rmi4-00.fn01")
        make("i2c-1/1-0038/rmi4-00/input/input3/event3")
        for folder in drivers { symlink("/nowhere", root.path + "/" + folder + "/driver") }
        for (name, text) in attributes { try root.write(name, Array(text.utf8)) }
        return root
    }

    private func firmware(_ drivers: [String], _ attributes: [String: String]) throws -> String? {
        let root = try tree(drivers, attributes)
        return DeviceFirmware.read(above: root.path + "/i2c-1/1-0038/rmi4-00/input/input3/event3")
    }

    @Test("the attributes of the nearest device with a driver count, in a fixed order")
    func attributes() throws {
        let chip = "i2c-1/1-0038/"
        #expect(
            try firmware(["i2c-1/1-0038"], [chip + "hw_version": "0x0a\n", chip + "fw_version": "2.03\n"])
                == "hw_version=0x0a fw_version=2.03")
        #expect(
            try firmware(
                ["i2c-1/1-0038", "i2c-1/1-0038/rmi4-00"],
                [
                    chip + "fw_version": "2", chip + "rmi4-00/rmi4-00.fn01/product_id": "TM2714-001\n",
                    chip + "rmi4-00/rmi4-00.fn01/firmware_id": "1540247\n",
                ]) == "product_id=TM2714-001 firmware_id=1540247")
        // The second driver from below counts, too.
        #expect(
            try firmware(["i2c-1/1-0038", "i2c-1/1-0038/rmi4-00"], [chip + "fw_version": "2"]) == "fw_version=2")
    }

    @Test("devices without a driver, without attributes and further up tell nothing")
    func none() throws {
        let chip = "i2c-1/1-0038/"
        #expect(try firmware([], [chip + "fw_version": "2"]) == nil)
        #expect(try firmware(["i2c-1/1-0038"], [chip + "name": "2", chip + "fw_version": " \n"]) == nil)
        let all = ["i2c-1", "i2c-1/1-0038", "i2c-1/1-0038/rmi4-00"]
        #expect(try firmware(all, ["i2c-1/fw_version": "2"]) == nil)
        #expect(DeviceFirmware.read(above: "") == nil && DeviceFirmware.read(above: "/nowhere/at/all") == nil)
    }

    @Test("only printable characters of a text count, 64 of them")
    func identifiers() {
        func identifier(_ text: String) -> String? { DeviceDescription.identifier(text.utf8) }
        #expect(identifier("  a\u{1B}[2J b\u{7F}\n") == "a[2J b" && identifier("é\u{202E}\n ") == nil)
        #expect(identifier("") == nil)
        #expect(identifier(String(repeating: "x", count: 63) + " yz") == String(repeating: "x", count: 63))
        #expect(identifier(String(repeating: "x", count: 99)) == String(repeating: "x", count: 64))
        #expect(DeviceDescription.identifier([0xFF, 0x41, 0x00, 0x42]) == "AB")
    }
}
