// SPDX-License-Identifier: Apache-2.0
package import Linux
public import Touch

/// One of the touch devices of a ``VirtualDisplay``, which puts the frames in as clients send them. It is there without
/// a client, too. For the main thread.
public final class VirtualTouch {
    private enum Item {
        case frame(TouchFrame)
        /// The client has gone: its contacts have ended.
        case interruption
    }

    /// The result of ``takeFrames()``.
    public struct Frames {
        public var frames: [TouchFrame]
        /// Whether the client has gone after these frames. Contacts that are down have ended, and no frame says so.
        public var isInterrupted: Bool
    }

    public let kind: PointerSample.Kind
    public let description: DeviceDescription
    private let signal: EventSignal
    private var items: [Item] = []

    init(_ kind: PointerSample.Kind) throws(Errno) {
        self.kind = kind
        description = kind.device
        signal = try EventSignal(blocking: false)
    }

    /// Readable when frames wait.
    public var descriptor: CInt { signal.number }

    /// The frames that wait, up to the end of a client's connection.
    public func takeFrames() -> Frames {
        signal.wait()
        var frames: [TouchFrame] = []
        for (index, item) in items.enumerated() {
            guard case .frame(let frame) = item else {
                items.removeFirst(index + 1)
                if !items.isEmpty { signal.signal() }
                return Frames(frames: frames, isInterrupted: true)
            }
            frames.append(frame)
        }
        items = []
        return Frames(frames: frames, isInterrupted: false)
    }

    /// The frames that nobody has read.
    var count: Int { items.count }

    func put(_ frame: TouchFrame) {
        items.append(.frame(frame))
        signal.signal()
    }

    func interrupt() {
        items.append(.interruption)
        signal.signal()
    }
}

extension VirtualTouch: TouchInput {
    package var name: String { description.name }
    package var path: String? { nil }
    package var dropCount: Int { 0 }

    /// Does nothing: clients send by themselves.
    package func start() throws(Errno) {}

    package func read() throws(TouchError) -> TouchReading {
        let waiting = takeFrames()
        return TouchReading(frames: waiting.frames, isInterrupted: waiting.isInterrupted)
    }
}
