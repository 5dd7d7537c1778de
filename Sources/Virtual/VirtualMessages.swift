// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

// The messages of docs/virtual-panel.md as values. All numbers are little-endian. A message is its kind and the length
// of its content, 4 bytes each, and the content.

/// One position of a pointer in the client, as in a browser's PointerEvent.
public struct PointerSample: Equatable, Hashable, Sendable {
    public enum Kind: UInt8, CaseIterable, Sendable {
        case mouse = 1
        case touch, pen
    }
    public enum Phase: UInt8, CaseIterable, Sendable {
        case down = 1
        case move, up, cancel
    }

    /// The largest time: 2^53, up to which JavaScript counts exactly.
    public static let latest: Int64 = 1 << 53

    /// Microseconds of the client's clock, 0...``latest``.
    public var microseconds: Int64
    /// The client's number of the contact while it lasts.
    public var contact: UInt32
    public var kind: Kind
    public var phase: Phase
    /// 65536ths of the picture's sides, from the upper left corner.
    public var x, y: UInt16
    /// 65535ths of the greatest pressure; nil if the client does not measure it. A mouse measures none.
    public var pressure: UInt16?

    public init(
        microseconds: Int64, contact: UInt32, kind: Kind, phase: Phase, x: UInt16, y: UInt16, pressure: UInt16? = nil
    ) {
        self.microseconds = microseconds
        self.contact = contact
        self.kind = kind
        self.phase = phase
        self.x = x
        self.y = y
        self.pressure = pressure
    }
}

/// A message of a client.
public enum ClientMessage: Equatable, Sendable {
    /// The client shows the frame with this number. The time is that of ``PointerSample/microseconds``, at sending.
    case shown(frame: UInt32, microseconds: Int64)
    /// The samples since the message before, oldest first; 1 to ``ClientMessageParser/sampleLimit``.
    case samples([PointerSample])
    /// The client wants the pages in words, too.
    case describe
    case act(VirtualAct)
}

/// An action of a client without a pointer.
public enum VirtualAct: Equatable, Sendable {
    /// Presses a control of the page with this number.
    case press(page: UInt32, control: UInt32)
    /// Moves the view of a document, by a step from ``steps``.
    case move(UInt32)

    public static let steps: ClosedRange<UInt32> = 1...11
}

/// Why a client's connection ends.
public enum VirtualFault: Error, Equatable, Sendable {
    case unknownMessage(kind: UInt32)
    case wrongLength(kind: UInt32, length: UInt32)
    /// A field that must be 0 is not.
    case unusedField(kind: UInt32)
    /// A sample whose field of this name has a value that it cannot have.
    case wrongSample(field: String)
    case wrongTime
    case unknownStep(UInt32)
    /// A frame that the client has not been sent, or has acknowledged before.
    case wrongFrame(UInt32)
    case contactIsDown(UInt32)
    /// Some samples of a contact have a pressure, others have none.
    case pressureOfSome(UInt32)
    case tooManyContacts
    case tooManySamples
}

extension VirtualFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownMessage(let kind): "there is no message of kind \(kind)"
        case .wrongLength(let kind, let length): "a message of kind \(kind) cannot have \(length) bytes"
        case .unusedField(let kind): "a field of a message of kind \(kind) that must be 0 is not"
        case .wrongSample(let field): "a sample has an impossible \(field)"
        case .unknownStep(let step): "there is no step \(step)"
        case .wrongTime: "a time is negative or too large"
        case .wrongFrame(let number): "frame \(number) is not the one to acknowledge"
        case .contactIsDown(let contact): "contact \(contact) came down twice"
        case .pressureOfSome(let contact): "some samples of contact \(contact) have a pressure, others have none"
        case .tooManyContacts: "more than \(PointerContacts.limit) contacts are down"
        case .tooManySamples: "more than \(SampleBudget.perSecond) samples a second"
        }
    }
}

/// Cuts the bytes of a client into messages. Keeps at most one incomplete message.
public struct ClientMessageParser: Sendable {
    /// The greatest number of samples in one message.
    public static let sampleLimit = 256
    private static let headerBytes = 8
    private static let shownBytes = 16
    private static let sampleBytes = 24

    private var bytes: [UInt8] = []
    private var start = 0

    public init() {}

    /// Adds bytes as they come. Take all messages before adding more.
    public mutating func append(_ piece: ArraySlice<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += piece
    }

