// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Raster
import Screen
import TestSupport
import Testing
import Touch
import VirtualFixtures

@testable import Virtual

/// A socket in memory of its own, for arrays and closures.
private final class Box {
    let socket: FileDescriptor
    init(_ socket: consuming FileDescriptor) { self.socket = socket }
}

/// A virtual display and what stands for the panel, on the test's thread.
private final class Rig {
    let folder: TemporaryDirectory
    let path: String
    let display: VirtualDisplay
    private let poll: EventPoll
    private let refusal = Refusal()
    private var next = 0

    init(size: PixelSize = PixelSize(width: 60, height: 40), acceptInterval: Duration = .zero) throws {
        folder = try TemporaryDirectory()
        path = folder.path + "/virtual.sock"
        let refusal = refusal
        let box = Box(try LocalSocket.bind(to: path))
        try LocalSocket.listen(box.socket, backlog: 5)
        display = try VirtualDisplay(
            size: size, density: .standard,
            listener: .init(descriptor: box.socket.number) { () throws(Errno) in
                let client = try LocalSocket.accept(on: box.socket)
                if refusal.isOn { return nil }
                return client
            },
            acceptInterval: acceptInterval, log: Log(threshold: .error))
        poll = try EventPoll()
        try poll.add(display.eventDescriptor, token: 1)
    }

    deinit { display.close() }

    /// Whether the panel would wake up.
    var isAwake: Bool { get throws { try !poll.wait(until: .zero).isEmpty } }

    /// Lets the display do everything that waits, also after a pause that is over.
    func serve() throws {
        _ = try display.readEvents()
        while try isAwake {
            let completions = try display.readEvents()
            #expect(completions.isEmpty)
        }
    }

    private final class Refusal { var isOn = false }

    /// Whether clients are refused.
    var refuses: Bool {
        get { refusal.isOn }
        set { refusal.isOn = newValue }
    }

    func connect() throws -> TestClient { try TestClient(path: path) { try self.serve() } }

    /// Shows a frame that differs from the one before in `rect`.
    func show(_ rect: PixelRect, _ color: Color) throws {
        let index = (next + 1) % 3
        let surface = display.surfaces[index]
        surface.copy(surface.bounds, from: display.surfaces[next], rotation: .none)
        surface.fill(rect, with: color)
        next = index
        let presentation = try display.present(index, damage: Damage(rect))
        #expect(presentation == .shown)
    }

    /// Whether the client has the pixels of the display.
    func isShown(by client: TestClient) throws -> Bool {
        let surface = try #require(display.currentSurface)
        return (0..<surface.size.height).allSatisfy { y in
            let width = surface.size.width
            return client.pixels[y * width..<(y + 1) * width].elementsEqual(
                UnsafeBufferPointer(start: surface.row(y), count: width))
        }
    }

    func reading(_ kind: PointerSample.Kind) throws -> VirtualTouch.Frames {
        try #require(display.touches.first { $0.kind == kind }).takeFrames()
    }
}

private let corner = PixelRect(minX: 3, minY: 5, maxX: 10, maxY: 9)
private let red = Color(red: 200, green: 10, blue: 20)

private func down(
    _ contact: UInt32, _ kind: PointerSample.Kind = .touch, pressure: UInt16? = nil, at microseconds: Int64 = 0
) -> PointerSample {
    PointerSample(
        microseconds: microseconds, contact: contact, kind: kind, phase: .down, x: 30000, y: 40000, pressure: pressure)
}

