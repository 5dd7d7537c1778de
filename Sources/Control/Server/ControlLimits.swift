// SPDX-License-Identifier: Apache-2.0

/// How much a host may ask of the panel. A panel has a few hosts; all of these are more than those need, and little
/// enough for a small board when each of them is used up.
struct ControlLimits: Equatable, Sendable {
    /// Connections that are answered.
    var connections = 32
    /// Of these, kept for root and the panel's own user: who looks what is wrong gets in.
    var reserved = 4
    /// Connections of one user, root included.
    var userConnections = 16
    /// Connections that are ending with an error.
    var endings = 16
    /// Bytes of a message from a host. A call has 16 KiB of texts at most.
    var messageBytes = 64 << 10
    /// Bytes of answers on the way to a host that follows a capture or watches: some thousand strokes, hours of status.
    /// A final answer may be as large as it is.
    var streamBytes = 1 << 20
    /// Bytes of answers on the way to the hosts of one user, above which no more files are made for that user.
    var userAnswerBytes = 32 << 20
    /// Bytes of answers on the way to all hosts, above which files are made for root and the panel's own user only.
    var answerBytes = 64 << 20
    /// Bytes per second that a host must take of an answer. Within one machine it is a thousand times faster; this lets
    /// one pass it on over a slow line meanwhile.
    var rate: Int64 = 64 << 10
    /// How long a connection may last on which nothing was ever called, in milliseconds. A part of a call is none.
    var silence: Int64 = 30_000
    /// And after the answer to a call: programs keep a connection between calls.
    var idle: Int64 = 600_000
    /// After which time without a call it may have to make room for another. Whoever has just connected can call.
    var spare: Int64 = 1000
    /// How long a host may take nothing of what waits for it, and how long an ending may last, in milliseconds. So long
    /// later may an answer also be taken than ``rate`` allows.
    var stall: Int64 = 10_000
    var ending: Int64 = 2000
    /// When to try again after the process has run out of descriptors.
    var pause: Int64 = 1000
}
