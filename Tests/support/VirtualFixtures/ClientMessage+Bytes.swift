// SPDX-License-Identifier: Apache-2.0
public import Virtual

extension ClientMessage {
    /// The message as a client sends it.
    public var bytes: [UInt8] {
        switch self {
        case .shown(let frame, let microseconds):
            return Self.bytes(kind: 1, Self.bytes(frame) + Self.bytes(UInt32(0)) + Self.bytes(microseconds))
        case .describe: return Self.bytes(kind: 3, [])
        case .act(.press(let page, let control)): return Self.bytes(kind: 4, Self.bytes(page) + Self.bytes(control))
        case .act(.move(let step)): return Self.bytes(kind: 5, Self.bytes(step))
        case .samples(let samples): return Self.bytes(kind: 2, samples.flatMap { Self.bytes($0) })
        }
    }

    /// A message of any kind and content.
    public static func bytes(kind: UInt32, _ content: [UInt8]) -> [UInt8] {
        bytes(kind) + bytes(UInt32(content.count)) + content
    }

    private static func bytes(_ sample: PointerSample) -> [UInt8] {
        let flags: [UInt8] = [sample.kind.rawValue, sample.phase.rawValue, sample.pressure == nil ? 0 : 1, 0]
        let place = [sample.x, sample.y, sample.pressure ?? 0, 0].flatMap { bytes($0) }
        return bytes(sample.contact) + flags + bytes(sample.microseconds) + place
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
