// SPDX-License-Identifier: Apache-2.0
import Glibc

/// CLOCK_REALTIME, what people's clocks show: it may be set, forwards and back, while the program runs.
public enum WallClock {
    /// Microseconds since 1970-01-01 UTC. Any thread.
    public static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// The time where the machine stands, as strftime(3) writes it.
    /// - Parameter pattern: such as `%Y-%m-%d`.
    /// - Returns: empty when the pattern makes nothing, or more than 255 bytes.
    public static func localText(_ pattern: String) -> String {
        var now = time(nil)
        var parts = tm()
        guard localtime_r(&now, &parts) != nil else { return "" }
        var bytes = [CChar](repeating: 0, count: 256)
        let count = strftime(&bytes, bytes.count, pattern, &parts)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
