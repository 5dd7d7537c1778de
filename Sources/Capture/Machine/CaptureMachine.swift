// SPDX-License-Identifier: Apache-2.0
public import Record

/// The pad that people sign on, as a machine that is told what happens and says what is to be done. Times are
/// microseconds of the clock that stamps the reports; one that runs backwards stands still here.
///
/// What it holds to, whatever it is told and in whatever order: a signature is accepted only by Accept, pressed or the
/// operator's; a capture that is cancelled, runs out of time or cannot be stored leaves nothing; ink begins and ends
/// in the signing area; a contact that began on a button draws nothing; each request ends once.
public struct CaptureMachine: Sendable {
    enum State {
        case idle
        /// With a message until then.
        case signing(CaptureSession, message: (refusal: Refusal, until: Int64)?)
        case saving(RequestID, until: Int64)
        /// `thanks` or `failed`, until then.
        case closing(until: Int64)
    }

    let times: PadTimes
    /// Of the strokes of a capture: where they have so many, ink ends.
    let sampleLimit: Int
    var state = State.idle
    /// The latest time told.
    var now = Int64.min

    public init(times: PadTimes = PadTimes(), sampleLimit: Int = CaptureLimits.strokeSampleCount) {
        self.times = times
        self.sampleLimit = sampleLimit
    }

    /// The request that is being met.
    public var running: RequestID? {
        switch state {
        case .signing(let session, _): session.order.id
        case .saving(let id, _): id
        case .idle, .closing: nil
        }
    }

    /// When to call again with ``CaptureInput/time`` at the latest; nil when only something else can happen.
    public var deadline: Int64? {
        switch state {
        case .idle: nil
        case .signing(let session, let message):
            min(session.inactivityEnd, session.totalEnd, message?.until ?? .max)
        case .saving(_, let until), .closing(let until): until
        }
    }

    /// - Parameter microseconds: when this happens, which is not when a report was made: that one says itself.
    public mutating func handle(_ input: CaptureInput, at microseconds: Int64) -> [CaptureEffect] {
        now = max(now, microseconds)
        var effects: [CaptureEffect] = []
        pass(&effects)
        switch input {
        case .time: break
        case .request(let order): begin(order, &effects)
        case .command(let command): follow(command, &effects)
        case .touch(let event, let contact): touch(event, contact, &effects)
        case .hover(let hover, let device, let microseconds):
            self.hover(hover, device: device, microseconds: microseconds, &effects)
        case .letGo:
            guard case .signing(var session, let message) = state else { break }
            session.letGo(keepingInk: true, &effects)
            state = .signing(session, message: message)
        case .recordDurable(let id): stored(id, &effects)
        case .recordFailed(let id, let reason):
            if running == id { end(.recordFailed(reason: reason), &effects) }
        }
        return effects
    }

    /// That much later than now, or at the end of time.
    func after(_ duration: Int64) -> Int64 { now.saturatingAdding(duration) }
}

extension CaptureSession {
    var inactivityEnd: Int64 { lastTouch.saturatingAdding(order.policy.inactivityLimit) }
    var totalEnd: Int64 { start.saturatingAdding(order.policy.totalLimit) }
}

extension Int64 {
    fileprivate func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
