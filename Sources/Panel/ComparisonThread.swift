// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Linux
import Pad
import Signing

/// A document to compare while people read it.
struct ComparisonJob: Sendable {
    let id: CaptureID
    let document: OpenedDocument
    /// The bytes that people see.
    let shown: [UInt8]
    /// nil if nobody signs.
    let trial: SigningTrial?
}

/// The whole signing of a document with samples in place of ink, before anybody signs.
struct SigningTrial {
    let bytes: [UInt8]
    /// The pictures that it must look like.
    let pictures: SignedPictures
}

/// The thread that has the pages of documents drawn by two engines. It has its own calls of `inkpanel-document`, so
/// that the pictures of pages do not wait for it.
enum ComparisonThread {
    enum Step: Sendable {
        case compare(ComparisonJob)
        case forget(CaptureID)
    }

    /// Starts the thread. It ends after the mailbox is closed; nobody waits for its end.
    static func start(_ settings: DocumentSettings, _ steps: Mailbox<Step>, stop: HelperStop, link: DocumentLink)
        throws(Errno)
    {
        _ = try Linux.Thread(name: "comparison") {
            var settings = settings
            settings.helper.stop = stop
            settings.helper.attempts = 2
            while true {
                let (items, isEnding) = steps.take()
                for step in items {
                    switch step {
                    case .compare(let job):
                        stop.begin(job.id)
                        if let answer = answer(to: job, settings.helper) { link.answer(answer) }
                    case .forget(let id): stop.forget(id)
                    }
                }
                if isEnding { return }
            }
        }
    }

    /// - Returns: nil if the capture has ended meanwhile.
    static func answer(to job: ComparisonJob, _ helper: DocumentHelper) -> DocumentAnswer? {
        let document = job.document
        var comparison = DocumentComparison(refuses: job.trial != nil, allowed: document.allowed)
        do {
            let bytes = job.trial?.bytes ?? job.shown
            let check = try comparison.compare(document.facts.pages) { page throws(DocumentHelperError) in
                try helper.compare(page: page, in: bytes)
            }
            if let trial = job.trial {
                try trial.pictures.compare(with: trial.bytes) { try helper.render($0, of: $1) }
            }
            return .compared(job.id, check)
        } catch DocumentHelperError.stopped {
            return nil
        } catch {
            guard case .documentRefused(let fault, let reason) = DocumentOpening.refusal(error) else { return nil }
            return .failed(job.id, reason: reason, fault: fault)
        }
    }
}
