// SPDX-License-Identifier: Apache-2.0
import Pad
import Linux

/// What comes over a connection, and what goes back.
extension ControlLoop {
    /// How much is read at once, so that a host that sends a lot does not keep others from being answered.
    private static let chunk = 16 << 10

    func handle(_ event: EventPoll.Event, _ connection: Connection) {
        // Both ways are closed: nobody waits for the answer. Before a call runs, those that were sent are looked at.
        if event.isHangup, connection.running != nil { return drop(connection) }
        if event.isReadable || event.isHangup, !read(connection) { return drop(connection) }
        advance(connection)
    }

    /// - Returns: false when the connection has failed.
    private func read(_ connection: Connection) -> Bool {
        guard !connection.isInputEnded, connection.running == nil else { return !connection.isInputEnded }
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        do throws(Errno) {
            let count = try connection.descriptor.read(into: &bytes)
            if count == 0 {
                connection.isInputEnded = true
            } else if !connection.isEnding {
                connection.framer.append(bytes[..<count])
            }
            return true
        } catch {
            return error == .wouldBlock
        }
    }

    /// Does what can be done: writes what waits, then takes up the next call.
    func advance(_ connection: Connection) {
        while true {
            do throws(Errno) {
                let isEmpty = connection.output.isEmpty
                if try connection.output.flush(to: connection.descriptor) || connection.output.isEmpty {
                    connection.lastTaken = Self.now
                }
                if !isEmpty, connection.output.isEmpty { connection.noteCall(now: Self.now) }
                if !connection.output.isEmpty { break }
                if connection.isEnding {
                    if connection.isInputEnded { return drop(connection) }
                    if !connection.hasEndedOutput {
                        connection.hasEndedOutput = true
                        try LocalSocket.endWriting(to: connection.descriptor)
                    }
                    break
                }
            } catch {
                return drop(connection)
            }
            if connection.running != nil { break }
            do throws(MalformedMessage) {
                guard let message = try connection.framer.next() else {
                    if connection.isInputEnded { return drop(connection) }
                    break
                }
                begin(try VarlinkCall(message), connection)
            } catch {
                return refuse(connection, .malformedMessage(reason: error.description))
            }
        }
        watch(connection)
    }

    private func watch(_ connection: Connection) {
        let wanted = connection.wanted
        if wanted == connection.interest { return }
        connection.interest = wanted
        do throws(Errno) {
            try poll.change(connection.descriptor.number, token: connection.token, to: wanted)
        } catch {
            drop(connection)
        }
    }

    private func begin(_ call: VarlinkCall, _ connection: Connection) {
        func answer(_ message: [UInt8]) { if !call.oneway { connection.say(message, now: Self.now) } }
        connection.noteCall(now: Self.now)
        let wanted: HostCall
        do throws(PanelError) { wanted = try HostCall(call) } catch { return answer(ReplyEncoder.message(error)) }
        func run(isPanel: Bool) -> CallID {
            let id = makeCallID()
            connection.running = Connection.Running(id: id, more: call.more, oneway: call.oneway, isPanel: isPanel)
            callers[id] = connection
            return id
        }
        switch wanted {
        case .info:
            let info = plan.info
            answer(
                ReplyEncoder.message(
                    InfoReply(
                        vendor: info.vendor, product: info.product, version: info.version, url: info.url,
                        interfaces: InterfaceText.all)))
        case .description(let interface):
            answer(
                InterfaceText.description(of: interface).map { ReplyEncoder.message(DescriptionReply(description: $0)) }
                    ?? ReplyEncoder.message(.interfaceNotFound(interface)))
        case .panel(let wanted): plan.link.send(.call(run(isPanel: true), wanted))
        case .archive(let wanted): plan.archive.submit(run(isPanel: false), .call(wanted), of: connection.user)
        }
    }

    // MARK: answers

    /// - Returns: whether the thread shall end.
    func deliverAnswers() -> Bool {
        let (replies, isEnding) = plan.link.takeReplies()
        for (id, reply) in replies {
            guard let connection = callers[id], let running = connection.running else { continue }
            switch reply {
            case .status(let status): plan.statuses.submit(id, .status(status, continues: false), of: connection.user)
            case .changed(let status): plan.statuses.submit(id, .status(status, continues: true), of: connection.user)
            case .progress(let progress):
                if running.more { deliver(id, ReplyEncoder.message(CaptureReply(progress), continues: true)) }
            case .ended(let ended): deliver(id, ReplyEncoder.message(CaptureReply(ended)), isFinal: true)
            case .done: deliver(id, ReplyEncoder.message(NoReply()), isFinal: true)
            case .failed(let error): deliver(id, ReplyEncoder.message(error), isFinal: true)
            }
        }
        return isEnding
    }

    func deliver(from archive: Archive) {
        for answer in archive.takeAnswers() { deliver(answer.call, answer.message, isFinal: answer.isFinal) }
    }

    private func deliver(_ id: CallID, _ message: [UInt8], isFinal: Bool = false) {
        guard let connection = callers[id], let running = connection.running else { return }
        // What waited before: one long stroke may be more than that.
        let waitedBefore = connection.output.count
        if !running.oneway { connection.say(message, now: Self.now) }
        if isFinal {
            callers[id] = nil
            connection.running = nil
            connection.noteCall(now: Self.now)
        } else if waitedBefore > plan.limits.streamBytes {
            plan.log.notice("a host does not read what it follows, and is left")
            return drop(connection)
        }
        advance(connection)
    }
}
