// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster
import TestSupport
import Testing

@testable import Screen

/// A display that is only there, or not.
private final class Stub: Display {
    let details = DisplayDetails(
        name: "STUB-1", card: "/dev/dri/card7", driver: "stub", mode: "8x8", commitStyle: "none", millimetres: nil,
        orientation: nil)
    let size = PixelSize(width: 8, height: 8)
    let refreshIntervalNanoseconds: Int64? = nil
    let surfaces: [Surface] = []
    let eventDescriptor: CInt = -1
    let retryDeadlineNanoseconds: Int64? = nil
    var connection: ScreenError?
    private(set) var isClosed = false

    func start(showing index: Int) throws(ScreenError) {}
    func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation { .shown }
    func readEvents() throws(ScreenError) -> [FlipCompletion] { [] }
    func checkConnection() throws(ScreenError) { if let connection { throw connection } }
    func close() { isClosed = true }
}

/// Opens displays, or says why there is none.
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

    func seat() -> DisplaySeat { DisplaySeat { () throws(ScreenError) in try self.open() } }
}

@Suite("The place of the display") struct DisplaySeatTests {
    private static let second: Int64 = 1_000_000_000
    private static let gone = ScreenError.cardGone(card: "/dev/dri/card7")

    @Test("an empty place is looked after now and then, soon after an event, and says once why it is empty")
    func waits() throws {
        let board = Board()
        let seat = board.seat()
        guard case .stillEmpty(.noCard)? = seat.pass(at: 0) else {
            Issue.record("nobody said that there is none")
            return
        }
        #expect(seat.fault == .noCard && seat.deadline == DisplayRetry.idle)
        #expect(seat.pass(at: Self.second) == nil && board.attempts == 1)
        seat.devicesChanged(at: Self.second)
        #expect(seat.deadline == Self.second + DisplaySeat.settlingTime)
        // The same once more is no news.
        #expect(seat.pass(at: 2 * Self.second) == nil && board.attempts == 2)
        board.fault = nil
        guard case .opened? = seat.pass(at: 8 * Self.second) else {
            Issue.record("a display that came without an event was not found")
            return
        }
        #expect(seat.fault == nil && seat.display != nil && seat.deadline == nil)
    }

    @Test("where nobody tells of changes, a display that is there is looked at now and then")
    func polls() throws {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        _ = seat.pass(at: 0)
        #expect(seat.deadline == nil)
        seat.polls = true
        #expect(seat.pass(at: 1) == nil && seat.deadline == 1 + DisplayRetry.idle)
        board.opened[0].connection = Self.gone
        guard case .lost(_, Self.gone)? = seat.pass(at: 1 + DisplayRetry.idle) else {
            Issue.record("nobody has looked")
            return
        }
        seat.displayIsUnused(at: 2 * DisplayRetry.idle)
        let now = try #require(seat.deadline)
        _ = seat.pass(at: now)
        #expect(seat.display != nil && seat.deadline == now + DisplayRetry.idle)
    }

    @Test("for a link that fails each time the screen goes dark once a minute, not all the time")
    func failingLink() throws {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        _ = seat.pass(at: 0)
        let failure = ScreenError.linkFailed(card: "/dev/dri/card7", connector: "HDMI-A-1")
        var losses = 0
        for second in Int64(1)...120 {
            board.opened.last?.connection = failure
            seat.devicesChanged(at: second * Self.second)
            if case .lost? = seat.pass(at: second * Self.second + DisplaySeat.settlingTime) {
                losses += 1
                seat.displayIsUnused(at: second * Self.second)
                let due = try #require(seat.deadline)
                guard case .opened? = seat.pass(at: due) else {
                    Issue.record("it is not opened again")
                    return
                }
                seat.displayShows()
            }
        }
        #expect(losses == 2)
        let due = try #require(seat.deadline)
        guard case .lost? = seat.pass(at: due) else {
            Issue.record("nobody looks again")
            return
        }
    }

