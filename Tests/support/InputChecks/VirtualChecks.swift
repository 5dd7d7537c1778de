// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch
import Virtual

/// Checks bytes of a client of a virtual panel in pieces of any size: contacts begin once, end at most once, and have
/// times in order.
enum VirtualChecks {
    static func check(_ bytes: [UInt8]) throws(CheckedInput.Fault) -> Bool {
        let whole = read([bytes[...]])
        let pieces = read(stride(from: 0, to: bytes.count, by: 7).map { bytes[$0...].prefix(7) })
        // The messages must not depend on the pieces.
        try require(whole.messages == pieces.messages && whole.fault == pieces.fault, "other messages in pieces")
        var contacts = PointerContacts()
        var clock = PointerClock()
        var (arrival, last) = (Timestamp(microseconds: 1_000_000), Timestamp.distantPast)
        var down: Set<Int32> = []
        for message in whole.messages {
            arrival += .milliseconds(1)
            guard case .samples(let samples) = message else { continue }
            if let latest = samples.map(\.microseconds).max() { clock.learn(latest, arrival: arrival) }
            for sample in samples {
                let time = clock.time(of: sample.microseconds)
                try require(last <= time && time <= arrival, "a time out of order")
                last = time
                let result: (kind: PointerSample.Kind, frame: TouchFrame)?
                do throws(VirtualFault) { result = try contacts.update(with: sample, at: time) } catch { return false }
                guard let contact = result?.frame.contacts.first else { continue }
                let isDown = down.contains(contact.trackingID)
                let begins = [.began, .resumed].contains(contact.phase)
                try require(isDown != begins, "a contact that begins twice or not at all")
                switch contact.phase {
                case .began, .resumed: down.insert(contact.trackingID)
                case .moved: break
                case .ended, .retired, .cancelled: down.remove(contact.trackingID)
                }
                try require(down.count <= PointerContacts.limit, "\(down.count) contacts")
                try require(contact.reading.pressure == nil || result?.kind != .mouse, "a pressure of a mouse")
            }
        }
        return whole.fault == nil && !whole.messages.isEmpty
    }

    private static func read(_ pieces: [ArraySlice<UInt8>]) -> (messages: [ClientMessage], fault: VirtualFault?) {
        var parser = ClientMessageParser()
        var messages: [ClientMessage] = []
        do throws(VirtualFault) {
            for piece in pieces {
                parser.append(piece)
                while let message = try parser.next() { messages.append(message) }
            }
        } catch {
            return (messages, error)
        }
        return (messages, nil)
    }
}
