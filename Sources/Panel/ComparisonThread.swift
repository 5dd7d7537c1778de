// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Linux
import Pad
import Signing

/// The thread that has the pages of documents drawn by two engines. It has its own calls of `inkpanel-document`, so
/// that the pictures of pages do not wait for it.
enum ComparisonThread {
    enum Step: Sendable {
        case compare(CaptureID, TriedDocument)
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
                    case .compare(let id, let tried):
                        stop.begin(id)
                        if let answer = answer(to: tried, of: id, settings.helper) { link.answer(answer) }
                    case .forget(let id): stop.forget(id)
                    }
                }
                if isEnding { return }
            }
        }
    }

    /// - Returns: nil if the capture has ended meanwhile.
    static func answer(to tried: TriedDocument, of id: CaptureID, _ helper: DocumentHelper) -> DocumentAnswer? {
        let document = tried.document
        var comparison = DocumentComparison(refuses: tried.signed != nil, allowed: document.allowed)
        do {
            let bytes = tried.signed?.bytes ?? tried.shown
            let check = try comparison.compare(document.facts.pages) { page throws(DocumentHelperError) in
                try helper.compare(page: page, in: bytes)
            }
            if let signed = tried.signed {
                try signed.pictures.compare(with: signed.bytes) { try helper.render($0, of: $1) }
            }
            return .compared(id, check)
        } catch DocumentHelperError.stopped {
            return nil
        } catch {
            guard case .documentRefused(let fault, let reason) = DocumentOpening.refusal(error) else { return nil }
            return .failed(id, reason: reason, fault: fault)
        }
    }
}
