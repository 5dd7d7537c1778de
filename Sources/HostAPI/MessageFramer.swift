// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream into Varlink messages. A zero byte ends each.
package struct MessageFramer {
    private static let terminator: UInt8 = 0

    /// The maximum size of a message in bytes, without its terminator.
    private let limit: Int
    private var bytes: [UInt8] = []
    /// The start of the next message.
    private var start = 0
    /// There is no terminator between `start` and here.
    private var searched = 0

    package init(limit: Int) { self.limit = limit }

    package var isEmpty: Bool { start == bytes.count }

    package mutating func append(_ new: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    /// The next message without its terminator; nil until it is complete.
    /// - Throws: ``MalformedMessage/tooLong(limit:)``, also before the terminator has come. The stream cannot be read
    ///   further.
    package mutating func next() throws(MalformedMessage) -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: Self.terminator) else {
            searched = bytes.count
            if bytes.count - start > limit { throw .tooLong(limit: limit) }
            return nil
        }
        if end - start > limit { throw .tooLong(limit: limit) }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }
}
