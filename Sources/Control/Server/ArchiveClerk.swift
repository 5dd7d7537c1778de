// SPDX-License-Identifier: Apache-2.0
import Pad
import Linux
import Record
import Store

/// Answers what hosts ask of the store. All calls wait for the medium.
struct ArchiveClerk: Sendable {
    let store: CaptureStore
    let export: RecordExport
    var log = Log()
    /// Bytes of a record that is made into a file: more than those of ``CaptureLimits/strokeSampleCount`` samples, so
    /// that records of this program never reach it. A drawing of so many takes 60 MiB beside its pixels, a text with
    /// each of them 200, which is what a panel of 512 MiB can spare.
    var exportByteCount = 24 << 20
    /// Answers above this are waited for before the next is made.
    var largeBytes = 1 << 20

    func answer(_ job: Archive.Job) -> (message: [UInt8], isFinal: Bool) {
        do throws(PanelError) {
            switch job {
            case .call(.list): return (ReplyEncoder.message(RecordList(try list())), true)
            case .call(.get(let id, let choice)): return (try get(id, choice), true)
            case .call(.delete(let id)):
                try delete(id)
                return (ReplyEncoder.message(NoReply()), true)
            case .status(let status, let continues):
                let reply = StatusReply(status: StatusReport(status, store: stock(status.storeFault)))
                return (ReplyEncoder.message(reply, continues: continues), !continues)
            }
        } catch {
            return (ReplyEncoder.message(error), true)
        }
    }

    private func list() throws(PanelError) -> CaptureList {
        do throws(StoreError) { return try store.list() } catch { throw PanelError(error) }
    }

    private func delete(_ id: CaptureID) throws(PanelError) {
        do throws(StoreError) { try store.delete(id) } catch { throw PanelError(error) }
        log.notice("records: capture \(id) was removed: a host has deleted it", .capture(id.description))
    }

    private func get(_ id: CaptureID, _ choice: ExportChoice?) throws(PanelError) -> [UInt8] {
        // Each in a call of its own, so that a file's bytes are gone when its record is drawn.
        guard let choice else { return ReplyEncoder.message(try metadata(id)) }
        if choice.format == .record { return ReplyEncoder.message(try read(id).file, format: .record) }
        let record = try exportable(id)
        do throws(RecordExportError) {
            return ReplyEncoder.message(try export.bytes(of: record, as: choice), format: choice.format)
        } catch {
            throw .notExportable(reason: error.description)
        }
    }

    private func metadata(_ id: CaptureID) throws(PanelError) -> GetReply {
        let (record, file) = try read(id)
        return GetReply(RecordMetadata(record, byteCount: file.count))
    }

    private func exportable(_ id: CaptureID) throws(PanelError) -> CaptureRecord {
        let count: Int
        do throws(StoreError) { count = try store.byteCount(of: id) } catch { throw PanelError(error) }
        guard count <= exportByteCount else {
            throw .notExportable(
                reason: "the record has \(count) bytes, and a panel makes files of \(exportByteCount) at most; "
                    + "get it as \"record\" and use inkpanel export on another machine")
        }
        return try read(id).record
    }

    private func read(_ id: CaptureID) throws(PanelError) -> (record: CaptureRecord, file: [UInt8]) {
        do throws(StoreError) { return try store.read(id) } catch { throw PanelError(error) }
    }

    /// What is in the store. A fault of reading it is told when the writer has none.
    private func stock(_ fault: String?) -> StatusReport.Store {
        var stock = StatusReport.Store(path: store.path, captures: 0, freeBytes: 0, fault: fault)
        do throws(StoreError) {
            stock.captures = try store.count()
            stock.freeBytes = try store.freeByteCount()
        } catch {
            stock.fault = fault ?? error.description
        }
        return stock
    }
}
