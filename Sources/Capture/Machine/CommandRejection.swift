// SPDX-License-Identifier: Apache-2.0

/// Why a host's command was not followed.
public enum CommandRejection: Equatable, Sendable {
    /// No capture of that name runs: it has ended, or never was.
    case notRunning
    /// It was accepted and is being stored: its ink stands.
    case beingStored
}
