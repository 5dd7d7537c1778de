// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How a capture begins, goes on and ends.
extension CaptureMachine {
    mutating func begin(_ order: CaptureOrder, _ effects: inout [CaptureEffect]) {
        if let running {
            effects.append(.tell(order.id, .ended(.busy(with: running))))
            return
        }
        state = .signing(CaptureSession(order: order, start: now, sampleLimit: sampleLimit), message: nil)
        effects += [
            .record(order.id, .start(order.request, microseconds: now)), .show(.signing), .tell(order.id, .started),
        ]
    }

    /// What is due by now.
    mutating func pass(_ effects: inout [CaptureEffect]) {
        switch state {
        case .idle: break
        case .signing(let session, let message):
            if now >= session.totalEnd {
                end(.timedOut(.total), &effects)
            } else if now >= session.inactivityEnd {
                end(.timedOut(.inactivity), &effects)
            } else if let message, now >= message.until {
                state = .signing(session, message: nil)
                effects.append(.show(.signing))
            }
        case .saving(_, let until): if now >= until { end(.recordLate, &effects) }
        case .closing(let until):
            if now >= until {
                state = .idle
                effects.append(.show(.idle))
            }
        }
    }

    mutating func follow(_ command: HostCommand, _ effects: inout [CaptureEffect]) {
        guard running == command.id else {
            effects.append(.reject(command, .notRunning))
            return
        }
        switch (command, state) {
        case (.cancel, _): end(.cancelled(by: .host), &effects)
        case (.clear, .signing(var session, let message)):
            session.lastTouch = now
            session.letGo(keepingInk: false, &effects)
            session.clear(&effects)
            state = .signing(session, message: nil)
            if message != nil { effects.append(.show(.signing)) }
        case (.accept, .signing(var session, _)):
            session.lastTouch = now
            session.letGo(keepingInk: true, &effects)
            accept(session, &effects)
        default: effects.append(.reject(command, .beingStored))
        }
    }

    /// Takes the ink for a signature, or says why not.
    mutating func accept(_ session: CaptureSession, _ effects: inout [CaptureEffect]) {
        let (id, policy) = (session.order.id, session.order.policy)
        let pixels = session.order.pad.density.pixelsPerMillimetre
        if let refusal = policy.minima.refusal(of: session.ink.measure, pixelsPerMillimetre: pixels) {
            state = .signing(session, message: (refusal, after(times.message)))
            effects += [.show(.refused(refusal)), .tell(id, .refused(refusal))]
        } else {
            state = .saving(id, until: after(times.saving))
            var session = session
            session.recordTrail(&effects)
            effects += [
                .show(.saving), .tell(id, .saving),
                .record(id, .accept(ignoredContacts: session.contacts.ignoredContacts)),
            ]
        }
    }

    mutating func stored(_ id: RequestID, _ effects: inout [CaptureEffect]) {
        guard case .saving(id, _) = state else { return }
        state = .closing(until: after(times.thanks))
        effects += [.wipe, .show(.thanks), .tell(id, .ended(.accepted))]
    }

    /// Ends the capture that runs with nothing kept.
    mutating func end(_ result: CaptureResult, _ effects: inout [CaptureEffect]) {
        guard let id = running else { return }
        if case .signing(var session, _) = state { session.letGo(keepingInk: false, &effects) }
        effects += [.wipe, .record(id, .discard)]
        switch result {
        case .recordFailed, .recordLate:
            state = .closing(until: after(times.message))
            effects.append(.show(.failed))
        case .accepted, .cancelled, .timedOut, .busy:
            state = .idle
            effects.append(.show(.idle))
        }
        effects.append(.tell(id, .ended(result)))
    }
}
