// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Record

extension CaptureStore {
    /// The captures that have ended. Of each file the first and the last line are read, whatever its size; one that
    /// cannot be read does not hide the others.
    public func list() throws(StoreError) -> CaptureList {
        var list = CaptureList()
        for id in try ids(in: captures).sorted(by: { $0.description < $1.description }) {
            do throws(StoreError) {
                list.captures.append(try summary(id))
            } catch {
                // Deleted since its name was read.
                if error != .missing(id) { list.unreadable.append(error) }
            }
        }
        list.captures.sort { a, b in
            (a.header.sequence ?? 0, a.header.startedAt, a.id.description)
                > (b.header.sequence ?? 0, b.header.startedAt, b.id.description)
        }
        return list
    }

    /// The ``CaptureHeader/sequence`` of a capture that is newer than all that have ended; reads a line of each.
    public func nextSequence() throws(StoreError) -> Int64 {
        CaptureHeader.sequence(after: try list().captures.first?.header.sequence ?? 0)
    }

    private func summary(_ id: CaptureID) throws(StoreError) -> CaptureSummary {
        let path = capture(id)
        let (start, tail, byteCount): ([UInt8], [UInt8], Int)
        do throws(Errno) {
            let file = try InputFile.open(path)
            byteCount = try file.byteCount
            start = try file.read(min(byteCount, CaptureLimits.headerByteCount), from: 0)
            let tailCount = min(byteCount, CaptureLimits.endByteCount)
            tail = try file.read(tailCount, from: byteCount - tailCount)
        } catch {
            throw error == .noSuchFile ? .missing(id) : StoreError(.read, path, error)
        }
        let header: CaptureHeader
        do throws(CaptureFormatError) {
            guard let end = start.firstIndex(of: CaptureLines.newline) else {
                throw .notARecord("the first line is cut, or too long for a header")
            }
            header = try CaptureDecoder.header(start[..<end])
        } catch {
            throw .unreadable(id, error)
        }
        if header.id != id.description { throw .renamed(id, from: header.id) }
        let end = CaptureLines.whole(tail).last.flatMap(CaptureDecoder.end)
        return CaptureSummary(id: id, header: header, end: end, byteCount: byteCount)
    }
}
