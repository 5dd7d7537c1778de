// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// The light behind the screen, as `/sys/class/backlight` has it. For one thread; writing may take as long as a bus to
/// the screen needs, some milliseconds.
///
/// Nothing is known of it but numbers, so a panel that was killed while the screen was dark must not take that for how
/// bright it is meant to be: a brightness at or below the dimmed one is read as such a rest, and full light is meant.
public struct Backlight: Equatable, Sendable {
    /// Where the kernel has them.
    public static let directory = "/sys/class/backlight"

    /// `FB_BLANK_UNBLANK` and `FB_BLANK_POWERDOWN` of linux/fb.h, which `bl_power` takes.
    private enum Power: Int { case on = 0, off = 4 }

    /// Which of several is taken: the firmware's knows more of the machine than the driver of the platform, and that
    /// more than one that sets the hardware's registers (Documentation/ABI/stable/sysfs-class-backlight).
    private static let types = ["firmware", "platform", "raw"]

    /// Its folder, e.g. `/sys/class/backlight/10-0045`.
    public let path: String
    /// The largest brightness.
    public let maximum: Int
    /// When dimmed.
    public let dimmedBrightness: Int
    /// When on.
    public private(set) var brightness: Int

    /// The best there is; nil where the screen's light is nobody's to change, as that of a monitor.
    /// - Parameter dimmedPercent: of the largest brightness, 1...100.
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

    /// - Parameter path: its folder.
    init(path: String, dimmedPercent: Int) throws(BacklightError) {
        precondition(1...100 ~= dimmedPercent, "a share of the largest brightness")
        let maximum = try Self.number(of: "\(path)/max_brightness")
        // An int in the kernel; the share of it that is reckoned below does not overflow.
        guard 1...Int(Int32.max) ~= maximum else { throw .noNumber(path: "\(path)/max_brightness") }
        let brightness = try Self.number(of: "\(path)/brightness")
        self.path = path
        self.maximum = maximum
        dimmedBrightness = max(1, maximum * dimmedPercent / 100)
        self.brightness = dimmedBrightness < brightness && brightness <= maximum ? brightness : maximum
    }

    /// - Throws: ``BacklightError/cannotWrite(path:_:)`` when nothing came of it.
    public mutating func set(_ level: PowerLevel) throws(BacklightError) {
        switch level {
        case .on:
            // Whatever the one says, the other may be what keeps it dark.
            let isLit = Result { () throws(BacklightError) in try write("bl_power", Power.on.rawValue) }
            try write("brightness", brightness)
            try isLit.get()
        case .dimmed:
            // Somebody else may have set it since; what is as dark already, is left.
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
                // With most drivers that is as dark.
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

    /// The first line.
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
