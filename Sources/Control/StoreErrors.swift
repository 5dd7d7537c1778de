// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Record
import Store

extension PanelError {
    init(_ error: StoreError) {
        switch error {
        case .missing(let id): self = .noSuchCapture(id.description)
        case .unreadable(let id, let reason): self = .unreadableCapture(id, reason: reason.description)
        case .damaged(let id, let reason): self = .unreadableCapture(id, reason: reason)
        case .unsealed(let id): self = .unreadableCapture(id, reason: "it is encrypted and has no seal")
        case .renamed(let id, _): self = .unreadableCapture(id, reason: error.description)
        case .diskFull: self = .storeFailed(reason: error.description, isFull: true)
        case .encrypted(let id): self = .encrypted(id)
        case .undelivered: self = .unavailable(reason: error.description)
        case .failed, .unsafe, .exists, .inUse, .refused, .fullDirectory, .encryption, .seals, .onMedium, .restoring,
            .unsigned:
            self = .storeFailed(reason: error.description, isFull: false)
        }
    }
}
