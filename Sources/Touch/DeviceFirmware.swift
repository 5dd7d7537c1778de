// SPDX-License-Identifier: Apache-2.0
import Linux

/// The hardware and the firmware of a touch controller, as its driver tells them in sysfs.
enum DeviceFirmware {
    /// The attributes of drivers of the kernel: edt-ft5x06, elants_i2c, raydium_i2c_ts, ilitek_ts_i2c, atmel_mxt_ts,
    /// exc3000, melfas_mip4, iqs5xx and rmi4. Others have none, or tell it as the version of the input device.
    private static let attributes = [
        "product_id", "model", "ic_name", "hw_version", "fw_version", "firmware_version", "firmware_id", "fw_info",
        "config_id", "test_version", "bc_version", "iap_mode",
    ]
    /// Devices with a driver above the input device that are looked at: a chip, and the bus device that it talks
    /// through (rmi4 over I2C). Those further up are controllers and hubs, which have nothing to do with touch.
    private static let depth = 2

    /// Reads files of sysfs. Most drivers keep the values; a few, such as exc3000, ask the controller.
    /// - Parameter directory: of the event device in sysfs, without symbolic links.
    /// - Returns: e.g. `fw_version=3.02 hw_version=1`, at most ``DeviceDescription/textLimit`` bytes a value; nil if
    ///   there is no value.
    static func read(above directory: String) -> String? {
        var parts = directory.split(separator: "/")
        var left = depth
        while parts.count > 1, left > 0 {
            parts.removeLast()
            let device = "/" + parts.joined(separator: "/")
            guard (try? Directory.contains(device + "/driver")) == true else { continue }
            left -= 1
            // rmi4 has them in a device beside the input device: function 01 is the device's control.
            let control = device + "/" + (parts.last ?? "") + ".fn01"
            for place in [device, control] {
                let found = attributes.compactMap { name in value(of: place + "/" + name).map { name + "=" + $0 } }
                if !found.isEmpty { return found.joined(separator: " ") }
            }
        }
        return nil
    }

    private static func value(of path: String) -> String? {
        // An attribute has at most a page.
        guard let bytes = try? InputFile.read(path, maximumByteCount: 4096) else { return nil }
        return DeviceDescription.identifier(bytes)
    }
}
