// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import HostAPI
import Linux
import Pad
import Raster
import Signing

/// The mailboxes between the main and the document thread.
final class DocumentLink: Sendable {
    /// The actions of one moment.
    private let actions: Mailbox<[DocumentAction]>
    private let answers: Mailbox<DocumentAnswer>
    private let comparisons: Mailbox<ComparisonThread.Step>
    let stop: HelperStop
    private let comparisonStop: HelperStop

    init() throws(Errno) {
        comparisons = try Mailbox(blocking: true)
        comparisonStop = try HelperStop()
        actions = try Mailbox(blocking: true)
        answers = try Mailbox(blocking: false)
        stop = try HelperStop()
    }

    // MARK: main thread

    /// Readable when answers wait.
    var descriptor: CInt { answers.descriptor }

    /// The work for a capture that is closed ends at once.
    /// - Parameter moment: the most urgent first.
    func send(_ moment: [DocumentAction]) {
        for case .close(let id) in moment {
            stop.set(for: id)
            comparisonStop.set(for: id)
        }
        if !moment.isEmpty { actions.put(moment) }
    }

    func receiveAnswers() -> [DocumentAnswer] { answers.take().items }

    /// Ends the document threads after the calls that they wait for.
    func finish() {
        actions.close()
        comparisons.close()
    }

    // MARK: document thread

    /// Adds what was sent to the queue.
    /// - Parameter waits: whether to wait for actions.
    /// - Returns: whether the thread must end.
    func receive(into queue: inout DocumentQueue, waits: Bool) -> Bool {
        if !waits, !actions.hasItems { return actions.isClosed }
        let (moments, isEnding) = actions.take()
        for moment in moments { queue.add(moment) }
        return isEnding
    }

    func answer(_ answer: DocumentAnswer) { answers.put(answer) }

    func compare(_ document: TriedDocument, of id: CaptureID) { comparisons.put(.compare(id, document)) }

    /// Ends the comparison for a capture that has ended.
    func forgetComparison(_ id: CaptureID) { comparisons.put(.forget(id)) }

    fileprivate func startComparisons(_ settings: DocumentSettings) throws(Errno) {
        try ComparisonThread.start(settings, comparisons, stop: comparisonStop, link: self)
    }
}

/// The thread that has documents read and drawn. It alone waits for `inkpanel-document`, besides the record thread,
/// which has them signed. It keeps one document.
enum DocumentThread {
    /// Starts the thread. It ends after ``DocumentLink/finish()``. No thread waits for its end: a call may take up to
    /// the time limit of the helper.
    static func start(_ settings: DocumentSettings, key: DocumentKey, link: DocumentLink) throws(Errno) {
        try link.startComparisons(settings)
        _ = try Linux.Thread(name: "document") {
            var reader = DocumentReader(settings, key: key, stop: link.stop)
            var queue = DocumentQueue()
            while !link.receive(into: &queue, waits: true) {
                while let action = queue.next() {
                    switch action {
                    case .compare(let id): if let tried = reader.comparison(for: id) { link.compare(tried, of: id) }
                    case .close(let id): link.forgetComparison(id)
                    case .open, .draw, .read: break
                    }
                    if let answer = reader.perform(action) { link.answer(answer) }
                    if link.receive(into: &queue, waits: false) { return }
                }
            }
        }
    }
}

/// Carries out the actions of the document thread, one after the other.
struct DocumentReader {
    private let opening: DocumentOpening
    private var helper: DocumentHelper { opening.settings.helper }
    /// Whether the text of the last page could be read. After a failure, no more texts of the document are read.
    private var readsTexts = true
    /// The document of the running capture.
    private var open: (id: CaptureID, tried: TriedDocument)?
    private let stop: HelperStop?

    init(_ settings: DocumentSettings, key: DocumentKey, stop: HelperStop? = nil) {
        self.stop = stop
        var settings = settings
        settings.helper.stop = stop
        // Try again if the process was killed, for example by the kernel for lack of memory, before refusing the
        // document.
        settings.helper.attempts = 2
        opening = DocumentOpening(settings, key: key)
    }

    /// The work of the comparison thread; nil if the document is not open any more.
    mutating func comparison(for id: CaptureID) -> TriedDocument? {
        guard let open, open.id == id else { return nil }
        // Only the comparison needs the signed bytes, which are as long as the document.
        self.open?.tried.signed = nil
        return open.tried
    }

    /// Blocks for as long as the helper needs.
    mutating func perform(_ action: DocumentAction) -> DocumentAnswer? {
        switch action {
        case .open(let id, let call, let date):
            stop?.begin(id)
            open = nil
            do throws(PanelError) {
                let tried = try opening.open(call, date: date)
                readsTexts = true
                open = (id, tried)
                return .opened(id, tried.document)
            } catch {
                return .refused(id, error)
            }
        case .draw(let id, let rendering):
            // If the document is not open, the capture has ended, which the pad ignores, or the document could not be
            // opened again.
            stop?.begin(id)
            guard let open, open.id == id else { return .failed(id, reason: "the document is not open") }
            do throws(DocumentHelperError) {
                return .drawn(id, rendering, DrawnPage(try helper.render(rendering, of: open.tried.shown), rendering))
            } catch {
                return .failed(id, reason: error.description)
            }
        case .read(let id, let page):
            stop?.begin(id)
            guard let open, open.id == id else { return nil }
            // The picture is what is signed, so a page may lack its text. After a failure no text is read, so that slow
            // texts do not delay the pictures of the next pages.
            let text = readsTexts ? try? helper.text(of: page, in: open.tried.shown) : nil
            readsTexts = text != nil
            return .text(id, page: page, text ?? "")
        case .compare: return nil
        case .close(let id):
            if open?.id == id { open = nil }
            stop?.forget(id)
            return nil
        }
    }
}

extension DrawnPage {
    fileprivate convenience init(_ picture: PagePicture, _ rendering: HelperRequest.Rendering) {
        let isWhole = rendering.crop == nil
        self.init(
            PPM.pixels(picture.file[picture.pixelOffset...], size: picture.size),
            sha256: isWhole ? picture.sha256 : nil)
    }
}
