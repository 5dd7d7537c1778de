// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// Answers what hosts ask of the store. All calls wait for the medium.
struct ArchiveClerk: Sendable {
    let store: CaptureStore
    let export: RecordExport
    var log = Log()
    /// Answers above this are waited for before the next is made.
    var largeBytes = 1 << 20

    func answer(_ job: Archive.Job) -> (message: [UInt8], isFinal: Bool) {
        do throws(CallError) {
            switch job {
            case .call(.list): return (ReplyEncoder.message(RecordList(try list())), true)
            case .call(.get(let id, let choice)): return (ReplyEncoder.message(try get(id, choice)), true)
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

    private func list() throws(CallError) -> CaptureList {
        do throws(StoreError) { return try store.list() } catch { throw CallError(error) }
    }

    private func delete(_ id: CaptureID) throws(CallError) {
        do throws(StoreError) { try store.delete(id) } catch { throw CallError(error) }
        log.notice("records: capture \(id) was removed: a host has deleted it", .capture(id.description))
    }

    private func get(_ id: CaptureID, _ choice: ExportChoice?) throws(CallError) -> GetReply {
        let (record, file): (CaptureRecord, [UInt8])
        do throws(StoreError) { (record, file) = try store.read(id) } catch { throw CallError(error) }
        guard let choice else { return GetReply(RecordMetadata(record, byteCount: file.count)) }
        do throws(RecordExportError) {
            return GetReply(try export.bytes(of: record, file: file, as: choice), format: choice.format)
        } catch {
            throw .notExportable(reason: error.description)
        }
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
