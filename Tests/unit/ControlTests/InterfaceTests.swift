// SPDX-License-Identifier: Apache-2.0
import HostAPI
import TestSupport
import Testing

@testable import Control

@Suite("The interface")
struct InterfaceTests {
    @Test("every method is served", arguments: PanelMethod.allCases)
    func methods(method: PanelMethod) throws {
        let call = try VarlinkCall(Array("{\"method\":\"\(method.name)\"}".utf8)[...])
        if case .methodNotFound? = thrownError(by: { try HostCall(call, by: .operator) }) as? PanelError {
            Issue.record("\(method) is not known")
        }
    }
}
