// SPDX-License-Identifier: Apache-2.0
import Control

/// What is to be done, in this order.
enum PadOutput: Equatable, Sendable {
    case render(RenderStep)
    /// In the quality of an end, latency, drops and contacts that the gate has ignored are still to be filled in.
    case record(RecordJob)
    case answer(CallID, PanelAnswer)
}
