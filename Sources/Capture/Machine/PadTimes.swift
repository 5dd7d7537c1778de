// SPDX-License-Identifier: Apache-2.0

/// How long the pad shows what goes away by itself, in microseconds.
public struct PadTimes: Equatable, Sendable {
    /// A refusal, and that a record could not be stored.
    public var message: Int64
    public var thanks: Int64
    /// How long the writer may take with an accepted record before it counts as lost.
    public var saving: Int64

    /// Defaults: ten words are read in some four seconds; a memory card that is busy with its own housekeeping answers
    /// within ten.
    public init(message: Int64 = 6_000_000, thanks: Int64 = 3_000_000, saving: Int64 = 10_000_000) {
        self.message = message
        self.thanks = thanks
        self.saving = saving
    }
}
