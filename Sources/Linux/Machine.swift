// SPDX-License-Identifier: Apache-2.0
import CLibsystemd
import Glibc

/// The machine that the program runs on, for records. Any thread; reads small files.
public enum Machine {
    /// Names this program: machine-id(5) asks programs not to show the id of a machine itself. Never change it, because
    /// records would seem to come from another machine.
    private static let application: [UInt8] = [
        0x24, 0x18, 0x6d, 0x99, 0x41, 0x79, 0x71, 0xd0, 0xb3, 0x74, 0x69, 0xea, 0x96, 0x71, 0xa2, 0x1b,
    ]
    /// Has the boot's id in a service whose sandbox hides /proc/sys (%b in systemd.unit(5)).
    static let bootVariable = "INKPANEL_BOOT_ID"

    /// The kernel's release and the kind of processor, such as `6.12.0-1-arm64 aarch64` (uname(2)).
    public static var kernel: String? {
        var names = utsname()
        guard uname(&names) == 0 else { return nil }
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return text(names.release) + " " + text(names.machine)
    }

    /// The highest temperature that the kernel's thermal zones report, in degrees Celsius (sysfs-class-thermal); nil
    /// without one.
    public static var temperature: Double? {
        let folder = "/sys/class/thermal"
        let zones = ((try? Directory.names(of: folder)) ?? []).filter { $0.hasPrefix("thermal_zone") }
        return zones.compactMap { zone -> Double? in
            guard let bytes = try? InputFile.read("\(folder)/\(zone)/temp", maximumByteCount: 64) else { return nil }
            return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map {
                Double($0) / 1000
            }
        }.max()
    }

    /// The kernel's random id of this boot: 32 hexadecimal digits, as `journalctl --list-boots` prints it. nil if it is
    /// hidden.
    public static var bootID: String? {
        var id = sd_id128_t()
        if sd_id128_get_boot(&id) == 0 { return text(id) }
        return getenv(bootVariable).flatMap { identifier(String(cString: $0)) }
    }

    /// The text if it is 32 hexadecimal digits in lower case.
    static func identifier(_ text: String) -> String? {
        let isDigit: (UInt8) -> Bool = {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
        }
        return text.utf8.count == 32 && text.utf8.allSatisfy(isDigit) ? text : nil
    }

    /// 32 hexadecimal digits that are the same for this installation of the system, made of /etc/machine-id and
    /// ``application`` with HMAC-SHA256 (sd_id128_get_machine_app_specific(3)). nil if the system has no machine id.
    public static var id: String? {
        var (application, id) = (sd_id128_t(), sd_id128_t())
        withUnsafeMutableBytes(of: &application) { $0.copyBytes(from: Self.application) }
        return sd_id128_get_machine_app_specific(application, &id) == 0 ? text(id) : nil
    }

    private static func text(_ id: sd_id128_t) -> String {
        withUnsafeBytes(of: id) { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}
