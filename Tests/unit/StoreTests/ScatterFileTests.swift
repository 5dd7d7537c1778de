// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import TestSupport
import Testing

@testable import Store

@Suite("The file of touch devices' scatter")
struct ScatterFileTests {
    private let spool: Spool
    private let file: ScatterFile
    private let devices = CaptureRecord.random(seed: 2).header.devices.map { DeviceScatter($0, scatter: 0.084) }

    init() throws {
        spool = try Spool()
        file = ScatterFile(store: spool.store.path)
    }

    @Test("it is private, replaced as a whole, and nothing to the store")
    func write() throws {
        #expect(file.read() == ([], nil))
        let record = CaptureRecord.random(seed: 4)
        try spool.write(record)
        let before = try spool.store.list()
        for devices in [devices, [devices[0]], []] {
            try file.write(devices)
            #expect(file.read() == (devices, nil))
        }
        #expect(spool.permissions("/scatter.jsonl") == 0o600)
        #expect(try Directory.names(of: spool.store.path).sorted() == ["captures", "open", "scatter.jsonl"])
        #expect(try spool.store.list() == before && spool.store.recover().failures.isEmpty)
    }

    @Test("a damaged, foreign, large or exposed file counts for no device, and is written anew")
    func refused() throws {
        try file.write(devices)
        let good = try #require(try InputFile.read(file.path, maximumByteCount: 100_000))
        let large = [UInt8](repeating: 10, count: DeviceScatter.byteLimit + 1)
        for bytes in [Array(good.dropLast()), [0] + good, Array("[touch]\n".utf8), large] {
            try AtomicFile.write(bytes, to: file.path)
            #expect(file.read() == ([], "\(file.path) is damaged"))
        }
        try AtomicFile.write(good, to: file.path)
        try #require(chmod(file.path, 0o666) == 0)
        #expect(file.read().devices.isEmpty && file.read().fault != nil)
        try file.write(devices)
        #expect(file.read() == (devices, nil) && spool.permissions("/scatter.jsonl") == 0o600)
    }

    @Test("a link is neither read nor written through")
    func links() throws {
        let target = spool.path + "/target"
        try file.write(devices)
        try Directory.rename(file.path, to: target)
        try #require(symlink(target, file.path) == 0)
        #expect(file.read() == ([], "\(file.path) is a link; put the file itself there"))
        try file.write([])
        #expect(file.read() == ([], nil))
        #expect(try InputFile.read(target, maximumByteCount: 100_000) == DeviceScatter.encode(devices))
    }

    @Test("what cannot be written is an error, and the file stays as it was")
    func failing() throws {
        try #require(mkdir(file.path, 0o700) == 0)
        #expect(file.read().fault != nil)
        #expect(throws: StoreError.failed(.write, path: file.path, .isDirectory)) { try file.write(devices) }
        let missing = ScatterFile(store: spool.path + "/nowhere")
        #expect(missing.read() == ([], nil))
        #expect(throws: StoreError.self) { try missing.write(devices) }
    }
}
