// SPDX-License-Identifier: Apache-2.0
import Capture

/// A signature page to be laid out for what is written on it.
struct LayoutOrder: Equatable, Sendable {
    /// Names it in the answer.
    var request: RequestID
    var texts: PageTexts
    var direction: LayoutDirection
}

struct LayoutAnswer: Equatable, Sendable {
    var request: RequestID
    var layout: Result<SignatureLayout, PageTooSmall>
}
