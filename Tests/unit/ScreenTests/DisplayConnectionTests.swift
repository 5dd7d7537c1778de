// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import TestSupport
import Testing

@testable import Screen

/// A display that does nothing.
private final class Stub: Display {
    let details = DisplayDetails(
        name: "STUB-1", card: "/dev/dri/card7", driver: "stub", mode: "8x8", commitStyle: "none", millimetres: nil,
        orientation: nil)
    let size = PixelSize(width: 8, height: 8)
    let refreshInterval: Duration? = nil
    let surfaces: [Surface] = []
    let eventDescriptor: CInt = -1
    let retryDeadline: Timestamp? = nil
    var connection: ScreenError?
    private(set) var isClosed = false

    func start(showing index: Int) throws(ScreenError) {}
    func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation { .shown }
    func readEvents() throws(ScreenError) -> [FlipCompletion] { [] }
    func checkConnection() throws(ScreenError) { if let connection { throw connection } }
    func close() { isClosed = true }
}

/// Opens stubs, or fails with `fault`.
private final class Board {
    var fault: ScreenError? = .noCard
    private(set) var opened: [Stub] = []
    private(set) var attempts = 0

    func open() throws(ScreenError) -> any Display {
        attempts += 1
        if let fault { throw fault }
        let display = Stub()
        opened.append(display)
        return display
    }

    var openNow: Int { opened.count { !$0.isClosed } }

    func connection() -> DisplayConnection { DisplayConnection { () throws(ScreenError) in try self.open() } }
}

@Suite("Display connection") struct DisplayConnectionTests {
    private static let second = Duration.seconds(1)
    private static let gone = ScreenError.cardGone(card: "/dev/dri/card7")

    @Test("without a display it retries periodically and soon after an event, and reports each reason once")
    func waits() throws {
        let board = Board()
        let connection = board.connection()
        guard case .unavailable(.noCard)? = connection.update(at: 0) else {
            Issue.record("the reason was not reported")
            return
        }
        #expect(connection.fault == .noCard && connection.deadline == Timestamp.zero + DisplayRetry.idle)
        #expect(connection.update(at: .zero + Self.second) == nil && board.attempts == 1)
        connection.devicesChanged(at: .zero + Self.second)
        #expect(connection.deadline == Timestamp.zero + Self.second + DisplayConnection.settlingTime)
        // The same reason is not reported again.
        #expect(connection.update(at: .zero + .seconds(2)) == nil && board.attempts == 2)
        board.fault = nil
        guard case .opened? = connection.update(at: .zero + .seconds(8)) else {
            Issue.record("a display that came without an event was not found")
            return
        }
        #expect(connection.fault == nil && connection.display != nil && connection.deadline == nil)
    }

    @Test("when polling, an open display is checked periodically")
    func polls() throws {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        _ = connection.update(at: 0)
        #expect(connection.deadline == nil)
        connection.polls = true
        #expect(connection.update(at: 1) == nil && connection.deadline == 1 + DisplayRetry.idle)
        board.opened[0].connection = Self.gone
        guard case .lost(_, Self.gone)? = connection.update(at: 1 + DisplayRetry.idle) else {
            Issue.record("not checked")
            return
        }
        connection.drawingStopped(at: .zero + DisplayRetry.idle * 2)
        let now = try #require(connection.deadline)
        _ = connection.update(at: now)
        #expect(connection.display != nil && connection.deadline == now + DisplayRetry.idle)
    }

    @Test("a link that keeps failing causes one modeset a minute")
    func failingLink() throws {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        _ = connection.update(at: 0)
        let failure = ScreenError.linkFailed(card: "/dev/dri/card7", connector: "HDMI-A-1")
        var losses = 0
        for second in 1...120 {
            let now = Timestamp.zero + .seconds(second)
            board.opened.last?.connection = failure
            connection.devicesChanged(at: now)
            if case .lost? = connection.update(at: now + DisplayConnection.settlingTime) {
                losses += 1
                connection.drawingStopped(at: now)
                let due = try #require(connection.deadline)
                guard case .opened? = connection.update(at: due) else {
                    Issue.record("not opened again")
                    return
                }
                connection.frameShown()
            }
        }
        #expect(losses == 2)
        let due = try #require(connection.deadline)
        guard case .lost? = connection.update(at: due) else {
            Issue.record("not checked again")
            return
        }
    }