    @Test("started while another terminal is shown it opens nothing until its own is")
    func startedAway() {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        guard case .stillEmpty(.away)? = seat.goAway(at: 0) else {
            Issue.record("nobody hears why there is no picture")
            return
        }
        #expect(seat.goAway(at: 1) == nil, "no news")
        #expect(seat.pass(at: 100 * Self.second) == nil && board.attempts == 0 && seat.deadline == nil)
        seat.comeBack(at: 101 * Self.second)
        guard case .opened? = seat.pass(at: 101 * Self.second) else {
            Issue.record("its terminal is back")
            return
        }
    }

    @Test("another program's screen is asked for again and again, ever less often")
    func othersScreen() {
        let board = Board()
        board.fault = .lostMaster(card: "/dev/dri/card7")
        let seat = board.seat()
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 0..<40 {
            _ = seat.pass(at: now)
            guard let deadline = seat.deadline else {
                Issue.record("never again")
                return
            }
            waits.append((deadline - now) / 1_000_000)
            now = deadline
        }
        #expect(Array(waits.prefix(6)) == [20, 40, 80, 160, 250, 250])
        #expect(waits.last == 1000 && waits == waits.sorted())
    }

    @Test("a display that fails is closed when nobody draws into it, and not before; then another is opened")
    func replaces() throws {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        _ = seat.pass(at: 0)
        guard case .lost(let display, Self.gone)? = try seat.fail(Self.gone, at: 5) else {
            Issue.record("not lost")
            return
        }
        #expect(display === board.opened[0] && !board.opened[0].isClosed && seat.display == nil && !seat.isFree)
        #expect(seat.pass(at: 9 * Self.second) == nil && board.attempts == 1)
        seat.displayIsUnused(at: 10)
        #expect(board.opened[0].isClosed && seat.isFree && seat.deadline == 10 + DisplayRetry.eagerStart)
        guard case .opened? = seat.pass(at: Self.second) else {
            Issue.record("not opened again")
            return
        }
        #expect(board.openNow == 1)
    }

    @Test("a display that opens and shows nothing is not opened again and again without a pause")
    func showsNothing() throws {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        let failure = ScreenError.modesetFailed(card: "a", connector: "b", mode: "c", .invalidArgument)
        var now: Int64 = 0
        for _ in 0..<10 {
            _ = seat.pass(at: now)
            _ = try seat.fail(failure, at: now)
            seat.displayIsUnused(at: now)
            let next = try #require(seat.deadline)
            #expect(next - now >= Self.second)
            now = next
        }
        // Nor one that another program takes away each time.
        for _ in 0..<30 {
            _ = seat.pass(at: now)
            _ = try seat.fail(.lostMaster(card: "a"), at: now)
            seat.displayIsUnused(at: now)
            now = try #require(seat.deadline)
        }
        _ = seat.pass(at: now)
        _ = try seat.fail(.lostMaster(card: "a"), at: now)
        seat.displayIsUnused(at: now)
        #expect(seat.deadline == now + DisplayRetry.patient)
        // Until a frame was seen.
        _ = seat.pass(at: now + DisplayRetry.patient)
        seat.displayShows()
        _ = try seat.fail(.lostMaster(card: "a"), at: now)
        seat.displayIsUnused(at: now)
        #expect(seat.deadline == now + DisplayRetry.eagerStart)
    }

    @Test("after an event the connector is asked, and a display without one is lost")
    func unplugged() {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        _ = seat.pass(at: 0)
        seat.devicesChanged(at: 0)
        seat.devicesChanged(at: 50)
        #expect(seat.deadline == DisplaySeat.settlingTime)
        #expect(seat.pass(at: Self.second) == nil && seat.deadline == nil)
        let reason = ScreenError.disconnected(card: "/dev/dri/card7", connector: "STUB-1")
        board.opened[0].connection = reason
        seat.devicesChanged(at: Self.second)
        guard case .lost(_, let error)? = seat.pass(at: 2 * Self.second) else {
            Issue.record("not lost")
            return
        }
        #expect(error == reason)
    }

    @Test("flips that stop for good again and again end the panel; once in a while they do not")
    func hopeless() throws {
        let stuck = ScreenError.flipTimedOut(card: "/dev/dri/card7", connector: "STUB-1")
        for pause in [Self.second, 40 * Self.second] {
            let board = Board()
            board.fault = nil
            let seat = board.seat()
            var now: Int64 = 0
            var failures = 0
            do throws(ScreenError) {
                for _ in 0..<6 {
                    _ = seat.pass(at: now)
                    _ = try seat.fail(stuck, at: now)
                    failures += 1
                    seat.displayIsUnused(at: now)
                    now += pause
                }
                #expect(pause > 30 * Self.second)
            } catch {
                #expect(error == stuck && failures == 2 && pause < 30 * Self.second)
            }
        }
    }

