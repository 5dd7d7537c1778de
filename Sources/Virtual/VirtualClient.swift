// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import Touch

/// The connection of a client: at most one frame is on the way, and what changes meanwhile is sent with the next one.
/// So a client that reads or acknowledges nothing costs the memory of one picture. For the main thread.
final class VirtualClient {
    /// Why the connection is over.
    enum Ending: Error, CustomStringConvertible {
        case left
        case replaced
        case failed(Errno)
        case fault(VirtualFault)

        var description: String {
            switch self {
            case .left: "it has left"
            case .replaced: "another client has connected"
            case .failed(let error): "\(error)"
            case .fault(let fault): "\(fault)"
            }
        }
    }

    /// An action of a client.
    enum News {
        case frame(PointerSample.Kind, TouchFrame)
        case act(VirtualAct)
    }

    /// Bytes to read at once, so that a client that sends fast does not delay others.
    private static let portion = 16 << 10

    let token: UInt64
    let socket: FileDescriptor
    var interest = EventPoll.Interest.reading
    private var parser = ClientMessageParser()
    private var contacts = PointerContacts()
    private var clock = PointerClock()
    private var output: [UInt8]
    private var written = 0
    /// The changes since the last frame was made.
    private var damage = Damage()
    private var frameNumber: UInt32 = 0
    /// Whether the last frame is not acknowledged.
    private var isWaiting = false
    /// When it was made.
    private var frameTime = Timestamp.distantPast
    /// Whether the client wants the pages in words, and the number of the one that it was sent last.
    private var wantsPages = false
    private var sentPage = 0

    init(token: UInt64, socket: consuming FileDescriptor, size: PixelSize, density: PixelDensity) {
        self.token = token
        self.socket = socket
        output = PanelMessage.hello(size, density)
        damage.add(PixelRect(size: size))
    }

    /// The events that the socket is watched for.
    var neededInterest: EventPoll.Interest { output.isEmpty ? .reading : [.reading, .writing] }

    /// Notes what has changed on the display.
    func add(_ damage: Damage) { self.damage.add(damage) }

    /// Writes what the socket takes, and makes the next frame if the one before is acknowledged.
    /// - Parameters:
    ///   - surface: what the display shows; nil before its first frame.
    ///   - page: what it shows in words. It comes before its frame, which may be empty: so pages, too, wait until the
    ///     client has read those before.
    func write(_ surface: Surface?, _ page: VirtualPages.Page?) throws(Ending) {
        try flush()
        let news = wantsPages && page?.number != sentPage ? page : nil
        guard let surface, output.isEmpty, !isWaiting, !damage.isEmpty || news != nil else { return }
        if let news {
            output = PanelMessage.page(news.json())
            sentPage = news.number
        }
        frameNumber &+= 1
        output += PanelMessage.frame(frameNumber, damage, of: surface)
        damage.removeAll()
        isWaiting = true
        frameTime = MonotonicClock.now
        try flush()
    }

    private func flush() throws(Ending) {
        do throws(Errno) {
            while written < output.count { written += try LocalSocket.send(output[written...], to: socket) }
        } catch {
            if error == .wouldBlock { return }
            throw .failed(error)
        }
        output = []
        written = 0
    }

    /// Reads what has arrived, or a portion of it.
    /// - Parameters:
    ///   - arrival: now.
    ///   - put: receives what the client does, oldest first.
    /// - Throws: also after some of it.
    func read(at arrival: Timestamp, _ budget: inout SampleBudget, _ put: (News) -> Void) throws(Ending) {
        var bytes = [UInt8](repeating: 0, count: Self.portion)
        let count: Int
        do throws(Errno) {
            count = try socket.read(into: &bytes)
        } catch {
            if error == .wouldBlock { return }
            throw .failed(error)
        }
        if count == 0 { throw .left }
        parser.append(bytes[..<count])
        do throws(VirtualFault) {
            while let message = try parser.next() { try receive(message, at: arrival, &budget, put) }
        } catch {
            throw .fault(error)
        }
    }

    private func receive(
        _ message: ClientMessage, at arrival: Timestamp, _ budget: inout SampleBudget, _ put: (News) -> Void
    ) throws(VirtualFault) {
        switch message {
        case .shown(let frame, let microseconds):
            guard isWaiting, frame == frameNumber else { throw .wrongFrame(frame) }
            isWaiting = false
            clock.learn(microseconds, arrival: arrival, answering: frameTime)
        case .describe: wantsPages = true
        case .act(let act):
            try budget.spend(1, now: arrival)
            put(.act(act))
        case .samples(let samples):
            try budget.spend(samples.count, now: arrival)
            if let latest = samples.map(\.microseconds).max() { clock.learn(latest, arrival: arrival) }
            for sample in samples {
                let time = clock.time(of: sample.microseconds)
                if let result = try contacts.update(with: sample, at: time) {
                    put(.frame(result.kind, result.frame))
                }
            }
        }
    }
}
