// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Record

/// Facts about each device from signatures accepted since the program started: its noise, and whether it measures
/// pressure.
struct KnownDevices {
    /// The oldest device is forgotten above this.
    private static let deviceLimit = 16

    private struct Known {
        let device: CaptureDevice
        var scatter = ScatterHistory()
        var measuresPressure = false
    }

    private var devices: [Known] = []

    mutating func learn(from capture: Capture) {
        let pixels = capture.header.screen.pixelsPerMillimetre
        let density = PixelDensity(pixelsPerMillimetre: pixels) ?? .standard
        for stroke in capture.ink.visible where capture.header.devices.indices.contains(stroke.device) {
            let device = capture.header.devices[stroke.device]
            let index = index(of: device) ?? devices.count
            if index == devices.count { devices.append(Known(device: device)) }
            if capture.measuring.contains(stroke.device) { devices[index].measuresPressure = true }
            devices[index].scatter.add(stroke.drawn, density: density)
        }
        devices.removeFirst(max(0, devices.count - Self.deviceLimit))
    }

    /// The scatter of the steadiest device, which a capture's pen assumes of all (``Pen/panelScatter``); before its
    /// first signatures, the noise that its self-test has measured.
    /// - Returns: nil if no device is known.
    func leastScatter(of devices: [CaptureDevice]) -> Double? {
        devices.compactMap { device in
            index(of: device).flatMap { self.devices[$0].scatter.millimetres } ?? device.selfTest?.noise
        }.min()
    }

    /// The devices, by their numbers in a capture, whose pressure has varied.
    func measuring(_ devices: [CaptureDevice]) -> Set<Int> {
        Set(
            devices.indices.filter { number in
                index(of: devices[number]).map { self.devices[$0].measuresPressure } ?? false
            })
    }

    private func index(of device: CaptureDevice) -> Int? { devices.firstIndex { $0.device.measures(as: device) } }
}
