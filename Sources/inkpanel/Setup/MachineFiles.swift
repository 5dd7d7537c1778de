// SPDX-License-Identifier: Apache-2.0
import Linux

/// Files of the kernel, and lines of other programs, about a machine.
struct MachineFiles {
    /// Empty, or the directory of a copy.
    var root = ""

    private static let longest = 1 << 20
    /// The time that a program may take, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    /// - Returns: nil if it cannot be read.
    func bytes(_ path: String) -> [UInt8]? {
        (try? InputFile.read(root + path, maximumByteCount: Self.longest)) ?? nil
    }

    /// A text without the zero and the line's end after it (device tree, sysfs).
    func text(_ path: String) -> String? {
        let text = bytes(path).map { String(decoding: $0.filter { $0 != 0 }, as: UTF8.self) }
        return text?.split(separator: "\n").first.map { String($0) }
    }

    func lines(_ path: String) -> [String] {
        (bytes(path) ?? []).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    func names(_ path: String) -> [String] { ((try? Directory.names(of: root + path)) ?? []).sorted() }

    /// The lines that a program prints; if it fails, one line with the reason. Empty for a copy of a system, about
    /// which programs know nothing.
    func output(of program: String, _ arguments: [String]) -> [String] {
        if !root.isEmpty { return [] }
        let path = "/usr/bin/" + program
        do throws(FilterProgram.Failure) {
            let deadline = MonotonicClock.nanoseconds + Self.patience
            let output = try FilterProgram(path: path, arguments: arguments, environment: ["LC_ALL=C.UTF-8"])
                .outcome(input: [], mostOutput: Self.longest, deadline: deadline).output
            return output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            return ["\(program): \(error)"]
        }
    }
}
