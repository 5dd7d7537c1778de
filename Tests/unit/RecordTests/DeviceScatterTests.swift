// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import TestSupport
import Testing

@testable import Record

@Suite("The scatter of touch devices in a file")
struct DeviceScatterTests {
    private let device = CaptureDevice(
        name: "touch", bus: 3, vendor: 1, product: 2, version: 3,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 0),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 0), pressure: nil,
        transform: [0.1, 0, 0, 0.1, 0.05, 0.05])

    private func devices(seed: UInt64) -> [DeviceScatter] {
        var random = SeededGenerator(seed: seed)
        return CaptureRecord.random(seed: seed).header.devices.map { device in
            DeviceScatter(device, scatter: .random(in: 0...1, using: &random))
        }
    }

    @Test(
        "any devices are read as they were written, without their self-tests", arguments: Breadth.seeds(33, long: 100))
    func roundTrip(seed: UInt64) throws {
        let written = devices(seed: seed)
        let read = try #require(DeviceScatter.decode(DeviceScatter.encode(written)))
        #expect(read == written && read.allSatisfy { $0.device.selfTest == nil })
    }

    @Test("numbers out of range, torn lines and other files are refused; an empty file has no device")
    func invalid() {
        #expect(DeviceScatter.decode([]) == [])
        let good = String(decoding: DeviceScatter.encode([DeviceScatter(device, scatter: 0.25)]), as: UTF8.self)
        #expect(DeviceScatter.decode(Array(good.utf8))?.count == 1)
        func changed(_ part: String, _ other: String) -> String {
            #expect(good.contains(part))
            return good.split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
        }
        let bad = [
            String(good.dropLast()), good + "{", good + "\n", "\u{0}" + good, good + good.dropLast() + "\u{0}\n",
            changed("0.25", "-0.01"), changed("0.25", "1.5"), changed("0.25", "1e999"), changed("0.25", "null"),
            changed("0.25", "\"0.25\""), changed(",\"scatter\":0.25", ""), changed("[0.1,", "["),
            changed("[0.1,", "[0,0.1,"), changed("\"bus\":3", "\"bus\":70000"),
            changed("\"scatter\"", "\"scatter\":0.1,\"scatter\""), "{}\n", "[]\n", "a line\n", "{\"scatter\":0.1}\n",
        ]
        for text in bad { #expect(DeviceScatter.decode(Array(text.utf8)) == nil, "\(text)") }
    }

    @Test("the last sixteen devices that fit are written, and larger files are refused")
    func limits() throws {
        let many = (0..<20 as Range<UInt16>).map { number in
            var device = device
            device.product = number
            return DeviceScatter(device, scatter: 5)
        }
        let bytes = DeviceScatter.encode(many)
        let read = try #require(DeviceScatter.decode(bytes))
        #expect(read == many.suffix(16) && read.allSatisfy { $0.scatter == 1 })
        let line = bytes.prefix { $0 != JSONLines.newline } + [JSONLines.newline]
        #expect(DeviceScatter.decode(bytes + line) == nil)
        let long = many.map { scatter in
            var device = scatter.device
            device.firmware = String(repeating: "7", count: 30_000)
            return DeviceScatter(device, scatter: 0.1)
        }
        let fitting = DeviceScatter.encode(long)
        #expect(fitting.count <= DeviceScatter.byteLimit && DeviceScatter.decode(fitting) == long.suffix(8))
        #expect(DeviceScatter.decode([UInt8](repeating: 10, count: DeviceScatter.byteLimit + 1)) == nil)
        var broken = device
        broken.transform[3] = .nan
        let without = DeviceScatter.encode([DeviceScatter(broken, scatter: 0.1), many[0]])
        #expect(without == DeviceScatter.encode([many[0]]))
    }
}
