// SPDX-License-Identifier: Apache-2.0
import Screen

/// A finished frame, and when the reports came into being that it is the first to show.
struct ReadyFrame: Sendable {
    var frame: Swapchain.Frame
    /// Microseconds of the kernel's clock.
    var reports: [Int64]
}
