// SPDX-License-Identifier: Apache-2.0
import Linux

/// A device and what it sent: an evemu recording (formats 1.0 to 1.3, gitlab.freedesktop.org/libevdev/evemu).
public struct Recording: Equatable, Sendable {
    /// evemu writes lines of some 80 bytes; names are at most 80 too.
    public static let lineLimit = 4096
    /// 32 MB in memory, and a quarter of an hour of a device that reports 500 times a second.
    public static let eventLimit = 2_000_000
    public static let byteLimit = 256 << 20

    public var device: DeviceDescription
    /// In the order of the file. Times start where the recorder's clock was and may run backwards.
    public var events: [InputEvent]

    public init(device: DeviceDescription, events: [InputEvent]) {
        self.device = device
        self.events = events
    }

    /// Reads a recording, and the device's description from a file beside it when the recording has none: old ones
    /// named `Device.gesture.events` keep it in `Device.desc` or `Device.device`.
    ///
    /// Blocks while reading; not for the thread that draws.
    public init(path: String) throws(RecordingError) {
        var parser = RecordingParser(path: path)
        try RecordingFile.forEachLine(of: path) { line throws(RecordingError) in try parser.take(line) }
        guard !parser.events.isEmpty else { throw .noEvents(path: path) }
        events = parser.events
        if let device = parser.device {
            self.device = device
        } else {
            device = try Recording.descriptionBeside(path)
        }
    }

    /// Reads a recording that is complete in itself.
    /// - Parameter name: what errors call it.
    public init(bytes: [UInt8], name: String) throws(RecordingError) {
        var parser = RecordingParser(path: name)
        // Line by line as from a file, so that a test of this is a test of that.
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try parser.take(rest[..<end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { try parser.take(rest) }
        guard !parser.events.isEmpty else { throw .noEvents(path: name) }
        guard let device = parser.device else { throw .noDescription(path: name, tried: []) }
        self.init(device: device, events: parser.events)
    }

    /// All frames of contacts, a contact still down at the end of the recording ended there. Empty for a device whose
    /// kind is unusable.
    public func frames() -> [TouchFrame] {
        guard var tracker = SlotTracker(device) else { return [] }
        var frames = events.compactMap { tracker.update(with: $0) }
        if let last = tracker.endAll(at: events.last?.microseconds ?? 0) { frames.append(last) }
        return frames
    }

    private static func descriptionBeside(_ path: String) throws(RecordingError) -> DeviceDescription {
        let tried = descriptionPaths(for: path)
        for candidate in tried {
            var parser = RecordingParser(path: candidate)
            do throws(RecordingError) {
                try RecordingFile.forEachLine(of: candidate) { line throws(RecordingError) in try parser.take(line) }
            } catch {
                if error == .cannotOpen(path: candidate, .noSuchFile) { continue }
                throw error
            }
            if let device = parser.device { return device }
        }
        throw .noDescription(path: path, tried: tried)
    }

    /// Where a recording's description may be: the name with the last dotted parts taken away one by one.
    static func descriptionPaths(for path: String) -> [String] {
        var paths: [String] = []
        let folderEnd = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        var stem = path[folderEnd...]
        while let dot = stem.lastIndex(of: "."), dot > stem.startIndex {
            stem = stem[..<dot]
            for suffix in [".desc", ".device"] {
                let candidate = path[..<folderEnd] + stem + suffix
                if candidate != path { paths.append(String(candidate)) }
            }
        }
        return paths
    }
}
