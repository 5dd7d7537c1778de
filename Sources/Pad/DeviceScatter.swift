// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Record

/// What accepted signatures have shown of each device's noise, since the program started.
struct DeviceScatter {
    /// The oldest device is forgotten above this.
    private static let deviceLimit = 16

    private var devices: [(device: CaptureDevice, history: ScatterHistory)] = []

    mutating func learn(from capture: Capture) {
        let pixels = capture.header.screen.pixelsPerMillimetre
        let density = PixelDensity(pixelsPerMillimetre: pixels) ?? .standard
        for stroke in capture.ink.visible where capture.header.devices.indices.contains(stroke.device) {
            let device = capture.header.devices[stroke.device]
            let index = index(of: device) ?? devices.count
            if index == devices.count { devices.append((device, ScatterHistory())) }
            devices[index].history.add(stroke.drawn, density: density)
        }
        devices.removeFirst(max(0, devices.count - Self.deviceLimit))
    }

    /// The scatter of the steadiest device, which a capture's pen assumes of all (``Pen/panelScatter``); before its
    /// first signatures, the noise that its self-test has measured.
    /// - Returns: nil if no device is known.
    func least(of devices: [CaptureDevice]) -> Double? {
        devices.compactMap { device in
            index(of: device).flatMap { self.devices[$0].history.millimetres } ?? device.selfTest?.noise
        }.min()
    }

    private func index(of device: CaptureDevice) -> Int? { devices.firstIndex { $0.device.measures(as: device) } }
}
