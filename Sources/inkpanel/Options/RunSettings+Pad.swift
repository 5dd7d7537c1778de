// SPDX-License-Identifier: Apache-2.0
import Pad
import Configuration
import Control
import Glibc
import Linux
import Pages
import Record
import Store

extension RunSettings {
    /// What the pad is made with: texts and the idle page are read, the socket is made. The store is made by its
    /// writer, because a pad without one still says what is wrong.
    /// - Returns: nil for a bare sheet.
    func padSetup(_ log: Log) throws -> PanelPad.Setup? {
        guard pad.page != .ink else { return nil }
        let content = try PadContent(pad)
        let idle: Page =
            switch content.idle {
            case .text(let text): .words(text)
            case .picture(let picture): .picture(picture)
            }
        return PanelPad.Setup(
            messages: content.messages, theme: theme, idle: idle, sketch: pad.page == .sketch ? try sketchSetup() : nil,
            policy: capture, dateFormat: pad.dateFormat,
            records: CaptureStore(path: record.directory), panelName: record.panelName ?? Self.hostName,
            retention: record.retention, control: try controlSetup(log))
    }

    /// Of this machine; nil where it has none, or one that is no text.
    private static var hostName: String? {
        // HOST_NAME_MAX and its NUL.
        var bytes = [CChar](repeating: 0, count: 65)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // What the kernel says before somebody has named it.
        return name == "(none)" ? nil : Configuration.panelName(name)
    }

    private func sketchSetup() throws(CommandError) -> PanelPad.Setup.Sketch {
        guard
            let tools = SketchTools(
                pen: pen, colors: sketch.colors ?? theme.sketchColors,
                widths: sketch.widths ?? SketchTools.defaultWidths)
        else {
            let (colors, widths) = (SketchTools.colorCountRange, SketchTools.widthCountRange)
            throw .wrongConfiguration(
                "[sketch]: \(colors.lowerBound) to \(colors.upperBound) colors and \(widths.lowerBound) to "
                    + "\(widths.upperBound) widths-mm are wanted")
        }
        return PanelPad.Setup.Sketch(
            settings: SketchSettings(tools: tools, clearsOnDoubleTap: sketch.clearsOnDoubleTap),
            folder: SketchFolder(at: sketch.directory))
    }

    /// The service manager's socket, where it has made one.
    private func controlSetup(_ log: Log) throws -> PanelPad.Setup.Control {
        let group = control.group.flatMap { self.group(named: $0, log) }
        let socket = try ControlSocket.inherited() ?? ControlSocket.listen(path: control.socket, group: group)
        return PanelPad.Setup.Control(socket: socket, access: AccessRule(group: group))
    }

    /// Nil lets in fewer than were meant, never more.
    private func group(named name: String, _ log: Log) -> ControlGroup? {
        do throws(ControlSocketError) {
            return try ControlGroup(named: name)
        } catch {
            log.warning("\(error); until then only root and the panel's own user may call it")
            return nil
        }
    }

    /// Of the ink on the pad's pages, in the theme's colours where nothing else is said.
    var padLook: Look {
        var look = look
        look.color = color ?? theme.ink
        look.background = theme.paper
        return look
    }
}