    @Test("if another terminal is shown at the start, nothing is opened until ours is")
    func startedAway() {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        guard case .unavailable(.otherTerminalShown)? = connection.suspend(at: 0) else {
            Issue.record("the reason was not reported")
            return
        }
        #expect(connection.suspend(at: 1) == nil, "reported already")
        #expect(
            connection.update(at: .zero + .seconds(100)) == nil && board.attempts == 0 && connection.deadline == nil)
        connection.resume(at: .zero + .seconds(101))
        guard case .opened? = connection.update(at: .zero + .seconds(101)) else {
            Issue.record("not opened")
            return
        }
    }

    @Test("while another program is master, retries become less frequent")
    func othersScreen() {
        let board = Board()
        board.fault = .lostMaster(card: "/dev/dri/card7")
        let connection = board.connection()
        var now = Timestamp.zero
        var waits: [Int64] = []
        for _ in 0..<40 {
            _ = connection.update(at: now)
            guard let deadline = connection.deadline else {
                Issue.record("no retry")
                return
            }
            waits.append((deadline - now).microseconds / 1000)
            now = deadline
        }
        #expect(Array(waits.prefix(6)) == [20, 40, 80, 160, 250, 250])
        #expect(waits.last == 1000 && waits == waits.sorted())
    }

    @Test("a failed display is closed once drawing has stopped; then another one is opened")
    func replaces() throws {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        _ = connection.update(at: 0)
        guard case .lost(let display, Self.gone)? = try connection.displayFailed(Self.gone, at: 5) else {
            Issue.record("not lost")
            return
        }
        #expect(display === board.opened[0] && !board.opened[0].isClosed)
        #expect(connection.display == nil && !connection.isClosed)
        #expect(connection.update(at: .zero + .seconds(9)) == nil && board.attempts == 1)
        connection.drawingStopped(at: 10)
        #expect(board.opened[0].isClosed && connection.isClosed && connection.deadline == 10 + DisplayRetry.eagerStart)
        guard case .opened? = connection.update(at: .zero + Self.second) else {
            Issue.record("not opened again")
            return
        }
        #expect(board.openNow == 1)
    }

    @Test("a display that opens but shows no frame is opened again with delays")
    func showsNothing() throws {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        let failure = ScreenError.modesetFailed(card: "a", connector: "b", mode: "c", .invalidArgument)
        var now = Timestamp.zero
        for _ in 0..<10 {
            _ = connection.update(at: now)
            _ = try connection.displayFailed(failure, at: now)
            connection.drawingStopped(at: now)
            let next = try #require(connection.deadline)
            #expect(next - now >= Self.second)
            now = next
        }
        // The same if another program becomes master each time,
        for _ in 0..<30 {
            _ = connection.update(at: now)
            _ = try connection.displayFailed(.lostMaster(card: "a"), at: now)
            connection.drawingStopped(at: now)
            now = try #require(connection.deadline)
        }
        _ = connection.update(at: now)
        _ = try connection.displayFailed(.lostMaster(card: "a"), at: now)
        connection.drawingStopped(at: now)
        #expect(connection.deadline == now + DisplayRetry.patient)
        // until a frame was shown.
        _ = connection.update(at: now + DisplayRetry.patient)
        connection.frameShown()
        _ = try connection.displayFailed(.lostMaster(card: "a"), at: now)
        connection.drawingStopped(at: now)
        #expect(connection.deadline == now + DisplayRetry.eagerStart)
    }

    @Test("after an event the connector is checked, and an unplugged display is lost")
    func unplugged() {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        _ = connection.update(at: 0)
        connection.devicesChanged(at: 0)
        connection.devicesChanged(at: 50)
        #expect(connection.deadline == Timestamp.zero + DisplayConnection.settlingTime)
        #expect(connection.update(at: .zero + Self.second) == nil && connection.deadline == nil)
        let reason = ScreenError.disconnected(card: "/dev/dri/card7", connector: "STUB-1")
        board.opened[0].connection = reason
        connection.devicesChanged(at: .zero + Self.second)
        guard case .lost(_, let error)? = connection.update(at: .zero + .seconds(2)) else {
            Issue.record("not lost")
            return
        }
        #expect(error == reason)
    }

    @Test("flips that stop three times in a minute end the panel; rare failures do not")
    func hopeless() throws {
        let stuck = ScreenError.flipTimedOut(card: "/dev/dri/card7", connector: "STUB-1")
        for pause in [Self.second, Self.second * 40] {
            let board = Board()
            board.fault = nil
            let connection = board.connection()
            var now = Timestamp.zero
            var failures = 0
            do throws(ScreenError) {
                for _ in 0..<6 {
                    _ = connection.update(at: now)
                    _ = try connection.displayFailed(stuck, at: now)
                    failures += 1
                    connection.drawingStopped(at: now)
                    now += pause
                }
                #expect(pause > .seconds(30))
            } catch {
                #expect(error == stuck && failures == 2 && pause < .seconds(30))
            }
        }
    }

    @Test("a fixed display is never closed, and its errors end the panel")
    func given() {
        let display = Stub()
        let connection = DisplayConnection(display)
        connection.devicesChanged(at: 0)
        #expect(connection.suspend(at: 0) == nil)
        connection.resume(at: 0)
        display.connection = Self.gone
        #expect(connection.update(at: .zero + Self.second) == nil && connection.display === display)
        let thrown = thrownError { try connection.displayFailed(Self.gone, at: 0) } as? ScreenError
        #expect(thrown == Self.gone)
        connection.close()
        #expect(!display.isClosed)
    }

    @Test("nothing is opened while suspended; resuming opens at once")
    func away() {
        let board = Board()
        board.fault = nil
        let connection = board.connection()
        _ = connection.update(at: 0)
        guard case .lost? = connection.suspend(at: 1) else {
            Issue.record("the display is still open")
            return
        }
        connection.drawingStopped(at: 2)
        connection.devicesChanged(at: 3)
        #expect(connection.deadline == nil && connection.update(at: .zero + .seconds(9)) == nil && board.openNow == 0)
        connection.resume(at: .zero + .seconds(10))
        guard case .opened? = connection.update(at: .zero + .seconds(10)) else {
            Issue.record("not opened")
            return
        }
    }

    @Test("a change of a node's owner or mode causes a retry at once, unless a display is open")
    func nodes() {
        let board = Board()
        let connection = board.connection()
        board.fault = .refused(card: "a", .notInitialized)
        _ = connection.update(at: 0)
        board.fault = nil
        connection.nodesChanged(at: 1)
        #expect(connection.deadline == 1)
        guard case .opened? = connection.update(at: 1) else {
            Issue.record("not opened at once")
            return
        }
        connection.nodesChanged(at: 2)
        #expect(connection.deadline == nil)
    }

    @Test(
        "random events: at most one display is open, and in the end an available one is",
        arguments: Breadth.seeds(10, long: 60))
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let board = Board()
        let connection = board.connection()
        let faults: [ScreenError?] = [
            nil, nil, .noCard, Self.gone, .lostMaster(card: "a"), .refused(card: "a", .notInitialized),
        ]
        var now = Timestamp.zero
        var isDrawnInto: Stub?
        func follow(_ change: DisplayConnection.Change?) {
            if case .opened(let display)? = change { isDrawnInto = display as? Stub }
        }
        for _ in 0..<400 {
            now += .microseconds(Int.random(in: 0..<400_000, using: &random))
            let attemptsBefore = board.attempts
            let isAway = connection.isSuspended
            switch Int.random(in: 0..<10, using: &random) {
            case 0: board.fault = faults.randomElement(using: &random)!
            case 1: connection.devicesChanged(at: now)
            case 2: follow(try? connection.displayFailed(faults.randomElement(using: &random)! ?? Self.gone, at: now))
            case 3:
                isDrawnInto = nil
                connection.drawingStopped(at: now)
            case 4: follow(connection.suspend(at: now))
            case 5: connection.resume(at: now)
            case 6: board.opened.last?.connection = Bool.random(using: &random) ? nil : Self.gone
            default: follow(connection.update(at: now))
            }
            #expect(board.openNow <= 1, "seed \(seed)")
            if isAway { #expect(board.attempts == attemptsBefore || !connection.isSuspended, "seed \(seed)") }
            // A display that is drawn into must not be closed.
            if let isDrawnInto, connection.display != nil { #expect(!isDrawnInto.isClosed, "seed \(seed)") }
        }
        board.fault = nil
        board.opened.last?.connection = nil
        connection.resume(at: now)
        connection.drawingStopped(at: now)
        now += DisplayRetry.idle * 2
        _ = connection.update(at: now)
        #expect(connection.display != nil && board.openNow == 1, "seed \(seed)")
    }
}
