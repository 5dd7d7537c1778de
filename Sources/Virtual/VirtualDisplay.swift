// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Linux
public import Raster
public import Screen

/// A display and touch devices for a program on a Unix socket, such as a gateway to a browser (docs/virtual-panel.md).
///
/// One client is connected at a time, and a new one replaces it: the page that was opened last has the panel, and a
/// client that hangs blocks nobody. Clients replace each other at most every ``acceptInterval``. Frames are shown at
/// once, whether a client is there, reads, or hangs; it gets the newest picture when it acknowledges. For the main
/// thread.
public final class VirtualDisplay: Display {
    /// A listening socket. It stays open as long as the closure lives.
    public struct Listener {
        /// Readable when a client waits.
        public let descriptor: CInt
        /// Accepts the next client, as a non-blocking socket, or throws ``Errno/wouldBlock``. Returns nil if it has
        /// refused the client.
        public let accept: () throws(Errno) -> FileDescriptor?

        public init(descriptor: CInt, accept: @escaping () throws(Errno) -> FileDescriptor?) {
            self.descriptor = descriptor
            self.accept = accept
        }
    }

    /// The time between two clients. Each gets a whole picture, so clients that connect in a loop would
    /// keep the panel busy.
    public static let acceptInterval = Duration.milliseconds(250)
    /// Clients to accept at once; above the backlog of the socket, so that all that wait are accepted.
    private static let acceptLimit = 128
    private static let listenerToken: UInt64 = 0
    /// When to accept again after the process ran out of descriptors.
    private static let pause = Duration.seconds(1)
    /// Frames that nobody has read, above which a client is dropped.
    private static let frameLimit = 16384

    public let details: DisplayDetails
    public let size: PixelSize
    public let surfaces: [Surface]
    public var refreshInterval: Duration? { nil }
    public private(set) var retryDeadline: Timestamp?
    /// A touch device for each kind of pointer.
    public let touches: [VirtualTouch]
    /// The pages in words, and what clients do on them without a pointer.
    public let pages: VirtualPages
    /// The surface that is shown; nil before the first frame.
    public var currentSurface: Surface? { current.map { surfaces[$0] } }

    private let density: PixelDensity
    private let acceptInterval: Duration
    private let log: Log
    private let buffers: MemoryBuffers
    private let poll: EventPoll
    private var listener: Listener?
    private var client: VirtualClient?
    private var lastToken = listenerToken
    private var budget = SampleBudget(now: MonotonicClock.now)
    private var current: Int?
    private var isClosed = false

    /// - Parameters:
    ///   - size: drawable.
    ///   - density: sent to clients.
    ///   - acceptInterval: the time between two clients.
    public init(
        size: PixelSize, density: PixelDensity, listener: Listener, acceptInterval: Duration = acceptInterval, log: Log
    ) throws(Errno) {
        self.size = size
        self.density = density
        self.acceptInterval = acceptInterval
        self.log = log
        buffers = MemoryBuffers(size: size)
        surfaces = buffers.surfaces
        details = DisplayDetails(memory: "virtual", mode: "\(size) shown at once")
        touches = [try VirtualTouch(.mouse), try VirtualTouch(.touch), try VirtualTouch(.pen)]
        pages = try VirtualPages()
        poll = try EventPoll()
        self.listener = listener
        try poll.add(listener.descriptor, token: Self.listenerToken)
    }

