// SPDX-License-Identifier: Apache-2.0
import Control

/// What is to be done, in this order.
enum PadOutput: Equatable, Sendable {
    case render(RenderStep)
    /// Of an end, latency and drops are still to be filled in.
    case record(RecordJob)
    case answer(CallID, PanelAnswer)
}