    @Test("a display that was given is the caller's: its errors end the panel, and it is not closed")
    func given() {
        let display = Stub()
        let seat = DisplaySeat(display)
        seat.devicesChanged(at: 0)
        #expect(seat.goAway(at: 0) == nil)
        seat.comeBack(at: 0)
        display.connection = Self.gone
        #expect(seat.pass(at: Self.second) == nil && seat.display === display)
        let thrown = thrownError { try seat.fail(Self.gone, at: 0) } as? ScreenError
        #expect(thrown == Self.gone)
        seat.close()
        #expect(!display.isClosed)
    }

    @Test("away, nothing is opened; back, it is at once")
    func away() {
        let board = Board()
        board.fault = nil
        let seat = board.seat()
        _ = seat.pass(at: 0)
        guard case .lost? = seat.goAway(at: 1) else {
            Issue.record("the display is still held")
            return
        }
        seat.displayIsUnused(at: 2)
        seat.devicesChanged(at: 3)
        #expect(seat.deadline == nil && seat.pass(at: 9 * Self.second) == nil && board.openNow == 0)
        seat.comeBack(at: 10 * Self.second)
        guard case .opened? = seat.pass(at: 10 * Self.second) else {
            Issue.record("not opened when it may be")
            return
        }
    }

    @Test("a node that changes its owner or mode is tried at once, but not while there is a display")
    func nodes() {
        let board = Board()
        let seat = board.seat()
        board.fault = .refused(card: "a", .notInitialized)
        _ = seat.pass(at: 0)
        board.fault = nil
        seat.nodesChanged(at: 1)
        #expect(seat.deadline == 1)
        guard case .opened? = seat.pass(at: 1) else {
            Issue.record("not opened at once")
            return
        }
        seat.nodesChanged(at: 2)
        #expect(seat.deadline == nil)
    }

    @Test(
        "whatever happens, one display is open at most, and one is found when there is one",
        arguments: 0..<60 as Range<UInt64>)
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let board = Board()
        let seat = board.seat()
        let faults: [ScreenError?] = [
            nil, nil, .noCard, Self.gone, .lostMaster(card: "a"), .refused(card: "a", .notInitialized),
        ]
        var now: Int64 = 0
        var isDrawnInto: Stub?
        func follow(_ change: DisplaySeat.Change?) {
            if case .opened(let display)? = change { isDrawnInto = display as? Stub }
        }
        for _ in 0..<400 {
            now += Int64.random(in: 0..<400_000_000, using: &random)
            let attemptsBefore = board.attempts
            let isAway = seat.isAway
            switch Int.random(in: 0..<10, using: &random) {
            case 0: board.fault = faults.randomElement(using: &random)!
            case 1: seat.devicesChanged(at: now)
            case 2: follow(try? seat.fail(faults.randomElement(using: &random)! ?? Self.gone, at: now))
            case 3:
                isDrawnInto = nil
                seat.displayIsUnused(at: now)
            case 4: follow(seat.goAway(at: now))
            case 5: seat.comeBack(at: now)
            case 6: board.opened.last?.connection = Bool.random(using: &random) ? nil : Self.gone
            default: follow(seat.pass(at: now))
            }
            #expect(board.openNow <= 1, "seed \(seed)")
            if isAway { #expect(board.attempts == attemptsBefore || !seat.isAway, "seed \(seed)") }
            // Memory that is drawn into is not taken away.
            if let isDrawnInto, seat.display != nil { #expect(!isDrawnInto.isClosed, "seed \(seed)") }
        }
        board.fault = nil
        board.opened.last?.connection = nil
        seat.comeBack(at: now)
        seat.displayIsUnused(at: now)
        now += 2 * DisplayRetry.idle
        _ = seat.pass(at: now)
        #expect(seat.display != nil && board.openNow == 1, "seed \(seed)")
    }
}
