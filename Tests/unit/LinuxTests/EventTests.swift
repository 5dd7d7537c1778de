// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@Suite("Events")
struct EventTests {
    @Test("signals sent before the receiver wakes are one wake-up")
    func mergedSignals() throws {
        let poll = try EventPoll()
        let signal = try EventSignal(blocking: false)
        try poll.add(signal.number, token: 7)
        #expect(try poll.wait(until: .zero).isEmpty)
        signal.signal()
        signal.signal()
        #expect(try poll.wait(until: .zero).map(\.token) == [7])
        signal.wait()
        #expect(try poll.wait(until: .zero).isEmpty)
    }

    @Test("a descriptor reports the events asked for, and hangups always")
    func interests() throws {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) }
        let (ours, theirs) = (ends[0], ends[1])
        defer { close(ours) }
        let poll = try EventPoll()
        try poll.add(ours, token: 1, for: [])
        try retryingOnInterrupt { write(theirs, "x", 1) }
        #expect(try poll.wait(until: .zero).isEmpty)
        try poll.change(ours, token: 2, to: .reading)
        let read = try #require(try poll.wait(until: .zero).first)
        #expect(read.token == 2 && read.isReadable && !read.isWritable && !read.isHangup)
        try poll.change(ours, token: 2, to: [.reading, .writing])
        let both = try #require(try poll.wait(until: .zero).first)
        #expect(both.isReadable && both.isWritable)
        try poll.change(ours, token: 2, to: [])
        // Closing alone does not hang up while a child forked by another test still has it open.
        shutdown(theirs, CInt(SHUT_RDWR))
        close(theirs)
        let hangup = try #require(try poll.wait(until: .zero).first)
        #expect(hangup.isHangup && !hangup.isReadable)
    }

    @Test("a wait with a deadline returns without a signal, and consumes a signal")
    func waitUntil() throws {
        let poll = try EventPoll()
        let signal = try EventSignal(blocking: true)
        try poll.add(signal.number, token: 7)
        signal.wait(until: 0)
        signal.wait(until: MonotonicClock.now + .milliseconds(2))
        signal.signal()
        signal.wait(until: .distantFuture)
        #expect(try poll.wait(until: .zero).isEmpty)
    }

    @Test("a timer fires once, immediately for a past time, and not when disarmed")
    func timer() throws {
        let poll = try EventPoll()
        var timer = try Timer()
        try poll.add(timer.number, token: 1)
        try timer.arm(at: 0)
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(1000)).count == 1)
        timer.acknowledge()
        var deadline = timer.deadline
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(5)).isEmpty && deadline == nil)
        try timer.arm(at: .distantFuture)
        // It has not fired, so this changes nothing.
        timer.acknowledge()
        deadline = timer.deadline
        #expect(deadline == .distantFuture)
        try timer.disarm()
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(5)).isEmpty)
        try timer.arm(at: -1)
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(1000)).count == 1)
        try timer.arm(at: nil)
        #expect(try poll.wait(until: MonotonicClock.now + .milliseconds(5)).isEmpty)
    }

    @Test("closing the writing end of a pipe is a hangup")
    func hangup() throws {
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reader = FileDescriptor(owning: ends[0])
        let poll = try EventPoll()
        try poll.add(reader.number, token: 3)
        close(ends[1])
        let events = try poll.wait(until: MonotonicClock.now + .milliseconds(1000))
        #expect(events.map(\.isHangup) == [true])
        try poll.remove(reader.number)
        #expect(try poll.wait(until: .zero).isEmpty)
    }

    @Test("a thread waits for a blocking signal and is joined")
    func thread() throws {
        final class Box: Sendable {
            let signal: EventSignal
            let value = Mutex(0)
            init() throws { signal = try EventSignal(blocking: true) }
        }
        let box = try Box()
        let thread = try Thread(name: "waiter") {
            box.signal.wait()
            box.value.withLock { $0 = 42 }
        }
        box.signal.signal()
        thread.join()
        #expect(box.value.withLock { $0 } == 42)
    }
}
