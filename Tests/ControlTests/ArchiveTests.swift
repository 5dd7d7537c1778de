// SPDX-License-Identifier: Apache-2.0
import ControlFixtures
import Geometry
import Linux
import Record
import TestSupport
import Testing

@testable import Control

/// What hosts want of the store, asked by our client.
@Suite("The archive", .timeLimit(.minutes(2)))
struct ArchiveTests {
    @Test("every format of a record, and its end")
    func formats() throws {
        let panel = try TestPanel()
        var client = try ControlClient(path: panel.path)
        let call = CaptureCall(request: CaptureRequest(prompt: ["Bitte"], reason: "accept"), follows: true)
        var strokes: [HostStroke] = []
        let outcome = try client.capture(call) { if let stroke = $0.stroke { strokes.append(stroke) } }
        #expect(outcome.result == .accepted)
        #expect(strokes == [ScriptedPanel.stroke, ScriptedPanel.stroke])
        let (record, file) = try panel.store.read(outcome.id)
        for format in ExportFormat.allCases {
            let choice = ExportChoice(format: format)
            #expect(
                try client.file(of: outcome.id, as: choice)
                    == RecordExport().bytes(of: record, file: file, as: choice), "\(format)")
        }
        #expect(try client.file(of: outcome.id, as: ExportChoice(format: .record)) == file)
        #expect(try client.metadata(of: outcome.id) == RecordMetadata(record, byteCount: file.count))
        let list = try client.list()
        #expect(list.captures.map(\.id) == [outcome.id.description] && list.unreadable.isEmpty)
        let status = try client.status()
        #expect(status.store.captures == 1 && status.store.freeBytes > 0 && status.page == "idle")
        try client.delete(outcome.id)
        let error = thrown { try client.delete(outcome.id) }
        #expect(error == .refused(.noSuchCapture(outcome.id.description)))
        #expect(try client.list().captures.isEmpty)
    }

    @Test("a record that nobody accepted becomes a file only when that is asked for, and no ISO 19794-7 at all")
    func interrupted() throws {
        let panel = try TestPanel()
        var client = try ControlClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        var (record, _) = try panel.store.read(outcome.id)
        record.end = nil
        let file = try CaptureEncoder.encode(record)
        try AtomicFile.write(file, to: panel.directory.path + "/store/captures/\(outcome.id).jsonl")
        #expect(try client.metadata(of: outcome.id).summary.outcome == .interrupted)
        for format in ExportFormat.allCases {
            var choice = ExportChoice(format: format)
            let error = thrown { try client.file(of: outcome.id, as: choice) }
            if format == .record {
                #expect(error == nil)
            } else if case .refused(.notExportable(let reason))? = error {
                #expect(reason.contains("--interrupted") && reason.contains("(interrupted)"), "\(format)")
            } else {
                Issue.record("\(format): \(String(describing: error))")
            }
            choice.includesInterrupted = true
            if format == .iso19794 {
                let error = thrown { try client.file(of: outcome.id, as: choice) }
                #expect(error.map { "\($0)" }?.contains("no place to say so") == true)
            } else {
                #expect(
                    try client.file(of: outcome.id, as: choice)
                        == RecordExport().bytes(of: record, file: file, as: choice), "\(format)")
            }
        }
    }

    @Test("a damaged record is named as one, and does not hide others")
    func damaged() throws {
        let panel = try TestPanel()
        try AtomicFile.write(Array("no record\n".utf8), to: panel.directory.path + "/store/captures/a-1.jsonl")
        var client = try ControlClient(path: panel.path)
        let id = try #require(CaptureID("a-1"))
        let error = thrown { try client.metadata(of: id) }
        guard case .refused(.unreadableCapture(id, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try client.list().unreadable.count == 1)
        try client.delete(id)
        #expect(try client.list().unreadable.isEmpty)
    }

    @Test("a picture that is too large for a panel's memory is refused")
    func largePicture() throws {
        let panel = try TestPanel()
        var client = try ControlClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        var choice = ExportChoice(format: .png)
        choice.picture.resolution = .size(.init(width: 8000, height: 8000))
        let error = thrown { try client.file(of: outcome.id, as: choice) }
        guard case .refused(.notExportable)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        choice.picture = PictureChoice(hasCaption: true)
        let caption = thrown { try client.file(of: outcome.id, as: choice) }
        guard case .refused(.notExportable(let reason))? = caption else {
            Issue.record("\(String(describing: caption))")
            return
        }
        #expect(reason.contains("caption"))
    }

    private func thrown<Result>(_ body: () throws -> Result) -> ControlClientError? {
        thrownError(by: body) as? ControlClientError
    }
}