    /// The next message; nil while it is incomplete. After an error the rest has no meaning.
    public mutating func next() throws(VirtualFault) -> ClientMessage? {
        let rest = bytes[start...]
        guard rest.count >= Self.headerBytes else { return nil }
        let kind: UInt32 = rest.number(at: 0)
        let length: UInt32 = rest.number(at: 4)
        // Checked before the content is there, so that nobody waits for an impossible message.
        try Self.check(kind, length)
        guard rest.count >= Self.headerBytes + Int(length) else { return nil }
        let content = rest.dropFirst(Self.headerBytes).prefix(Int(length))
        start = content.endIndex
        switch kind {
        case 3: return .describe
        case 4: return .act(.press(page: content.number(at: 0), control: content.number(at: 4)))
        case 5:
            let step: UInt32 = content.number(at: 0)
            guard VirtualAct.steps.contains(step) else { throw .unknownStep(step) }
            return .act(.move(step))
        default: break
        }
        if kind == 1 {
            let unused: UInt32 = content.number(at: 4)
            guard unused == 0 else { throw .unusedField(kind: kind) }
            return .shown(frame: content.number(at: 0), microseconds: try Self.time(content))
        }
        var samples: [PointerSample] = []
        samples.reserveCapacity(content.count / Self.sampleBytes)
        for start in stride(from: content.startIndex, to: content.endIndex, by: Self.sampleBytes) {
            samples.append(try Self.sample(content[start..<start + Self.sampleBytes]))
        }
        return .samples(samples)
    }

    private static func check(_ kind: UInt32, _ length: UInt32) throws(VirtualFault) {
        let isPossible: Bool
        switch kind {
        case 1: isPossible = length == shownBytes
        case 2: isPossible = length > 0 && length % UInt32(sampleBytes) == 0 && length <= sampleBytes * sampleLimit
        case 3: isPossible = length == 0
        case 4: isPossible = length == 8
        case 5: isPossible = length == 4
        default: throw .unknownMessage(kind: kind)
        }
        if !isPossible { throw .wrongLength(kind: kind, length: length) }
    }

    private static func time(_ content: ArraySlice<UInt8>) throws(VirtualFault) -> Int64 {
        let time: Int64 = content.number(at: 8)
        guard 0...PointerSample.latest ~= time else { throw .wrongTime }
        return time
    }

    private static func sample(_ bytes: ArraySlice<UInt8>) throws(VirtualFault) -> PointerSample {
        let first = bytes.startIndex
        guard let kind = PointerSample.Kind(rawValue: bytes[first + 4]) else { throw .wrongSample(field: "kind") }
        guard let phase = PointerSample.Phase(rawValue: bytes[first + 5]) else { throw .wrongSample(field: "phase") }
        let measures = bytes[first + 6]
        let pressure: UInt16 = bytes.number(at: 20)
        let end: UInt16 = bytes.number(at: 22)
        guard bytes[first + 7] == 0, end == 0 else { throw .unusedField(kind: 2) }
        // The pressure that browsers state of a mouse is a constant.
        let isPossible = measures == 1 ? kind != .mouse : measures == 0 && pressure == 0
        guard isPossible else { throw .wrongSample(field: "pressure") }
        return PointerSample(
            microseconds: try time(bytes), contact: bytes.number(at: 0), kind: kind, phase: phase,
            x: bytes.number(at: 16), y: bytes.number(at: 18), pressure: measures == 1 ? pressure : nil)
    }
}

/// The messages of the panel, as bytes.
enum PanelMessage {
    static let version: UInt32 = 1

    /// The first message of a connection.
    static func hello(_ size: PixelSize, _ density: PixelDensity) -> [UInt8] {
        var bytes: [UInt8] = []
        let perMetre = UInt32((density.pixelsPerMillimetre * 1000).rounded())
        for number in [1, 16, version, UInt32(size.width), UInt32(size.height), perMetre] {
            bytes.append(number: number)
        }
        return bytes
    }

    /// A page in words.
    static func page(_ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [3, UInt32(json.count)] { bytes.append(number: number) }
        return bytes + json
    }

    /// Pixels of `surface` in each rectangle of `damage`.
    static func frame(_ number: UInt32, _ damage: Damage, of surface: Surface) -> [UInt8] {
        var rects = damage.rects.map { $0.intersection(surface.bounds) }.filter { !$0.isEmpty }
        // Rectangles may overlap.
        if rects.reduce(0, { $0 + $1.area }) > surface.bounds.area { rects = [surface.bounds] }
        let length = rects.reduce(8) { $0 + 8 + $1.area * 4 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + length)
        for value in [2, UInt32(length), number, UInt32(rects.count)] { bytes.append(number: value) }
        for rect in rects {
            for value in [rect.minX, rect.minY, rect.width, rect.height] { bytes.append(number: UInt16(value)) }
            for y in rect.minY..<rect.maxY {
                bytes += UnsafeRawBufferPointer(start: surface.row(y) + rect.minX, count: rect.width * 4)
            }
        }
        return bytes
    }
}

extension ArraySlice<UInt8> {
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        let start = startIndex + offset
        return self[start..<start + MemoryLayout<Number>.size].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
