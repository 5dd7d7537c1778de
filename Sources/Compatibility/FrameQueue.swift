// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTP
import JSON

/// The messages that a page has not taken yet. The connection waits until there is room for an answer; events are
/// dropped until then. A page that takes nothing therefore costs one answer.
actor FrameQueue {
    /// Bytes that wait, beyond which there is no room.
    private static let limit = 64 << 10

    private var frames: [WSFrame] = []
    private var byteCount = 0
    private var taking: CheckedContinuation<Void, Never>?
    private var giving: [CheckedContinuation<Void, Never>] = []
    private var isOver = false

    /// Sends a message when there is room.
    func send(_ message: JSONValue) async {
        while !isOver, byteCount > Self.limit {
            await withCheckedContinuation { giving.append($0) }
        }
        add(WSFrame(fin: true, opcode: .text, mask: nil, payload: message.json))
    }

    /// Sends a message if there is room.
    func offer(_ message: JSONValue) {
        if byteCount <= Self.limit { add(WSFrame(fin: true, opcode: .text, mask: nil, payload: message.json)) }
    }

    /// Sends a ping, or the answer to one.
    func offer(_ opcode: WSFrame.Opcode, _ payload: Data = Data()) {
        if byteCount <= Self.limit { add(WSFrame(fin: true, opcode: opcode, mask: nil, payload: payload)) }
    }

    /// Ends the connection after what waits.
    func close(_ code: WSCloseCode) {
        if !isOver { add(.close(code: code)) }
        end()
    }

    /// Nobody takes anything any more.
    func abandon() {
        (frames, byteCount) = ([], 0)
        end()
    }

    /// Waits for the next frame.
    /// - Returns: nil at the end.
    func next() async -> WSFrame? {
        while frames.isEmpty {
            if isOver { return nil }
            await withCheckedContinuation { taking = $0 }
        }
        let frame = frames.removeFirst()
        byteCount -= frame.payload.count
        if byteCount <= Self.limit { resumeGiving() }
        return frame
    }

    private func add(_ frame: WSFrame) {
        guard !isOver else { return }
        frames.append(frame)
        byteCount += frame.payload.count
        resumeTaking()
    }

    private func end() {
        isOver = true
        resumeTaking()
        resumeGiving()
    }

    private func resumeTaking() {
        taking?.resume()
        taking = nil
    }

    private func resumeGiving() {
        for waiting in giving { waiting.resume() }
        giving = []
    }
}
