// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Record

/// A host's request for a signature, from the call to the answer.
struct PadTicket {
    let call: CallID
    let capture: CaptureCall
    let id: CaptureID
    var request: RequestID
    /// As on the page, from when it is laid out.
    var date: CaptureHeader.LocalDate?
    /// The record's writer can record it.
    var isAdmitted = false
    /// Once it has begun.
    var header: CaptureHeader?
    /// Once the page is laid out.
    var layout: SignatureLayout?
    var strokes = 0
    /// A stroke that has been recorded, and of which the host has not been told.
    var finishedStroke: HostStroke?
    var meter = QualityMeter()
    /// Why it ends, where that is nobody's wish; for people.
    var failure: String?
}