    /// That of the set of the listener and the client.
    public var eventDescriptor: CInt { poll.number }

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        show(index, damage: Damage(PixelRect(size: size)))
    }

    public func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation {
        try checkOpen()
        show(index, damage: damage)
        return .shown
    }

    /// Sends a page in words to a client that wants it.
    /// - Parameter json: is called when the client can take it.
    public func describe(_ json: @escaping () -> [UInt8]) {
        pages.show(json)
        if let client { write(to: client) }
    }

    private func show(_ index: Int, damage: Damage) {
        current = index
        guard let client else { return }
        client.add(damage)
        write(to: client)
    }

    /// Serves the client. No completion ever follows, because frames are shown at once.
    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        do throws(Errno) {
            if let deadline = retryDeadline, deadline <= MonotonicClock.now, let listener {
                try poll.add(listener.descriptor, token: Self.listenerToken)
                retryDeadline = nil
            }
            for event in try poll.wait(until: .zero) {
                if event.token == Self.listenerToken {
                    try acceptClients()
                } else if let client, event.token == client.token {
                    if event.isReadable || event.isHangup { read(from: client) }
                    write(to: client)
                }
            }
        } catch {
            throw .callFailed(card: "memory", connector: details.name, call: "epoll", error)
        }
        return []
    }

    public func checkConnection() throws(ScreenError) { try checkOpen() }

    /// Ends the client's connection and the listener. The surfaces stay readable until the object ends.
    public func close() {
        if isClosed { return }
        isClosed = true
        client = nil
        if retryDeadline == nil, let listener { try? poll.remove(listener.descriptor) }
        retryDeadline = nil
        listener = nil
    }

    private func checkOpen() throws(ScreenError) {
        if isClosed { throw .closed(name: details.name) }
    }

    // MARK: The client

    /// Accepts all clients that wait, keeps the last one, and pauses.
    private func acceptClients() throws(Errno) {
        guard let listener else { return }
        var pause = acceptInterval
        var newest: FileDescriptor?
        accepting: for _ in 0..<Self.acceptLimit {
            do throws(Errno) {
                if let socket = try listener.accept() { newest = consume socket }
            } catch {
                switch error {
                case .wouldBlock: break accepting
                case .connectionAborted: continue
                default:
                    log.warning("virtual panel: a client cannot be accepted: \(error); trying again in a second")
                    pause = Self.pause
                    break accepting
                }
            }
        }
        try poll.remove(listener.descriptor)
        retryDeadline = MonotonicClock.now + pause
        if let socket = newest.take() { try begin(socket) }
    }

    private func begin(_ socket: consuming FileDescriptor) throws(Errno) {
        if let client { end(client, .replaced) }
        lastToken += 1
        let client = VirtualClient(token: lastToken, socket: socket, size: size, density: density)
        try poll.add(client.socket.number, token: client.token)
        self.client = client
        log.info("virtual panel: a client has connected")
        write(to: client)
    }

    private func read(from client: VirtualClient) {
        do throws(VirtualClient.Ending) {
            try client.read(at: MonotonicClock.now, &budget) { news in
                switch news {
                case .frame(let kind, let frame): touches.first { $0.kind == kind }?.put(frame)
                case .act(let act): pages.put(act)
                }
            }
            let waiting = touches.map(\.count) + [pages.actCount]
            if waiting.contains(where: { $0 > Self.frameLimit }) { throw .fault(.tooManySamples) }
        } catch {
            end(client, error)
        }
    }

    /// Does nothing for a client whose connection has ended.
    private func write(to client: VirtualClient) {
        guard client === self.client else { return }
        do throws(VirtualClient.Ending) {
            try client.write(currentSurface, pages.page)
            let interest = client.neededInterest
            if interest != client.interest {
                do throws(Errno) {
                    try poll.change(client.socket.number, token: client.token, to: interest)
                } catch {
                    throw VirtualClient.Ending.failed(error)
                }
                client.interest = interest
            }
        } catch {
            end(client, error)
        }
    }

    /// Ends the connection, and its contacts.
    private func end(_ client: VirtualClient, _ reason: VirtualClient.Ending) {
        try? poll.remove(client.socket.number)
        self.client = nil
        for touch in touches { touch.interrupt() }
        switch reason {
        case .left, .replaced: log.info("virtual panel: the client's connection has ended: \(reason)")
        case .failed, .fault: log.warning("virtual panel: the client's connection has ended: \(reason)")
        }
    }
}
