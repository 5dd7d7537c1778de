// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI

/// The actions that the document thread has not begun. People scroll faster than pages are drawn, so outdated requests
/// are dropped, and the last request comes first.
package struct DocumentQueue {
    private var closed: [CaptureID] = []
    private var opening: [DocumentAction] = []
    /// Texts wait for all drawings.
    private var readings: [(id: CaptureID, page: Int)] = []
    /// The drawings of one moment, in their order; the last moment is the last element.
    private var drawings: [[(id: CaptureID, rendering: HelperRequest.Rendering)]] = []

    package init() {}

    /// - Parameter actions: of one moment, the most urgent first.
    package mutating func add(_ actions: [DocumentAction]) {
        var batch: [(id: CaptureID, rendering: HelperRequest.Rendering)] = []
        for action in actions {
            switch action {
            case .open, .compare: opening.append(action)
            case .draw(let id, let rendering):
                remove { $0 == id && Self.replaces(rendering, $1) }
                batch.removeAll { $0.id == id && Self.replaces(rendering, $0.rendering) }
                batch.append((id, rendering))
            case .read(let id, let page): readings.append((id, page))
            case .close(let id):
                readings.removeAll { $0.id == id }
                remove { other, _ in other == id }
                batch.removeAll { $0.id == id }
                opening.removeAll { $0.id == id }
                closed.append(id)
            }
        }
        if !batch.isEmpty { drawings.append(batch) }
    }

    /// There is one view, so a part replaces the part before; a page replaces the same page in another size.
    private static func replaces(_ new: HelperRequest.Rendering, _ old: HelperRequest.Rendering) -> Bool {
        new.crop == nil ? old.crop == nil && old.page == new.page : old.crop != nil
    }

    private mutating func remove(_ isUnwanted: (CaptureID, HelperRequest.Rendering) -> Bool) {
        for index in drawings.indices { drawings[index].removeAll { isUnwanted($0.id, $0.rendering) } }
        drawings.removeAll(where: \.isEmpty)
    }

    /// Removes the next action; nil if the queue is empty.
    package mutating func next() -> DocumentAction? {
        if !closed.isEmpty { return .close(closed.removeFirst()) }
        if !opening.isEmpty { return opening.removeFirst() }
        guard let last = drawings.indices.last else {
            if readings.isEmpty { return nil }
            let first = readings.removeFirst()
            return .read(first.id, page: first.page)
        }
        let first = drawings[last].removeFirst()
        if drawings[last].isEmpty { drawings.removeLast() }
        return .draw(first.id, first.rendering)
    }
}

extension DocumentAction {
    fileprivate var id: CaptureID {
        switch self {
        case .open(let id, _, _), .draw(let id, _), .read(let id, _), .compare(let id), .close(let id): id
        }
    }
}
