// SPDX-License-Identifier: Apache-2.0
public import Evidence
public import HostAPI
public import Linux
public import Record

/// An error of writing, reading, listing or removing captures or the sketch.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Operation: String, Equatable, Sendable {
        case makeDirectory = "create the directory"
        case open, lock, list, write, rename, remove, read, link
        case changeGroup = "change the group of"
        case synchronize = "sync"
        case cut = "truncate"
    }

    /// No space, or no quota, is left for `path`.
    case diskFull(path: String)
    case failed(Operation, path: String, Errno)
    /// A file or directory that another user could have put there, and what is wrong with it, as a predicate.
    case unsafe(path: String, String)
    case exists(CaptureID)
    case missing(CaptureID)
    /// A capture or a sketch is being written, by this process or another.
    case inUse(path: String)
    /// The file of this capture is damaged or something else.
    case unreadable(CaptureID, CaptureFormatError)
    /// The file of this record is not what its seal says was accepted, and why.
    case damaged(CaptureID, reason: String)
    /// A directory that has the name of a record and is not empty.
    case fullDirectory(path: String)
    /// The header of the file has another id.
    case renamed(CaptureID, from: String)
    /// Not written, because a reader would refuse it.
    case refused(CaptureFormatError)
    /// Only its recipients can read this record.
    case encrypted(CaptureID)
    /// Only its recipients can read this record, or say whether it is one: no seal does.
    case unsealed(CaptureID)
    case encryption(EvidenceError)
    case seals(SealFault)
    /// The document of this capture was not signed.
    case unsigned(CaptureID, reason: String)
    /// A record must be delivered before it is deleted.
    case undelivered(CaptureID)
    /// Captures would be written readable to a medium.
    case onMedium(path: String)
    /// A restore of a backup to this store was not finished.
    case restoring(path: String)

    /// ``diskFull(path:)`` or ``failed(_:path:_:)``, depending on the error number.
    init(_ operation: Operation, _ path: String, _ error: Errno) {
        let isFull = error == .noSpace || error == .quotaExceeded
        self = isFull ? .diskFull(path: path) : .failed(operation, path: path, error)
    }

    init(_ error: PrivateFileError, _ operation: Operation = .read) {
        switch error {
        case .failed(let path, let error): self.init(operation, path, error)
        case .refused(let path, let fault): self = .unsafe(path: path, fault)
        }
    }

    public var description: String {
        switch self {
        case .diskFull(let path):
            "the disk is full: nothing can be recorded in \(path); free some space there, or keep fewer captures"
        case .failed(let operation, let path, let error): "cannot \(operation.rawValue) \(path): \(error)"
        case .unsafe(let path, let fault): "\(path) \(fault)"
        case .exists(let id): "capture \(id) already exists"
        case .missing(let id): "there is no capture \(id)"
        case .inUse(let path): "another process is writing to \(path)"
        case .unreadable(let id, let error): "capture \(id) cannot be read: \(error)"
        case .damaged(let id, let reason):
            "record \(id) is damaged, although its seal says that it was accepted: \(reason). Restore its file from "
                + "where records are delivered, or from a backup"
        case .fullDirectory(let path): "\(path) is a non-empty directory, not a record: move it away by hand"
        case .renamed(let id, let name): "the file of capture \(id) contains capture \(name)"
        case .refused(let error): error.description
        case .encrypted(let id): "capture \(id) is encrypted: get it as \"encrypted\" and open it with age"
        case .unsealed(let id): "capture \(id) is encrypted and has no seal, so it cannot be read here"
        case .encryption(let error): "the record cannot be encrypted: \(error)"
        case .onMedium(let path):
            "\(path) is not in memory (tmpfs): an encrypted capture must not be written there before it is encrypted"
        case .restoring(let path):
            "the restore of a backup to \(path) was not finished: do the same restore again (inkpanel restore)"
        case .seals(let fault): fault.description
        case .unsigned(let id, let reason): "the document of capture \(id) cannot be signed: \(reason)"
        case .undelivered(let id):
            "capture \(id) has not been delivered yet: deliver it first (systemctl start inkpanel-deliver), or set "
                + "required = false in [delivery]"
        }
    }
}
