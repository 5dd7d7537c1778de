// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Record
import Testing
import Touch

@testable import Panel

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
            let header = CaptureHeader(
                id: "1", startedAt: 0, startedAtDeviceTime: 0, program: "inkpanel", devices: [device],
                screen: CaptureScreen(
                    width: mapping.map.picture.width, height: mapping.map.picture.height, pixelsPerMillimetre: 5,
                    clampedLast: true, signingArea: [0, 0, 9, 9]), request: CaptureRequest())
            #expect(header.map(of: 0) == mapping.map, "\(rotation)")
        }
        let mapping = try #require(PanelMapping(panel, panel: PixelSize(width: 8, height: 8)))
        panel.axes = [:]
        #expect(CaptureDevice(panel, mapping: mapping) == nil)
    }
}
