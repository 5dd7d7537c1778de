// SPDX-License-Identifier: Apache-2.0
import Testing
import Touch

@Suite("Playing a recording")
struct RecordingPlayerTests {
    private func recording(_ times: [Int64]) -> Recording {
        let events = times.flatMap { time in
            [Event.mtX(Int32(truncatingIfNeeded: time)), Event.report].map { event in
                var event = event
                event.microseconds = time
                return event
            }
        }
        return Recording(device: .multitouch(), events: events)
    }

    private func dueTimes(_ player: RecordingPlayer) -> [Int64] {
        var player = player
        var times: [Int64] = []
        while let due = player.dueMicroseconds {
            times.append(due)
            #expect(player.next() != nil)
        }
        #expect(player.next() == nil)
        return times
    }

    @Test("each report is due as long after the start as it was recorded, with its times moved along")
    func recorded() {
        var player = RecordingPlayer(recording([5000, 8000, 20000]), startMicroseconds: 1_000_000)
        #expect(dueTimes(player) == [1_000_000, 1_003_000, 1_015_000])
        _ = player.next()
        let second = player.next()
        #expect(second?.map(\.microseconds) == [1_003_000, 1_003_000])
        #expect(second?.last?.isSynReport == true)
    }

    @Test("at another pace the due times change and the recorded times do not")
    func paces() {
        let recording = recording([0, 3000, 15000])
        #expect(dueTimes(RecordingPlayer(recording, startMicroseconds: 0, pace: .factor(3))) == [0, 1000, 5000])
        #expect(dueTimes(RecordingPlayer(recording, startMicroseconds: 7, pace: .immediate)) == [7, 7, 7])
        var fast = RecordingPlayer(recording, startMicroseconds: 0, pace: .immediate)
        _ = fast.next()
        #expect(fast.next()?.last?.microseconds == 3000)
        for factor in [0, -1, Double.nan, .infinity] {
            #expect(dueTimes(RecordingPlayer(recording, startMicroseconds: 0, pace: .factor(factor))) == [0, 0, 0])
        }
        #expect(
            dueTimes(RecordingPlayer(recording, startMicroseconds: 0, pace: .factor(1e-300), longestPause: 50))
                == [0, 50, 100])
    }

    @Test("time that runs backwards makes nothing due before what was due last")
    func backwards() {
        #expect(dueTimes(RecordingPlayer(recording([5000, 4000, 6000]), startMicroseconds: 0)) == [0, 0, 2000])
    }

    @Test("a clock set on the way does not stop the play for years")
    func pause() {
        let player = RecordingPlayer(recording([0, 1_330_495_931_000_000]), startMicroseconds: 0)
        #expect(dueTimes(player) == [0, 10_000_000])
        #expect(dueTimes(RecordingPlayer(recording([.min, .max, 0]), startMicroseconds: 0)).count == 3)
    }

    @Test("events behind the last SYN_REPORT are handed out, an empty recording has none")
    func ends() {
        var recording = recording([0])
        recording.events.append(Event.mtX(1))
        var player = RecordingPlayer(recording, startMicroseconds: 0)
        #expect(player.next()?.count == 2)
        #expect(player.next()?.count == 1)
        #expect(player.next() == nil)
        var empty = RecordingPlayer(Recording(device: .multitouch(), events: []), startMicroseconds: 0)
        #expect(empty.dueMicroseconds == nil && empty.next() == nil)
    }
}
