// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Synchronization
import Testing

@Suite("Mailboxes between threads")
struct MailboxTests {
    /// Whether an epoll set would report it.
    private func isReadable(_ descriptor: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    @Test("items are taken once, in order, and taking clears the signal")
    func order() throws {
        let box = try Mailbox<Int>(blocking: false)
        #expect(!isReadable(box.descriptor))
        for number in 0..<5 { box.put(number) }
        #expect(isReadable(box.descriptor))
        let taken = box.take()
        #expect(taken.items == [0, 1, 2, 3, 4] && !taken.isClosed)
        #expect(!isReadable(box.descriptor))
        #expect(box.take().items.isEmpty)
    }

    @Test("several items are put in order, and taken into an array in place of those before")
    func several() throws {
        let box = try Mailbox<Int>(blocking: false)
        box.put(contentsOf: [])
        #expect(!isReadable(box.descriptor))
        box.put(contentsOf: [1, 2])
        box.put(contentsOf: [3])
        var items = [9]
        #expect(!box.take(into: &items) && items == [1, 2, 3])
        #expect(!isReadable(box.descriptor))
        box.put(4)
        box.close()
        #expect(box.take(into: &items) && items == [4])
        #expect(box.take(into: &items) && items == [])
    }

    @Test("items that can wait do not wake a patient receiver, which gets them with the next signal or at its deadline")
    func patience() throws {
        let box = try Mailbox<Int>(blocking: true)
        let waiting = Atomic(false)
        let receiver = try Linux.Thread(name: "receiver") {
            var (seen, items): ([Int], [Int]) = ([], [])
            waiting.store(true, ordering: .releasing)
            while seen.count < 3 {
                _ = box.take(into: &items, until: nil, isPatient: true)
                seen += items
            }
            #expect(seen == [1, 2, 3])
        }
        while !waiting.load(ordering: .acquiring) { usleep(100) }
        // Perhaps before the receiver waits, and then with a signal: it gets them in any case.
        box.put(contentsOf: [1, 2], canWait: true)
        box.put(3)
        receiver.join()

        var items: [Int] = []
        box.put(contentsOf: [4], canWait: true)
        #expect(isReadable(box.descriptor), "a receiver that is not patient is woken")
        _ = box.take(into: &items)
        _ = box.take(into: &items, until: MonotonicClock.now, isPatient: true)
        box.put(contentsOf: [5], canWait: true)
        #expect(isReadable(box.descriptor), "patience ends with the wait")
        #expect(!box.take(into: &items) && items.last == 5)
    }

    @Test("a patient receiver loses no item, whichever comes first", arguments: 0..<4)
    func patientRace(round: Int) throws {
        let box = try Mailbox<Int>(blocking: true)
        let count = 2000
        let sender = try Linux.Thread(name: "sender") {
            for number in 0..<count { box.put(contentsOf: [number], canWait: number % 7 != 0) }
            box.close()
        }
        var seen: [Int] = []
        var items: [Int] = []
        while true {
            let deadline = MonotonicClock.now + .microseconds(20 * round)
            let isClosed = box.take(into: &items, until: deadline, isPatient: seen.count % 3 != 0)
            seen += items
            if isClosed { break }
        }
        sender.join()
        #expect(seen == Array(0..<count))
    }

    @Test("a closed mailbox says so, and delivers items put before and after")
    func closing() throws {
        let box = try Mailbox<String>(blocking: false)
        box.put("before")
        #expect(!box.isClosed)
        box.close()
        box.put("after")
        #expect(isReadable(box.descriptor) && box.isClosed)
        let taken = box.take()
        #expect(taken.items == ["before", "after"] && taken.isClosed)
        #expect(box.take().isClosed)
    }

    @Test("single items are taken oldest first, without removed ones")
    func single() throws {
        let box = try Mailbox<Int>(blocking: false)
        for number in 1...4 { box.put(number) }
        box.removeAll { $0 % 2 == 0 }
        box.put(5)
        #expect(box.takeFirst { $0.firstIndex(of: 3) } == 3)
        #expect(box.takeFirst { _ in nil } == nil)
        #expect(box.takeFirst { $0.isEmpty ? nil : 0 } == 1)
        #expect(box.takeFirst { $0.isEmpty ? nil : 0 } == 5)
        #expect(box.takeFirst { $0.isEmpty ? nil : 0 } == nil)
        // The signal does not count items.
        #expect(isReadable(box.descriptor))
        box.wait()
        #expect(!isReadable(box.descriptor))
        box.wake()
        #expect(isReadable(box.descriptor))
    }

    @Test("a waiting receiver wakes for an item, a wake-up and the end, and returns at its deadline")
    func waiting() throws {
        let box = try Mailbox<Int>(blocking: true)
        let got = Mutex<[[Int]]>([])
        let back = try Mailbox<Int>(blocking: true)
        let receiver = try Linux.Thread(name: "receiver") {
            var isClosed = false
            while !isClosed {
                let taken = box.take()
                got.withLock { $0.append(taken.items) }
                isClosed = taken.isClosed
                back.put(taken.items.count)
            }
        }
        box.put(7)
        #expect(back.take().items == [1])
        box.wake()
        #expect(back.take().items == [0])
        box.close()
        receiver.join()
        #expect(got.withLock { $0 } == [[7], [], []])
        // A deadline in the past returns without a wake-up.
        let quiet = try Mailbox<Int>(blocking: true)
        #expect(quiet.take(until: MonotonicClock.now - .microseconds(1)).items.isEmpty)
    }

    @Test("items of many senders all arrive, in the order of each sender")
    func senders() throws {
        let box = try Mailbox<(Int, Int)>(blocking: true)
        let (senders, each) = (4, 2000)
        var threads: [Joined] = []
        for sender in 0..<senders {
            threads.append(
                Joined(try Linux.Thread(name: "sender") { for number in 0..<each { box.put((sender, number)) } }))
        }
        var next = [Int](repeating: 0, count: senders)
        var count = 0
        while count < senders * each {
            for (sender, number) in box.take().items {
                #expect(next[sender] == number)
                next[sender] = number + 1
                count += 1
            }
        }
        for thread in threads { thread.join() }
        #expect(next == [Int](repeating: each, count: senders))
    }

    /// A thread that can be kept in an array.
    private final class Joined {
        private var thread: Linux.Thread?

        init(_ thread: consuming Linux.Thread) { self.thread = consume thread }

        func join() { thread.take()?.join() }
    }
}
