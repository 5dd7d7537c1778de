// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
import HostAPI
import Linux
import Record
import Synchronization

/// Whether and how a store hands its sealed records on to the program that delivers them elsewhere.
public final class Delivery: Sendable {
    /// Whether a sealed record stays until it is delivered, whatever ``CaptureRetention`` and hosts want.
    public let isRequired: Bool
    private let state = Mutex<(fault: StoreError?, isChecked: Bool)>((nil, false))

    public init(isRequired: Bool) { self.isRequired = isRequired }

    /// Why records cannot be put into the outbox; nil for no fault.
    public var fault: StoreError? { state.withLock { $0.fault } }

    /// Whether this process has looked at everything in the outbox.
    var isChecked: Bool { state.withLock { $0.isChecked } }

    func note(_ fault: StoreError?) {
        state.withLock { state in
            state.fault = fault
            if fault == nil { state.isChecked = true }
        }
    }
}

/// The directories `outbox/captures/` and `outbox/seals/` of a store, and `linked/`.
///
/// A file in the outbox is a second name (a hard link) of a record or a seal. Another program delivers it and then
/// removes that name. `linked/` has an empty file for each seal that was linked with its record. So what is marked
/// there and waits no longer was delivered. A mark that is lost costs a second look at what was delivered.
///
/// The program that delivers may do what it likes in the two directories: no name there is trusted.
struct Outbox: Sendable {
    let path: String
    private let marks: String

    var captures: String { path + "/captures" }
    var seals: String { path + "/seals" }

    init(store: String) {
        path = store + "/outbox"
        marks = store + "/linked"
    }

    /// Creates missing directories.
    /// - Parameter all: whether to look at the permissions of all files that wait, which a power cut may have undone.
    /// - Returns: the group that may read and empty the outbox: that of its directory, as an administrator made it.
    func make(checking all: Bool) throws(StoreError) -> gid_t {
        for folder in [path, marks] { try CaptureStore.makeDirectory(folder) }
        let group: gid_t
        do throws(Errno) {
            group = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).group
        } catch {
            // Files would go wherever the link leads.
            guard error == .notADirectory || error == Errno(code: ELOOP) else { throw StoreError(.open, path, error) }
            throw .unsafe(path: path, "is a link; put the directory itself there")
        }
        for folder in [captures, seals] {
            try CaptureStore.makeDirectory(folder)
            let isChanged: Bool
            do throws(Errno) {
                let opened = try FileDescriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                isChanged = try opened.lend(to: group, permissions: 0o770)
            } catch {
                throw StoreError(.changeGroup, folder, error)
            }
            guard isChanged || all else { continue }
            // Files that the other program has put there are not ours to change.
            for name in try names(folder) { _ = try? Self.lend("\(folder)/\(name)", to: group) }
        }
        return group
    }

    @discardableResult
    private static func lend(_ path: String, to group: gid_t) throws(Errno) -> Bool {
        try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).lend(to: group, permissions: 0o640)
    }

    /// Gives a file its second name; it is on the medium after ``mark(_:)``.
    /// - Returns: false if there is no such file.
    func link(_ file: String, into folder: String, _ group: gid_t) throws(StoreError) -> Bool {
        do throws(Errno) { try Self.lend(file, to: group) } catch {
            if error == .noSuchFile { return false }
            throw StoreError(.changeGroup, file, error)
        }
        let name = "\(folder)/\(file[file.index(after: file.lastIndex(of: "/")!)...])"
        do throws(Errno) {
            do throws(Errno) { try Directory.link(file, to: name) } catch {
                guard error == .alreadyExists else { throw error }
                // A process was killed before it marked it.
                if try Directory.areSame(file, name) { return true }
                try Directory.remove(name)
                try Directory.link(file, to: name)
            }
        } catch {
            // A host deleted it just now.
            if error == .noSuchFile, (try? Directory.contains(file)) == false { return false }
            throw StoreError(.link, name, error)
        }
        return true
    }

    /// Notes that these seals were linked, and their records. The links are on the medium first.
    func mark(_ names: [SealName]) throws(StoreError) {
        for folder in [captures, seals] { try CaptureStore.synchronize(folder) }
        for name in names {
            let path = "\(marks)/\(name.text)"
            do throws(Errno) {
                _ = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600)
            } catch {
                throw StoreError(.write, path, error)
            }
        }
        try CaptureStore.synchronize(marks)
    }

    /// The names of the seals that were linked, and perhaps delivered.
    func marked() throws(StoreError) -> Set<String> { Set(try names(marks)) }

    /// The names of the files that wait.
    func waiting() throws(StoreError) -> Set<String> { Set(try names(captures) + names(seals)) }

    /// Removes the second names of a record and its document, if they wait.
    func remove(_ id: CaptureID) throws(StoreError) {
        var isRemoved = false
        for name in CaptureStore.names(of: id) {
            isRemoved = try CaptureStore.remove("\(captures)/\(name)") || isRemoved
        }
        if isRemoved { try CaptureStore.synchronize(captures) }
    }

    /// Empty without the directory.
    private func names(_ folder: String) throws(StoreError) -> [String] {
        do throws(Errno) { return try Directory.names(of: folder) } catch {
            if error == .noSuchFile { return [] }
            throw StoreError(.list, folder, error)
        }
    }

    /// When each file that waits was written, microseconds since 1970-01-01 UTC.
    func times() throws(StoreError) -> [Int64] {
        var times: [Int64] = []
        for folder in [captures, seals] {
            for name in try names(folder) {
                // Without opening what a stranger has put there. It may have been delivered since its name was read.
                if let time = try? Directory.timeOfChange("\(folder)/\(name)") { times.append(time) }
            }
        }
        return times
    }
}

