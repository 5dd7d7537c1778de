// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostAPI
import TestSupport
import Testing

@testable import inkpanel

@Suite("The report of a machine")
struct MachineReportTests {
    @Test(
        "has no names, addresses, serial numbers, identifiers and tokens",
        arguments: [
            ("usb 1-1: SerialNumber: 00A1B2", "usb 1-1: SerialNumber: …"),
            ("host 192.0.2.17 port 8443 refused", "host … port 8443 refused"), ("to 192.0.2.17:8443", "to …"),
            ("from 2001:db8::17", "from …"), ("smsc95xx dc:a6:32:01:02:03 is up", "smsc95xx … is up"),
            ("token ipt_abc.def used", "token … used"),
            ("record 20261127-111939-25bc0d19d53b6b63 kept", "record … kept"),
            ("uuid=1b4e28ba-2fa1-11d2-883f-0016d3cca427", "uuid=…"),
            ("signer \"Anna Müller\" left", "signer \"…\" left"),
            ("prompt “Pay 900” shown", "prompt “…” shown"), ("without \"an end", "without \"…"),
            ("mail anna@example.org", "mail …"), ("https://till.example/orders/7", "…"),
            ("cannot reach mqtt.example.org:8883: timed out", "cannot reach … timed out"), ("pad.local", "…"),
            ("pad-7: no route", "… no route"),
            ("/home/anna/contract.pdf is gone", "… is gone"),
        ])
    func leavesOut(_ line: String, _ expected: String) {
        #expect(PrivateParts(hostName: "pad-7").removed(from: line) == expected)
    }

    @Test(
        "keeps what tells a device and its fault",
        arguments: [
            "DSI-1: 800x480@60, connected", "inkpanel 0.1.0", "linux-image-6.1.0-32-arm64 6.1.129-1",
            "[drm] *ERROR* flip_done timed out",
            "0000:01:00.0: BAR 2", "/dev/input/event3: ABS_MT_POSITION_X 0...4095, 12 units/mm",
            "i2c_designware 1f00074000.i2c",
            "2026-11-29", "error -110", "inkpanel-deliver.service: Failed", "libpango-1.0-0 1.50.12+ds-1",
        ])
    func keeps(_ line: String) {
        #expect(PrivateParts(hostName: "pad-7").removed(from: line) == line)
    }

    private func display(serial: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0, 255, 255, 255, 255, 255, 255, 0, 0x4c, 0x2d, 0x34, 0x12] + serial
        bytes += [UInt8](repeating: 7, count: 54 - bytes.count)
        bytes += [0, 0, 0, 0xff, 0] + Array("H4ZM123456".utf8) + [10, 32, 32]
        bytes += [0, 0, 0, 0xfc, 0] + Array("Panel\n       ".utf8)
        bytes += [UInt8](repeating: 1, count: 128 - bytes.count)
        return bytes
    }

    @Test("has the EDID of a display without its serial numbers, with a right checksum")
    func edid() throws {
        let edid = try #require(EDID(display(serial: [1, 2, 3, 4]) + [UInt8](repeating: 9, count: 128)))
        #expect(edid.model == "SAM 1234" && edid.bytes.count == 128 && edid.lines.count == 4)
        #expect(edid.bytes.reduce(0, &+) == 0)
        #expect(edid == EDID(display(serial: [9, 9, 9, 9])))
        let text = String(decoding: edid.bytes, as: UTF8.self)
        #expect(text.contains("Panel") && !text.contains("H4ZM"))
        for count in [0, 1, 127] { #expect(EDID(Array(display(serial: [0, 0, 0, 0]).prefix(count))) == nil) }
        #expect(EDID([UInt8](repeating: 0, count: 128)) == nil)
    }

    @Test("says what the board is and what its kernel was told about the screen, and nothing else of it")
    func machine() throws {
        let directory = try TemporaryDirectory()
        for (path, text) in [
            ("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0"),
            ("/proc/sys/kernel/osrelease", "6.12.47-v8\n"),
            (
                "/proc/cmdline",
                "root=PARTUUID=1b4e28ba-02 smsc95xx.macaddr=DC:A6:32:01:02:03 video=DSI-1:800x480 drm.debug=4 quiet\n"
            ),
            ("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n"),
        ] {
            let folder =
                directory.path + path.prefix { _ in true }.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            var made = ""
            for part in folder.split(separator: "/") {
                made += "/" + part
                mkdir(made, 0o700)
            }
            let file = try #require(fopen(directory.path + path, "w"))
            fwrite(text, 1, text.utf8.count, file)
            fclose(file)
        }
        var report = MachineReport(MachineFiles(root: directory.path))
        report.addMachine()
        report.addPrograms()
        report.addCaptures([])
        for part in [
            "Raspberry Pi 4 Model B Rev 1.5", "6.12.47-v8", "Debian GNU/Linux 13",
            "video=DSI-1:800x480 drm.debug=4 quiet",
        ] {
            #expect(report.text.contains(part), "\(part)")
        }
        #expect(!report.text.contains("PARTUUID") && !report.text.contains("32:01"))
        #expect(report.text.contains("== failed units\nnone\n"))
    }
}
