// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import TestSupport
import Testing

@testable import Store

@Suite("The log of self-tests")
struct DigitizerTestLogTests {
    private func test(at time: Int64) -> DigitizerTest {
        DigitizerTest(
            at: time, program: "inkpanel 1", offset: 0.5, largestOffset: 1.25, noise: 0.03, reportRate: 100,
            longestGap: 20_000, breaks: 0, drops: 0)
    }

    private let devices = [CaptureRecord.pad().header.devices[0], CaptureRecord.pen(pressure: nil)]

    @Test("the latest test of a device is found, wherever it is plugged in")
    func latest() throws {
        let folder = try TemporaryDirectory()
        var log = try DigitizerTestLog(store: folder.path)
        #expect(log.latest(of: devices[0]) == nil && log.warning == nil)
        try log.add(test(at: 1), of: devices[0])
        try log.add(test(at: 2), of: devices[0])
        try log.add(test(at: 3), of: devices[1])
        let read = try DigitizerTestLog(store: folder.path)
        for log in [log, read] {
            var moved = devices[0]
            moved.phys = "usb-2"
            #expect(log.latest(of: moved)?.at == 2 && log.latest(of: devices[1])?.at == 3)
        }
    }

    @Test("another firmware, number, product or calibration has no test")
    func others() throws {
        let folder = try TemporaryDirectory()
        var log = try DigitizerTestLog(store: folder.path)
        try log.add(test(at: 1), of: devices[0])
        for change: (inout CaptureDevice) -> Void in [
            { $0.firmware = "fw=2" }, { $0.uniq = "8" }, { $0.product += 1 }, { $0.name += "2" },
            { $0.transform[4] += 1 },
        ] {
            var other = devices[0]
            change(&other)
            #expect(log.latest(of: other) == nil)
        }
    }

    @Test("damaged lines are reported and kept, and the others count")
    func damaged() throws {
        let folder = try TemporaryDirectory()
        var log = try DigitizerTestLog(store: folder.path)
        try log.add(test(at: 1), of: devices[0])
        let path = folder.path + "/self-tests.jsonl"
        let good = try #require(try InputFile.read(path, maximumByteCount: 10_000))
        try AtomicFile.write(Array("{\"name\":1}\n".utf8) + good + Array("{\"torn".utf8), to: path)
        var read = try DigitizerTestLog(store: folder.path)
        #expect(read.warning?.contains("line 1 is damaged") == true)
        #expect(read.latest(of: devices[0])?.at == 1)
        try read.add(test(at: 2), of: devices[0])
        let again = try DigitizerTestLog(store: folder.path)
        #expect(again.warning == read.warning && again.latest(of: devices[0])?.at == 2)
    }

    @Test("a link is neither read nor written through, and root's file is the panel's")
    func links() throws {
        let folder = try TemporaryDirectory()
        let (path, target) = (folder.path + "/self-tests.jsonl", folder.path + "/target")
        try AtomicFile.write([65], to: target)
        for linked in [target, folder.path + "/nothing"] {
            try #require(symlink(linked, path) == 0)
            #expect(
                thrownError { try DigitizerTestLog(store: folder.path) } as? StoreError
                    == .unsafe(path: path, "is a link; put the file itself there"))
            try Directory.remove(path)
        }
        var log = try DigitizerTestLog(store: folder.path)
        // Somebody makes the link while the person draws.
        try #require(symlink(target, path) == 0)
        if geteuid() == 0 { try #require(chown(folder.path, 12345, 12345) == 0) }
        try log.add(test(at: 1), of: devices[0])
        #expect(try InputFile.read(target, maximumByteCount: 9) == [65])
        var status = stat()
        #expect(lstat(target, &status) == 0 && status.st_uid == geteuid())
        #expect(lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o600)
        #expect(status.st_uid == (geteuid() == 0 ? 12345 : geteuid()))
        #expect(try DigitizerTestLog(store: folder.path).latest(of: devices[0])?.at == 1)
    }

    @Test("the oldest lines are dropped, and a file that is too large is an error")
    func limits() throws {
        let folder = try TemporaryDirectory()
        var log = try DigitizerTestLog(store: folder.path)
        try log.add(test(at: 0), of: devices[1])
        for time in 1...500 { try log.add(test(at: Int64(time)), of: devices[0]) }
        let read = try DigitizerTestLog(store: folder.path)
        #expect(read.latest(of: devices[1]) == nil && read.latest(of: devices[0])?.at == 500)
        try AtomicFile.write([UInt8](repeating: 10, count: 1 << 20 + 1), to: folder.path + "/self-tests.jsonl")
        #expect(throws: StoreError.self) { try DigitizerTestLog(store: folder.path) }
    }
}
