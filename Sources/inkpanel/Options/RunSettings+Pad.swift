// SPDX-License-Identifier: Apache-2.0
import Capture
import Configuration
import Control
import Linux
import Pages
import Record

extension RunSettings {
    /// What the pad is made with: texts and the idle page are read, the store and the socket made.
    /// - Returns: nil for a bare sheet.
    func padPlan() throws -> PadPlan? {
        guard pad.page != .ink else { return nil }
        let content = try PadContent(pad)
        let idle: PageView =
            switch content.idle {
            case .text(let text): .words(text)
            case .picture: .words(content.messages[.idle])
            }
        return PadPlan(
            messages: content.messages, theme: theme, idle: idle, policy: capture, dateFormat: pad.dateFormat,
            records: try CaptureStore(at: record.directory), retention: record.retention, control: try controlPlan())
    }

    /// The service manager's socket, where it has made one.
    private func controlPlan() throws -> ControlPlan {
        let group = try control.group.map { try ControlGroup(named: $0) }
        let socket = try ControlSocket.inherited() ?? ControlSocket.listen(path: control.socket, group: group)
        return ControlPlan(socket: socket, access: AccessRule(group: group))
    }

    /// Of the ink on the pad's pages, in the theme's colours where nothing else is said.
    var padLook: Look {
        var look = look
        look.color = color ?? theme.ink
        look.background = theme.paper
        return look
    }
}
