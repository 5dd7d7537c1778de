// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Pad
import Record
import TestSupport
import Testing

@testable import Control

/// The interface file and the program agree.
@Suite("The interface")
struct InterfaceTests {
    private let text = InterfaceText.description(of: InterfaceText.panel) ?? ""

    /// Without comments.
    private var lines: [Substring] {
        text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
    }

    private func names(_ keyword: String) -> [String] {
        lines.filter { $0.hasPrefix(keyword + " ") }.map { line in
            String(line.dropFirst(keyword.count + 1).prefix { $0.isLetter })
        }
    }

    @Test("every method of the interface is known")
    func methods() throws {
        #expect(
            names("method") == [
                "Capture", "Cancel", "Clear", "Accept", "List", "Get", "Delete", "Status", "Watch",
                "Screenshot", "Mirror", "Pair", "Identify", "Simulate",
            ])
        for name in names("method") {
            let message = "{\"method\":\"org.inkpanel.Panel.\(name)\"}"
            let call = try VarlinkCall(Array(message.utf8)[...])
            if case .methodNotFound? = thrownError(by: { try HostCall(call, by: .operator) }) as? PanelError {
                Issue.record("\(name) is not known")
            }
        }
    }
}
