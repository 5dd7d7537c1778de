// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Linux

/// The backlight of the screen in `/sys/class/backlight`. For one thread; a write may take some milliseconds if the
/// screen is on a slow bus.
///
/// A brightness at or below the dimmed one is assumed to be left over from a panel that was killed while the screen was
/// dark, and is replaced by the maximum.
public struct Backlight: Equatable, Sendable {
    public static let directory = "/sys/class/backlight"

    /// `FB_BLANK_UNBLANK` and `FB_BLANK_POWERDOWN` of linux/fb.h, which `bl_power` takes.
    private enum Power: Int {
        case on = 0
        case off = 4
    }

    /// Types in order of preference: firmware and platform drivers know the machine better than those that write to
    /// hardware registers (Documentation/ABI/stable/sysfs-class-backlight).
    private static let types = ["firmware", "platform", "raw"]

    /// Its directory, e.g. `/sys/class/backlight/10-0045`.
    public let path: String
    private let maximum: Int
    private let dimmedBrightness: Int
    /// The brightness when on.
    private var brightness: Int

    /// Finds the best backlight; nil if the screen has none that can be controlled, such as a monitor.
    /// - Parameter dimmedPercent: the dimmed brightness in percent of the maximum, 1...100.
    public static func find(dimmedPercent: Int, in directory: String = Self.directory) -> Backlight? {
        let names = (try? Directory.names(of: directory)) ?? []
        let all = names.sorted().compactMap { name -> (rank: Int, backlight: Backlight)? in
            let path = "\(directory)/\(name)"
            guard let type = try? text(of: "\(path)/type"), let rank = types.firstIndex(of: type),
                let backlight = try? Backlight(path: path, dimmedPercent: dimmedPercent)
            else { return nil }
            return (rank, backlight)
        }
        return all.min { $0.rank < $1.rank }?.backlight
    }

    private init(path: String, dimmedPercent: Int) throws(BacklightError) {
        precondition(1...100 ~= dimmedPercent, "percent of the maximum")
        let maximum = try Self.number(of: "\(path)/max_brightness")
        // The kernel's type is int. This also prevents an overflow below.
        guard 1...Int(Int32.max) ~= maximum else { throw .noNumber(path: "\(path)/max_brightness") }
        let brightness = try Self.number(of: "\(path)/brightness")
        self.path = path
        self.maximum = maximum
        dimmedBrightness = max(1, maximum * dimmedPercent / 100)
        self.brightness = dimmedBrightness < brightness && brightness <= maximum ? brightness : maximum
    }

    public mutating func set(_ level: PowerLevel) throws(BacklightError) {
        switch level {
        case .on:
            // Write both files even if the first write fails: either of them may keep the screen dark.
            let power = Result { () throws(BacklightError) in try write("bl_power", Power.on.rawValue) }
            try write("brightness", brightness)
            try power.get()
        case .dimmed:
            // Another program may have changed the brightness. Do not make a darker screen brighter.
            let found = try Self.number(of: "\(path)/brightness")
            if dimmedBrightness < found, found <= maximum {
                brightness = found
                try write("brightness", dimmedBrightness)
            }
            try write("bl_power", Power.on.rawValue)
        case .off:
            do throws(BacklightError) {
                try write("bl_power", Power.off.rawValue)
            } catch {
                // Most drivers then switch it off, too.
                try write("brightness", 0)
            }
        }
    }

    private func write(_ name: String, _ value: Int) throws(BacklightError) {
        let path = "\(path)/\(name)"
        do throws(Errno) {
            try FileDescriptor(opening: path, O_WRONLY).writeAll(Array("\(value)\n".utf8))
        } catch {
            throw .cannotWrite(path: path, error)
        }
    }

    private static func number(of path: String) throws(BacklightError) -> Int {
        guard let number = Int(try text(of: path)) else { throw .noNumber(path: path) }
        return number
    }

    /// The first line of a file.
    private static func text(of path: String) throws(BacklightError) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        do throws(Errno) {
            let count = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK).read(into: &bytes)
            bytes.removeLast(bytes.count - count)
        } catch {
            throw .cannotRead(path: path, error)
        }
        return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    }
}

/// Why the backlight cannot be changed. The description says what to do about it.
public enum BacklightError: Error, Equatable, Sendable {
    case cannotRead(path: String, Errno)
    case noNumber(path: String)
    case cannotWrite(path: String, Errno)
}

extension BacklightError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotRead(let path, let error): "\(path): cannot read: \(error)"
        case .noNumber(let path): "\(path): does not contain a number"
        case .cannotWrite(let path, .readOnlyFileSystem):
            "\(path): Read-only file system; under systemd the unit needs ReadWritePaths=-/sys/devices"
        case .cannotWrite(let path, let error) where [.permissionDenied, .notPermitted].contains(error):
            "\(path): \(error); a udev rule must give it to the panel's group (72-inkpanel.rules)"
        case .cannotWrite(let path, let error): "\(path): cannot write: \(error)"
        }
    }
}
