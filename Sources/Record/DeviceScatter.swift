// SPDX-License-Identifier: Apache-2.0

/// The scatter that a touch device's samples have shown in accepted signatures, as the panel keeps it across restarts:
/// JSON lines, a device each.
public struct DeviceScatter: Codable, Equatable, Sendable {
    /// The maximum number of devices in a file.
    public static let deviceLimit = 16
    /// The longest file that is read, in bytes.
    public static let byteLimit = 256 << 10

    public let device: CaptureDevice
    /// Millimetres, 0...1.
    public let scatter: Double

    /// - Parameter scatter: in millimetres; limited to 0...1.
    public init(_ device: CaptureDevice, scatter: Double) {
        var device = device
        // It has a file of its own.
        device.selfTest = nil
        self.device = device
        self.scatter = max(0, min(scatter, 1))
    }

    /// Whether it is a device that can have drawn, and its scatter.
    private var isValid: Bool {
        device.transform.count == 6 && device.transform.allSatisfy(\.isFinite) && (0...1).contains(scatter)
    }

    /// The file with the last ``deviceLimit`` devices that fit.
    public static func encode(_ devices: [DeviceScatter]) -> [UInt8] {
        var bytes: [[UInt8]] = []
        var room = byteLimit
        for device in devices.suffix(deviceLimit).reversed() where device.isValid {
            guard let line = try? JSONLines.encode(device) + [JSONLines.newline] else { continue }
            room -= line.count
            if room < 0 { break }
            bytes.append(line)
        }
        return Array(bytes.reversed().joined())
    }

    /// - Returns: nil unless all lines are whole and valid.
    public static func decode(_ bytes: [UInt8]) -> [DeviceScatter]? {
        guard bytes.count <= byteLimit, JSONLines.wholeByteCount(bytes) == bytes.count else { return nil }
        let lines = JSONLines.whole(bytes)
        guard lines.count <= deviceLimit else { return nil }
        var devices: [DeviceScatter] = []
        for line in lines {
            guard let device = try? JSONLines.parse(DeviceScatter.self, line), device.isValid else { return nil }
            devices.append(device)
        }
        return devices
    }
}
