// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Synchronization

@testable import Screen

/// A simulated framebuffer device. Any call can fail.
final class FakeFramebuffer: FramebufferDevice {
    struct State {
        var info: FramebufferInfo
        var memory: [UInt8]
        var log: [String] = []
        /// The byte ranges that were written.
        var writes: [Range<Int>] = []
        /// The call with this number, counted from 0, fails once.
        var failure: (call: Int, Errno)?
        /// Every call with this name fails.
        var failures: [String: Errno] = [:]
        /// Calls wait until it is false again.
        var hangs = false
    }

    let path = "/dev/fb7"
    private let state: Mutex<State>

    init(_ info: FramebufferInfo) {
        // Another program's picture.
        state = Mutex(State(info: info, memory: [UInt8](repeating: 0xA5, count: info.byteCount)))
    }

    static func rgb565(_ size: PixelSize, padding: Int = 0) -> FramebufferInfo {
        FramebufferInfo(
            size: size, virtualHeight: size.height, bitsPerPixel: 16, red: .init(offset: 11, length: 5),
            green: .init(offset: 5, length: 6), blue: .init(offset: 0, length: 5),
            lineLength: size.width * 2 + padding, byteCount: (size.width * 2 + padding) * size.height)
    }

    static func xrgb8888(_ size: PixelSize, padding: Int = 0) -> FramebufferInfo {
        FramebufferInfo(
            size: size, virtualHeight: size.height, bitsPerPixel: 32, red: .init(offset: 16, length: 8),
            green: .init(offset: 8, length: 8), blue: .init(offset: 0, length: 8),
            lineLength: size.width * 4 + padding, byteCount: (size.width * 4 + padding) * size.height)
    }

    func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result { state.withLock(body) }
    var log: [String] { with { $0.log } }
    var current: FramebufferInfo { with { $0.info } }

    /// The visible pixels.
    var picture: [UInt32] {
        with { state in
            let info = state.info
            let bytes = info.bitsPerPixel / 8
            return (0..<info.size.height).flatMap { y in
                (0..<info.size.width).map { x in
                    let offset = (info.y + y) * info.lineLength + (info.x + x) * bytes
                    return (0..<bytes).reduce(UInt32(0)) { $0 | UInt32(state.memory[offset + $1]) << UInt32(8 * $1) }
                }
            }
        }
    }

    private func enter(_ name: String) throws(Errno) {
        while with({ $0.hangs }) { usleep(1000) }
        let error: Errno? = with { state in
            state.log.append(name)
            if let failure = state.failure, failure.call == state.log.count - 1 { return failure.1 }
            return state.failures[name]
        }
        if let error { throw error }
    }

    func info() throws(Errno) -> FramebufferInfo {
        try enter("info")
        return current
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        try enter("write")
        let bytes = Array(bytes)
        let isInside = with { state in
            guard offset >= 0, offset + bytes.count <= state.memory.count else { return false }
            state.memory.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            state.writes.append(offset..<(offset + bytes.count))
            return true
        }
        if !isInside { throw .noSpace }
    }

    func pan(to row: Int) throws(Errno) {
        try enter("pan")
        let isPossible = with { state in
            guard row + state.info.size.height <= state.info.virtualHeight, state.info.panStep > 0 else { return false }
            state.info.y = row
            return true
        }
        if !isPossible { throw .invalidArgument }
    }

    func waitForVblank() throws(Errno) { try enter("vblank") }
    func unblank() throws(Errno) { try enter("unblank") }

    func reset(row: Int) throws(Errno) {
        try enter("reset")
        with { $0.info.y = row }
    }
}