extension Seal.Deletion {
    /// Whether nobody wanted this one record to go.
    var isByRetention: Bool { self == .age || self == .count }
}

extension CaptureStore {
    /// The names that the files of a capture can have.
    static func names(of id: CaptureID) -> [String] {
        [suffix, encryptedSuffix, documentSuffix, encryptedDocumentSuffix].map { "\(id)\($0)" }
    }

    /// Puts each sealed record, its signed document, and each seal that has not been there yet into the outbox; does
    /// nothing in a store without delivery. Call it on the thread that writes journals, after each accepted capture and
    /// after ``recover()``: a seal that is still being written could be withdrawn.
    ///
    /// Killed at any moment, the next call goes on. What was linked, but not marked, is linked again, and delivered
    /// again if it was delivered meanwhile, with the same bytes.
    /// - Throws: the first error, after all other records. It stays in ``Delivery/fault``.
    public func deliver() throws(StoreError) {
        guard let delivery else { return }
        do throws(StoreError) { try linkSeals(checking: !delivery.isChecked) } catch {
            delivery.note(error)
            throw error
        }
        delivery.note(nil)
    }

    private func linkSeals(checking all: Bool) throws(StoreError) {
        let outbox = outbox
        let group = try outbox.make(checking: all)
        let names = try seals.names()
        let index = SealIndex(names)
        let marked = try outbox.marked()
        var linked: [SealName] = []
        var failure: StoreError?
        for name in names where !marked.contains(name.text) {
            do throws(StoreError) {
                if case .record(let id) = name.subject, !index.deleted.contains(id) {
                    for document in documents(of: id, in: captures) {
                        _ = try outbox.link(document, into: outbox.captures, group)
                    }
                    // Without its record, a seal waits for it: recovery may still find it.
                    let isLinked = try outbox.link(capture(id), into: outbox.captures, group)
                    if !isLinked, try !outbox.link(encryptedCapture(id), into: outbox.captures, group) { continue }
                }
                if try outbox.link(seals.path(of: name), into: outbox.seals, group) { linked.append(name) }
            } catch {
                failure = failure ?? error
            }
        }
        if !linked.isEmpty { try outbox.mark(linked) }
        if let failure { throw failure }
    }

    /// The sealed records that have not been delivered, or whose seals have not.
    func undelivered(_ index: SealIndex) throws(StoreError) -> Set<CaptureID> {
        let (waiting, marked) = (try outbox.waiting(), try outbox.marked())
        return Set(
            index.records.filter { id, name in
                !marked.contains(name.text) || waiting.contains(name.text)
                    || Self.names(of: id).contains(where: waiting.contains)
            }.keys)
    }

    /// The files that wait to be delivered, and since when: microseconds since 1970-01-01 UTC; nil for none.
    public func waiting() throws(StoreError) -> (count: Int, oldest: Int64?) {
        let times = try outbox.times()
        return (times.count, times.min())
    }

    /// Removes what waits of captures that hosts have deleted. Records that retention has removed still go away.
    func removeDeleted(_ names: [SealName]) throws(StoreError) {
        let waiting = try outbox.waiting()
        if waiting.isEmpty { return }
        for case (let name, .deletion(let id)) in names.map({ ($0, $0.subject) })
        where Self.names(of: id).contains(where: waiting.contains) {
            if try seals.read(name).seal.reason?.isByRetention != true { try outbox.remove(id) }
        }
    }
}
