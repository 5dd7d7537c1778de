// SPDX-License-Identifier: Apache-2.0

/// What the pad shows.
public enum CapturePage: Equatable, Sendable {
    case idle
    case signing
    /// As `signing`, with a message in the prompt's place.
    case refused(Refusal)
    /// As `signing`, without buttons: the record is being stored.
    case saving
    /// The record is stored.
    case thanks
    /// The record could not be stored; the signature is lost.
    case failed
}
