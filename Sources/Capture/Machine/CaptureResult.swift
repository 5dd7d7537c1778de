// SPDX-License-Identifier: Apache-2.0

/// How a request ended. Only `accepted` leaves a record.
public enum CaptureResult: Equatable, Sendable {
    public enum Party: Equatable, Sendable {
        case person, host
    }
    public enum Limit: Equatable, Sendable {
        case inactivity, total
    }

    /// The record is durable.
    case accepted
    case cancelled(by: Party)
    case timedOut(Limit)
    /// The writer's reason.
    case recordFailed(reason: String)
    /// The writer has not said for too long whether the record is durable.
    case recordLate
    /// The pad was taken by that request.
    case busy(with: RequestID)
}
