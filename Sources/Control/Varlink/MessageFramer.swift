// SPDX-License-Identifier: Apache-2.0

/// Cuts what comes over a connection into Varlink's messages, each ended by a zero byte.
package struct MessageFramer {
    private static let terminator: UInt8 = 0

    /// Bytes of a message without its end.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Where the first message begins that was not taken yet.
    private var start = 0
    /// Up to where there is no end of a message.
    private var searched = 0

    package init(limit: Int) { self.limit = limit }

    /// Whether there is a part of a message without its end, or a whole one.
    var isEmpty: Bool { start == bytes.count }

    package mutating func append(_ new: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    /// The next whole message without its end; nil when there is none yet.
    /// - Throws: when it is longer than the limit, whether its end has come or not. Nothing more can be read then.
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
