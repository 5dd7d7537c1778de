// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Linux
import Pad
import TestSupport
import Testing

@testable import Control

@Suite("The client")
struct PanelClientTests {
    /// The client's error when a server sends `answer` to any call and ends the connection.
    private func status(answer: [UInt8]?) throws -> PanelClientError? {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/p.sock"
        let listener = try LocalSocket.bind(to: path)
        try LocalSocket.listen(listener, backlog: 1)
        var client = try PanelClient(path: path)
        do {
            let server = try LocalSocket.accept(on: listener)
            if let answer { try server.writeAll(answer) }
        }
        do throws(PanelClientError) {
            _ = try client.status()
            return nil
        } catch {
            switch error {
            case .ended: return .ended(path: "")
            case .notUnderstood: return .notUnderstood(path: "", "")
            default: return error
            }
        }
    }

    @Test("without a listening socket the error is notRunning")
    func notRunning() throws {
        let directory = try TemporaryDirectory()
        func error(_ path: String) -> PanelClientError? {
            do throws(PanelClientError) {
                _ = try PanelClient(path: path)
                return nil
            } catch {
                return error
            }
        }
        let path = directory.path + "/p.sock"
        #expect(error(path) == .notRunning(path: path))
        do { _ = try LocalSocket.bind(to: path) }
        #expect(error(path) == .notRunning(path: path))
        try AtomicFile.write([1], to: directory.path + "/file")
        #expect(error(directory.path + "/file/p.sock") == .notRunning(path: directory.path + "/file/p.sock"))
        let long = String(repeating: "p", count: 200)
        #expect(error(long) == .cannotConnect(path: long, .nameTooLong))
    }

    @Test("no reply, and replies that are not a panel's, are errors")
    func answers() throws {
        #expect(try status(answer: nil) == .ended(path: ""))
        #expect(try status(answer: Array("{\"parameters\":".utf8)) == .ended(path: ""))
        let others = [#"{"parameters":{}}"#, #"{"parameters":{"status":7}}"#, #"{"error":"a.B"}"#]
        for text in ["", "hello", "[]", "{}"] + others {
            #expect(try status(answer: Array(text.utf8) + [0]) == .notUnderstood(path: "", ""), "\(text)")
        }
        let refusal = #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#
        #expect(try status(answer: Array(refusal.utf8) + [0]) == .refused(.permissionDenied))
    }
    @Test("cancel, on another connection, ends a capture")
    func cancel() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let capture = try client.capture(CaptureCall(request: CaptureRequest(prompt: ["Sign"]))) { progress in
            do {
                var other = try PanelClient(path: panel.path)
                try other.cancel(progress.id)
            } catch {
                Issue.record(error)
            }
        }
        #expect(capture.outcome == .cancelled(by: .host))
        var refusal: PanelClientError?
        do throws(PanelClientError) { try client.cancel() } catch { refusal = error }
        #expect(refusal == .refused(.notRunning))
    }
}
