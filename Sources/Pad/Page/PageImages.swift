// SPDX-License-Identifier: Apache-2.0
package import HostAPI
import Record

/// The images of pages for the records of captures, which the render thread copies. A record names the page as it was
/// shown and as it was signed, and with a flow each page that was shown and each accepted field. The end of an accepted
/// capture waits for its last image.
package struct PageImages {
    /// The capture that an image was asked for in the current event. One is enough for all changes of an event.
    private var asked: CaptureID?
    /// The running capture, if it has several pages.
    private var flow: CaptureID?
    /// The running capture, if its record describes only one page. Texts of this page in large letters may come before
    /// it.
    private var single: CaptureID?
    /// The number of images that have been asked for and are not there.
    private var dueCount = 0
    /// An accepted capture that waits for its image.
    private var commit: StoreAction?

    package init() {}

    /// The capture whose image must be copied after the changes of an event; nil for none. Ends the event.
    package mutating func endEvent() -> CaptureID? {
        defer { asked = nil }
        if asked != nil { dueCount += 1 }
        return asked
    }

    /// A page is shown.
    package mutating func noteShown(takesInk: Bool) {
        if let id = flow ?? (takesInk ? single : nil) { asked = id }
    }

    /// - Returns: whether the action can go to the record thread now.
    package mutating func canSend(_ action: StoreAction) -> Bool {
        switch action {
        case .begin(let header):
            guard let id = CaptureID(header.id) else { return true }
            (flow, single) = header.flow == nil ? (nil, id) : (id, nil)
            asked = id
        case .append(let id, .flow(.accepted, _)): if flow == id { asked = id }
        case .commit(let id, _):
            (flow, single) = (nil, nil)
            asked = id
            commit = action
            return false
        case .discard(let id):
            if case .commit(id, _)? = commit { commit = nil }
            if flow == id { flow = nil }
            if single == id { single = nil }
        case .check, .keepDocument, .append, .keepScatter, .readKey, .sketch, .openSketch, .saveSketch: break
        }
        return true
    }

    /// Takes an image. Images that were asked for earlier may arrive first.
    /// - Returns: the end of the capture, if this is its last image.
    package mutating func receive(of id: CaptureID) -> StoreAction? {
        dueCount -= 1
        guard dueCount <= 0, case .commit(id, _)? = commit else { return nil }
        return commit.take()
    }
}
