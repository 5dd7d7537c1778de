// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Record

/// Facts about each device from accepted signatures: its noise, also from those before the program started, and whether
/// it measures pressure.
struct KnownDevices {
    private struct Known {
        let device: CaptureDevice
        var scatter = ScatterHistory()
        /// The scatter in millimetres as it was last kept for the next start of the program.
        var kept: Double?
        var measuresPressure = false

        /// Whether the scatter has changed enough to matter at the next start. Storing smaller changes would only wear
        /// out flash.
        var hasChanged: Bool {
            guard let scatter = scatter.millimetres else { return false }
            guard let kept else { return true }
            return abs(scatter - kept) > max(0.05 * kept, 0.003)
        }
    }

    /// The devices in the order in which they last drew. Above the limit, the first one is forgotten.
    private var devices: [Known] = []

    mutating func learn(from capture: Capture) {
        let pixels = capture.header.screen.pixelsPerMillimetre
        let density = PixelDensity(pixelsPerMillimetre: pixels) ?? .standard
        for stroke in capture.acceptedStrokes where capture.header.devices.indices.contains(stroke.device) {
            let device = capture.header.devices[stroke.device]
            var known = index(of: device).map { devices.remove(at: $0) } ?? Known(device: device)
            if capture.measuring.contains(stroke.device) { known.measuresPressure = true }
            known.scatter.add(stroke.drawn, density: density)
            devices.append(known)
        }
        devices.removeFirst(max(0, devices.count - DeviceScatter.deviceLimit))
    }

    /// Adds what an earlier run of the program has kept.
    mutating func remember(_ kept: [DeviceScatter]) {
        let unknown = kept.filter { index(of: $0.device) == nil }
        let remembered = unknown.map {
            Known(device: $0.device, scatter: ScatterHistory(after: $0.scatter), kept: $0.scatter)
        }
        devices = Array((remembered + devices).suffix(DeviceScatter.deviceLimit))
    }

    /// The scatter to keep for the next start of the program.
    /// - Returns: nil if no scatter has changed enough to matter.
    mutating func changedScatter() -> [DeviceScatter]? {
        guard devices.contains(where: \.hasChanged) else { return nil }
        for index in devices.indices { devices[index].kept = devices[index].scatter.millimetres }
        return devices.compactMap { known in known.kept.map { DeviceScatter(known.device, scatter: $0) } }
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
