// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc
import Linux
public import Virtual

/// A client of a virtual panel: it keeps the picture that the frames make.
public final class TestClient {
    public struct Closed: Error {}
    /// The panel sends nothing for half a minute.
    public struct Silent: Error {}

    public let size: PixelSize
    public let pixelsPerMetre: UInt32
    /// XRGB, the unused byte as sent.
    public private(set) var pixels: [UInt32]
    /// The rectangles of the last frame.
    public private(set) var rects: [PixelRect] = []
    public private(set) var frame: UInt32 = 0
    /// The last page in words, if it was sent.
    public private(set) var page: [UInt8] = []
    private let socket: FileDescriptor

    /// Connects and reads the panel's first message, which must be there or come from another thread.
    public init(path: String, serving: () throws -> Void = {}) throws {
        let socket = try LocalSocket.connect(to: path)
        try serving()
        let hello = try Self.read(24, socket.number)
        guard hello[0] == 1, hello[1] == 16, hello[2] == 1 else { throw Closed() }
        size = PixelSize(width: Int(hello[3]), height: Int(hello[4]))
        pixelsPerMetre = hello[5]
        pixels = [UInt32](repeating: 0, count: size.width * size.height)
        self.socket = socket
    }

    /// - Throws: ``Closed`` at the end of the connection.
    private static func read(_ count: Int, _ socket: CInt) throws -> [UInt32] {
        var words = [UInt32](repeating: 0, count: count / 4)
        var done = 0
        while done < count {
            var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 30_000) != 0 else { throw Silent() }
            let got = words.withUnsafeMutableBytes { Glibc.read(socket, $0.baseAddress! + done, count - done) }
            if got <= 0 { throw Closed() }
            done += got
        }
        return words
    }

    /// Reads a frame into ``pixels``, and the page before it.
    public func readFrame() throws {
        var start = try Self.read(8, socket.number)
        if start[0] == 3 {
            page = []
            for _ in 0..<start[1] / 4 {
                withUnsafeBytes(of: try Self.read(4, socket.number)[0].littleEndian) { page += $0 }
            }
            start = try Self.read(8, socket.number)
        }
        let head = try start + Self.read(8, socket.number)
        guard head[0] == 2 else { throw Closed() }
        frame = head[2]
        rects = []
        for _ in 0..<head[3] {
            let place = try Self.read(8, socket.number).flatMap { [Int($0 & 0xFFFF), Int($0 >> 16)] }
            let rect = PixelRect(
                minX: place[0], minY: place[1], maxX: place[0] + place[2], maxY: place[1] + place[3])
            let rows = try Self.read(rect.area * 4, socket.number)
            for y in 0..<rect.height {
                let start = (rect.minY + y) * size.width + rect.minX
                pixels.replaceSubrange(start..<start + rect.width, with: rows[y * rect.width..<(y + 1) * rect.width])
            }
            rects.append(rect)
        }
    }

    /// Whether something arrives, or the connection ends, within this time.
    public func hears(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) != 0
    }

    public func send(_ message: ClientMessage) throws { try send(message.bytes) }

    public func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try LocalSocket.send(rest, to: socket)) }
    }

    /// Acknowledges the last frame.
    public func acknowledge(microseconds: Int64 = 0) throws {
        try send(.shown(frame: frame, microseconds: microseconds))
    }
}