@Suite("A virtual display")
struct VirtualDisplayTests {
    @Test("sends its size and the whole picture, then what changes")
    func pictures() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        try rig.show(corner, red)
        let client = try rig.connect()
        #expect(client.size == rig.display.size && client.pixelsPerMetre == 5906)
        try client.readFrame()
        #expect(client.rects == [PixelRect(size: client.size)])
        #expect(try rig.isShown(by: client))
        try client.acknowledge()
        try rig.serve()
        #expect(!client.hears(within: 0))
        let other = PixelRect(minX: 50, minY: 30, maxX: 60, maxY: 40)
        try rig.show(other, .white)
        try client.readFrame()
        #expect(client.rects == [other])
        #expect(try rig.isShown(by: client))
    }

    @Test("sends pages in words to a client that wants them, with the next frame, and passes on what it does")
    func pages() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        rig.display.describe { Array("one ".utf8) }
        let client = try rig.connect()
        try client.readFrame()
        #expect(client.page.isEmpty)
        try client.send(.describe)
        try client.acknowledge()
        try rig.serve()
        // An empty frame acknowledges the page.
        try client.readFrame()
        #expect(client.page == Array("one ".utf8) && client.rects.isEmpty)
        rig.display.describe { Array("two ".utf8) }
        rig.display.describe { Array("three   ".utf8) }
        try rig.serve()
        #expect(!client.hears(within: 0))
        try client.acknowledge()
        try client.send(.act(.press(page: 3, control: 1)))
        try client.send(.act(.move(4)))
        try rig.serve()
        try client.readFrame()
        #expect(client.page == Array("three   ".utf8))
        #expect(rig.display.pages.takeActs() == [.press(page: 3, control: 1), .move(4)])
        #expect(rig.display.pages.takeActs().isEmpty)
    }

    @Test("without a client shows frames at once and never wakes the panel")
    func headless() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        for number in 0..<5 { try rig.show(corner, Color(red: UInt8(number), green: 0, blue: 0)) }
        #expect(try !rig.isAwake)
        #expect(rig.display.retryDeadline == nil)
        let client = try rig.connect()
        try client.readFrame()
        #expect(try rig.isShown(by: client))
        try rig.serve()
        #expect(try !rig.isAwake)
    }

    @Test("sends a client that came before the first frame nothing but the size until then")
    func early() throws {
        let rig = try Rig()
        let client = try rig.connect()
        #expect(!client.hears(within: 0))
        try rig.display.start(showing: 0)
        try client.readFrame()
        #expect(client.rects == [PixelRect(size: client.size)])
    }

    @Test("has one frame on the way, and joins what changes meanwhile")
    func pace() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        try client.readFrame()
        let places = (0..<3).map { PixelRect(minX: $0 * 20, minY: 5, maxX: $0 * 20 + 4, maxY: 9) }
        for place in places { try rig.show(place, red) }
        try rig.serve()
        #expect(!client.hears(within: 0))
        try client.acknowledge()
        try rig.serve()
        try client.readFrame()
        #expect(Set(client.rects) == Set(places))
        #expect(try rig.isShown(by: client))
    }

    @Test("brings each client to the newest picture, however it reads", arguments: 0..<20)
    func property(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        // More than a socket holds.
        let rig = try Rig(size: PixelSize(width: 500, height: 300))
        try rig.display.start(showing: 0)
        var client = try rig.connect()
        var isShown = true
        for _ in 0..<60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                client = try rig.connect()
                isShown = true
            case 1...4:
                let (x, y) = (Int.random(in: 0..<490, using: &random), Int.random(in: 0..<290, using: &random))
                let right = Int.random(in: x + 1...500, using: &random)
                let rect = PixelRect(minX: x, minY: y, maxX: right, maxY: y + 8)
                try rig.show(rect, Color(red: .random(in: 0...255, using: &random), green: 9, blue: 0))
            default:
                if !isShown { try client.acknowledge() }
                isShown = true
                try rig.serve()
                guard client.hears(within: 0) else { continue }
                try read(client, rig)
                isShown = false
            }
        }
        if !isShown { try client.acknowledge() }
        try rig.serve()
        while client.hears(within: 0) {
            try read(client, rig)
            try client.acknowledge()
            try rig.serve()
        }
        #expect(try rig.isShown(by: client))
    }

    /// Reads a frame that the socket may not hold, while the display writes the rest.
    private func read(_ client: TestClient, _ rig: Rig) throws {
        nonisolated(unsafe) let reader = client
        let isDone = try EventSignal(blocking: false)
        let thread = try Linux.Thread(name: "client") {
            try? reader.readFrame()
            isDone.signal()
        }
        let set = try EventPoll()
        try set.add(isDone.number, token: 0)
        try set.add(rig.display.eventDescriptor, token: 1)
        while try !set.wait().contains(where: { $0.token == 0 }) { try rig.serve() }
        thread.join()
    }

    @Test("is given to the client that comes last")
    func replacement() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let first = try rig.connect()
        try first.readFrame()
        try first.send(.samples([down(1)]))
        try rig.serve()
        let second = try rig.connect()
        #expect(throws: TestClient.Closed.self) { try first.readFrame() }
        try second.readFrame()
        try second.send(.samples([down(1)]))
        try rig.serve()
        let before = try rig.reading(.touch)
        #expect(before.frames.count == 1 && before.isInterrupted)
        let after = try rig.reading(.touch)
        #expect(after.frames.count == 1 && !after.isInterrupted)
        #expect(try rig.reading(.pen).isInterrupted)
    }

    @Test("accepts no client for a while after another one, then the last of those that wait")
    func loop() throws {
        let rig = try Rig(acceptInterval: .milliseconds(200))
        try rig.display.start(showing: 0)
        let begin = MonotonicClock.now
        let first = try rig.connect()
        try first.readFrame()
        let waiting = try (0..<5).map { _ in Box(try LocalSocket.connect(to: rig.path)) }
        try rig.serve()
        let deadline = try #require(rig.display.retryDeadline)
        #expect(deadline >= begin + .milliseconds(200))
        if MonotonicClock.now < deadline { #expect(try !rig.isAwake && !first.hears(within: 0)) }
        while MonotonicClock.now < deadline { usleep(1000) }
        try rig.serve()
        #expect(throws: TestClient.Closed.self) { try first.readFrame() }
        // The size of the picture, or the end of the connection.
        var bytes = [UInt8](repeating: 0, count: 24)
        let counts = try waiting.map { try $0.socket.read(into: &bytes) }
        #expect(counts == [0, 0, 0, 0, 24])
    }

    @Test("keeps its client if another one is refused")
    func refusal() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        try client.readFrame()
        rig.refuses = true
        #expect(throws: TestClient.Closed.self) { try rig.connect() }
        try client.acknowledge()
        try rig.show(corner, red)
        try rig.serve()
        try client.readFrame()
        #expect(try rig.isShown(by: client))
    }

    @Test("puts contacts on the device of their kind")
    func contacts() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        try client.readFrame()
        try client.acknowledge(microseconds: 500)
        try client.send(.samples([down(1, at: 510), down(2, .pen, pressure: 7, at: 520)]))
        try rig.serve()
        let (touches, pens) = (try rig.reading(.touch).frames, try rig.reading(.pen).frames)
        #expect(touches.count == 1 && touches.first?.contacts.first?.reading == DeviceReading(x: 30000, y: 40000))
        let pen = DeviceReading(x: 30000, y: 40000, pressure: 7, tool: ToolIdentity(.pen))
        #expect(pens.first?.contacts.first?.reading == pen)
        #expect(pens[0].time - touches[0].time == .microseconds(10))
        #expect(pens[0].time <= MonotonicClock.now)
        #expect(try rig.reading(.mouse).frames.isEmpty)
    }

    private static let hostile: [(String, [UInt8])] = [
        ("no message", [9, 9, 9, 9, 9, 9, 9, 9]),
        ("a huge message", [2, 0, 0, 0, 255, 255, 255, 255]),
        ("another frame", ClientMessage.shown(frame: 2, microseconds: 0).bytes),
        ("a frame twice", [1, 1].flatMap { ClientMessage.shown(frame: $0, microseconds: 0).bytes }),
        ("a contact twice", ClientMessage.samples([down(1), down(1)]).bytes),
        ("many contacts", ClientMessage.samples((0..<17).map { down($0) }).bytes),
        ("a flood", [UInt8]((0..<40).map { _ in ClientMessage.samples((0..<256).map { _ in up }).bytes }.joined())),
    ]
    private static let up = PointerSample(microseconds: 0, contact: 1, kind: .pen, phase: .up, x: 0, y: 0)

    @Test("ends the connection of a client that sends nonsense, and serves the next", arguments: hostile.indices)
    func nonsense(index: Int) throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        try client.readFrame()
        // The panel may end the connection before all is written.
        nonisolated(unsafe) let sender = client
        let bytes = Self.hostile[index].1
        let thread = try Linux.Thread(name: "sender") { try? sender.send(bytes) }
        while !client.hears(within: 1) { try rig.serve() }
        thread.join()
        #expect(throws: TestClient.Closed.self, "\(Self.hostile[index].0)") { try client.readFrame() }
        #expect(try rig.reading(.touch).isInterrupted)
        let next = try rig.connect()
        try next.readFrame()
        try rig.show(corner, red)
        try next.acknowledge()
        try rig.serve()
        try next.readFrame()
        #expect(try rig.isShown(by: next))
    }

    @Test("neither waits for a client that reads nothing nor keeps more than a picture for it")
    func slow() throws {
        let rig = try Rig(size: PixelSize(width: 640, height: 480))
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        for number in 0..<200 {
            try rig.show(rig.display.surfaces[0].bounds, Color(red: UInt8(number), green: 1, blue: 2))
            try rig.serve()
        }
        try read(client, rig)
        try client.acknowledge()
        try rig.serve()
        try read(client, rig)
        #expect(client.frame == 2)
        #expect(try rig.isShown(by: client))
    }

    @Test("ends the connection when it is closed")
    func closed() throws {
        let rig = try Rig()
        try rig.display.start(showing: 0)
        let client = try rig.connect()
        try client.readFrame()
        rig.display.close()
        rig.display.close()
        #expect(throws: TestClient.Closed.self) { try client.readFrame() }
        #expect(throws: ScreenError.closed(name: "virtual")) { try rig.display.readEvents() }
    }
}
