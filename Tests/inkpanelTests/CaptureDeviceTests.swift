// SPDX-License-Identifier: Apache-2.0
import Geometry
import Record
import Testing
import Touch

@testable import inkpanel

@Suite("Touch devices in records")
struct CaptureDeviceTests {
    @Test("a record describes the device, and its samples have the positions that the pad had")
    func description() throws {
        var panel = DeviceDescription(
            name: "Pen", bus: 3, vendor: 4, product: 5, version: 6, properties: [EventCode.propertyDirect],
            keys: [EventCode.touch, EventCode.toolPen],
            axes: [
                EventCode.absX: AxisInfo(minimum: 400, maximum: 59152, resolution: 200),
                EventCode.absY: AxisInfo(minimum: -7, maximum: 33448, resolution: 199),
                EventCode.absPressure: AxisInfo(minimum: 0, maximum: 2047),
            ])
        (panel.uniq, panel.phys, panel.firmware) = ("4:a", "usb-1/input0", "fw_version=2")
        for rotation in Rotation.allCases {
            let size = PixelSize(width: 1920, height: 1080)
            let calibration = try Calibration.matrix("0.9 0.02 0.03 -0.01 1.05 -0.02")
            let mapping = try #require(
                PanelMapping(panel, panel: size, rotation: rotation, calibration: calibration))
            let device = try #require(CaptureDevice(panel, mapping: mapping))
            #expect(device.name == "Pen" && device.bus == 3 && device.vendor == 4)
            #expect(device.product == 5 && device.version == 6)
            #expect(device.uniq == "4:a" && device.phys == "usb-1/input0" && device.firmware == "fw_version=2")
            #expect(device.x == .init(minimum: 400, maximum: 59152, resolution: 200))
            #expect(device.y == .init(minimum: -7, maximum: 33448, resolution: 199))
            #expect(device.pressure == .init(minimum: 0, maximum: 2047, resolution: 0))
            for (x, y) in [(Int32(5000), Int32(3000)), (30000, 16000), (50000, 30000)] {
                let place = try #require(device.position(x: x, y: y))
                #expect(place.distance(to: mapping.position(of: DeviceReading(x: x, y: y))) < 1e-6, "\(rotation)")
            }
        }
        let mapping = try #require(PanelMapping(panel, panel: PixelSize(width: 8, height: 8)))
        panel.axes = [:]
        #expect(CaptureDevice(panel, mapping: mapping) == nil)
    }
}
