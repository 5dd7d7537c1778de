// SPDX-License-Identifier: Apache-2.0

/// How much a host may ask of the panel. A panel has a few hosts; all of these are more than those need, and little
/// enough for a small board when each of them is used up.
struct ControlLimits: Equatable, Sendable {
    /// Connections that are answered.
    var connections = 32
    /// Connections that are ending with an error.
    var endings = 16
    /// Bytes of a message from a host. A call has 16 KiB of texts at most.
    var messageBytes = 64 << 10
    /// Bytes of answers on the way to a host that follows a capture or watches: some thousand strokes, hours of status.
    /// A final answer may be as large as it is.
    var streamBytes = 1 << 20
    /// Bytes of answers on the way to all hosts, above which nothing more is made for any.
    var answerBytes = 64 << 20
    /// How long a host may take nothing of what waits for it, and how long an ending may last, in milliseconds.
    var stall: Int64 = 10_000
    var ending: Int64 = 2000
    /// When to try again after the process has run out of descriptors.
    var pause: Int64 = 1000
}
