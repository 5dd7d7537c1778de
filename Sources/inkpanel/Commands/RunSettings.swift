// SPDX-License-Identifier: Apache-2.0
import Configuration
import Control
import Evidence
import Formats
import Geometry
import Glibc
import Ink
import Linux
import PNG
import Pad
import Pages
import Panel
import Raster
import Record
import Speech
import Store
import Touch

/// The settings of a run: options override the configuration file, which overrides defaults.
struct RunSettings: Equatable {
    /// The size of a virtual or simulated panel for which none is given.
    static let memorySize = PixelSize(width: 1280, height: 720)

    let file: Configuration
    /// The file with the options applied.
    private(set) var configuration: Configuration
    let theme: PageTheme
    /// Empty for the best devices.
    let touch: [TouchChoice]
    /// Replaces the idle page's text or picture; nil for none.
    let notice: String?
    /// Paper of the bare sheet; nil for that of the theme. Other pages have no option for it.
    let background: Color?

    /// - Throws: ``CommandError`` for options that contradict the file.
    init(_ file: Configuration, overriddenBy options: RunOptions) throws(CommandError) {
        self.file = file
        configuration = file
        touch = Self.touch(file, options)
        notice = options.notice.lazy.compactMap(Self.notice).first
        background = options.picture.givenBackground
        theme = try PageTheme(file.pad)
        if let filters = options.filters { configuration.touch.filters = filters }
        if let display = options.display { configuration.display.output = display }
        // Nobody has mounted such a panel rotated.
        if options.isInMemory { configuration.display.rotation = Rotation.none }
        if let rotation = options.screen.rotate { configuration.display.rotation = rotation }
        if let prediction = options.screen.prediction { configuration.display.predicts = prediction == .on }
        if let latency = options.screen.latency { configuration.display.latency = latency }
        if let density = options.picture.density { configuration.display.density = density }
        if let pen = options.pen.given, pen != configuration.ink.pen {
            configuration.ink.pen = pen
            // The file's are for its pen.
            configuration.ink.switches = nil
        }
        configuration.ink.switches = options.picture.switches(of: configuration.ink.pen, or: configuration.ink.switches)
        if let width = options.picture.width { configuration.ink.width = width }
        if let pressure = options.picture.pressure { configuration.ink.pressure = pressure }
        if let color = options.picture.givenColor { configuration.ink.color = color }
        if let page = options.page { configuration.pad.page = page }
        if let store = options.store { configuration.record.directory = store }
        if let socket = options.socket { configuration.control.socket = socket }
        do { try options.picture.validate(for: [configuration.ink.pen]) } catch { throw .wrongUsage("\(error)") }
        if options.simulate, configuration.pad.page == .ink {
            throw .wrongUsage("--simulate is for captures, which --page ink does not take")
        }
        if background != nil, configuration.pad.page != .ink {
            throw .wrongUsage("--background is for --page ink: other pages have the colours of the theme ([pad] theme)")
        }
    }

    private static func touch(_ file: Configuration, _ options: RunOptions) -> [TouchChoice] {
        if options.isInMemory { return [] }
        if !options.touch.isEmpty { return options.touch }
        return file.touch.devices.compactMap { TouchChoice(argument: $0) }
    }

    /// The text of a file. The panel runs without what it cannot read.
    private static func notice(_ path: String) -> String? {
        guard let bytes = try? InputFile.read(path, maximumByteCount: 1 << 12), !bytes.isEmpty else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    var pen: Pen {
        let ink = configuration.ink
        return Pen(ink.pen, width: ink.width, pressureCurve: ink.pressure, switches: ink.switches)
    }

    /// The look of the bare sheet.
    var look: Look {
        Look(
            pen: pen, color: configuration.ink.color ?? theme.ink, background: background ?? theme.paper,
            density: configuration.display.density, rotation: configuration.display.rotation,
            gloves: configuration.pad.gloves, letters: configuration.pad.letters)
    }
}

extension RunSettings {
    /// Reads the messages and the idle page and creates the socket. The record thread creates the store, so that a pad
    /// without one can report the reason.
    /// - Returns: nil for a bare sheet, which has no socket.
    func padSetup(_ access: @autoclosure () -> HostAccess) throws -> PanelPad.Setup? {
        let (pad, record) = (configuration.pad, configuration.record)
        guard pad.page != .ink else { return nil }
        let content = try PadContent(pad)
        var settings = PadSettings(
            messages: content.messages, look: padLook, policy: configuration.capture,
            idle: idlePages(content), program: Inkpanel.program)
        settings.times.slide = pad.slideTime
        settings.times.flow = configuration.flowLimit
        settings.dateFormat = pad.dateFormat
        settings.showsClock = pad.clock
        settings.keys = configuration.keyboard
        settings.alwaysSpeaks = configuration.speech.always
        settings.sketch = pad.page == .sketch ? try sketch() : nil
        settings.configuration = SHA256Digest(of: Array(file.panelText.utf8)).description
        settings.panel = record.panelName ?? Self.hostName
        settings.allowsPairing = configuration.control.pairing
        settings.mirror = configuration.control.mirror
        var setup = PanelPad.Setup(settings, theme: theme, records: try PanelStore(configuration).store)
        if settings.sketch != nil { setup.sketchFolder = SketchFolder(at: configuration.sketch.directory) }
        setup.retention = record.retention
        setup.documents = DocumentSettings(configuration.document)
        setup.voice = voice
        setup.control = try controlSetup(access())
        return setup
    }

    private var voice: Voice? {
        if configuration.speech.output == .off { return nil }
        var voice = Voice(configuration.speech.output)
        // Tests need this, and machines with a configuration of ALSA of their own.
        if let path = getenv("ALSA_CONFIG_PATH") { voice.environment = ["ALSA_CONFIG_PATH=" + String(cString: path)] }
        return voice
    }

    /// The notice instead of the configured pages. A notice that begins with an address has its QR code, too.
    /// - Parameter content: of the settings that the panel runs with.
    func idlePages(_ content: PadContent) -> [Page] {
        guard let notice else { return content.idle }
        let line = notice.prefix { !$0.isNewline }
        let code = line.hasPrefix("https://") ? try? QRCode(String(line)) : nil
        return [content.messages.idlePage(notice, logo: code?.picture)]
    }

    /// nil if the machine has none, or an invalid one.
    static var hostName: String? {
        // HOST_NAME_MAX and its NUL.
        var bytes = [CChar](repeating: 0, count: 65)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The kernel's default.
        return name == "(none)" ? nil : Configuration.panelName(name)
    }

    private func sketch() throws(CommandError) -> SketchSettings {
        let sketch = configuration.sketch
        guard
            let tools = SketchTools(
                pen: pen, colors: sketch.colors ?? theme.sketchColors,
                widths: sketch.widths ?? SketchTools.defaultWidths)
        else {
            let (colors, widths) = (SketchTools.colorCountRange, SketchTools.widthCountRange)
            throw .wrongConfiguration(
                "[sketch]: \(colors.lowerBound) to \(colors.upperBound) colors and \(widths.lowerBound) to "
                    + "\(widths.upperBound) widths-mm are required")
        }
        return SketchSettings(tools: tools, clearsOnDoubleTap: sketch.clearsOnDoubleTap)
    }

    /// Uses the socket of the service manager if there is one.
    private func controlSetup(_ access: HostAccess) throws -> PanelPad.Setup.Control {
        let socket =
            try ControlSocket.inherited()
            ?? ControlSocket.listen(path: configuration.control.socket, group: access.group)
        return PanelPad.Setup.Control(socket: socket, access: access.rule, version: Inkpanel.version)
    }

    /// Looks up the group and the gateway's user. The log has a warning for each that does not exist.
    func access(_ log: Log) -> HostAccess {
        let group = group(log)
        return HostAccess(group: group, rule: access(group, log))
    }

    /// Without the group access is more restricted, never less.
    private func group(_ log: Log) -> ControlGroup? {
        guard let name = configuration.control.group else { return nil }
        do throws(ControlSocketError) {
            return try ControlGroup(named: name)
        } catch {
            log.warning("\(error); until then only root and the panel's own user may use the host API")
            return nil
        }
    }

    /// A gateway that looks like the other members of the group would have their rights. So if its user does
    /// not exist, the group has none; a panel without a gateway need not have the default one. The same holds for
    /// inkpanel-fleet and the webhooks.
    func access(_ group: ControlGroup?, _ log: Log) -> AccessRule {
        let (control, usual) = (configuration.control, Configuration().control)
        do throws(ControlSocketError) {
            return AccessRule(
                group: group,
                gateway: try user("gateway", control.gateway, isUsual: control.gateway == usual.gateway, log),
                fleet: try user("fleet", control.fleet, isUsual: control.fleet == usual.fleet, log),
                webhooks: try user("webhooks", control.webhooks, isUsual: control.webhooks == usual.webhooks, log))
        } catch {
            log.warning(
                "\(error); until then, and a restart, only root and the panel's own user may use the host API")
            return AccessRule(group: nil)
        }
    }

    /// - Parameters:
    ///   - setting: in [control].
    ///   - isUsual: whether the user may be missing.
    private func user(
        _ setting: String, _ name: String?, isUsual: Bool, _ log: Log
    ) throws(ControlSocketError) -> ControlUser? {
        guard let name else { return nil }
        do throws(ControlSocketError) {
            let user = try ControlUser(named: name)
            if [0, geteuid()].contains(user.number) {
                log.warning("\(setting) in [control] is \(name), who has full access; name a user of its own")
            }
            return user
        } catch {
            if isUsual { return nil }
            throw error
        }
    }

    /// The look of ink on pages.
    var padLook: Look {
        var look = look
        look.background = theme.paper
        return look
    }
}

extension DocumentSettings {
    init(_ document: Configuration.Document) {
        var helper = DocumentHelper()
        helper.socket = document.socket
        self.init(helper: helper)
        refused = Set(document.refused)
        (mostPages, mostBytes) = (document.maximumPages, document.maximumSize << 20)
    }
}

/// The users of the panel's sockets.
struct HostAccess {
    /// May connect.
    var group: ControlGroup?
    var rule: AccessRule
}

extension PageTheme {
    init(_ theme: PadTheme) {
        switch theme {
        case .light: self = .light
        case .dark: self = .dark
        case .highContrast: self = .highContrast
        }
    }

    /// The theme of the configuration, with its accent.
    init(_ pad: Configuration.Pad) throws(CommandError) {
        let theme = PageTheme(pad.theme)
        guard let accent = pad.accent else {
            self = theme
            return
        }
        do throws(AccentError) { self = try theme.accented(accent) } catch {
            throw .wrongConfiguration("[pad] accent: \(error)")
        }
    }
}

/// The words and the idle pages of the pad, read from the files that the configuration names.
struct PadContent {
    let messages: MessageTable
    /// The idle pages, shown in turn.
    let idle: [Page]

    /// Reads files and waits for them.
    init(_ pad: Configuration.Pad) throws(CommandError) {
        messages = try Self.messages(pad)
        var pictures: [Page] = []
        for path in pad.idlePictures { pictures.append(Page([.picture(try Self.picture(path))])) }
        let logo: Picture? = if let path = pad.logo { try Self.picture(path) } else { nil }
        idle = pictures.isEmpty ? [messages.idlePage(pad.idleText, logo: logo)] : pictures
    }

    /// The language's, with those of the file that the configuration names.
    static func messages(_ pad: Configuration.Pad) throws(CommandError) -> MessageTable {
        let messages = MessageTable(pad.language)
        guard let path = pad.messages else { return messages }
        // All messages at their longest are a tenth of this.
        let bytes = try Self.read(path, maximumByteCount: 1 << 18)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .wrongConfiguration("\(path): the file is not UTF-8 text")
        }
        do throws(MessageError) {
            return try MessageTable(parsing: text, fallback: messages)
        } catch {
            throw .wrongConfiguration("\(path): \(error)")
        }
    }

    static func picture(_ path: String) throws(CommandError) -> Picture {
        let bytes = try Self.read(path, maximumByteCount: PNGDecoder.maximumByteCount)
        do throws(PNGError) {
            return try PNGDecoder.decode(bytes)
        } catch {
            throw .wrongConfiguration("\(path): \(error)")
        }
    }

    private static func read(_ path: String, maximumByteCount: Int) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: maximumByteCount)
        } catch {
            throw .cannotRead(path, error)
        }
        guard let bytes else {
            throw .wrongConfiguration("\(path) has more than \(maximumByteCount) bytes, which is too many")
        }
        return bytes
    }
}

extension QRCode {
    /// The code with its quiet zone, large enough to be scaled down on any screen.
    fileprivate var picture: Picture {
        let (module, count) = (16, side + 2 * Self.quietZone)
        var pixels = [UInt32](repeating: 0xFFFF_FFFF, count: count * module * count * module)
        for y in 0..<side * module {
            let start = (y + Self.quietZone * module) * count * module + Self.quietZone * module
            for x in 0..<side * module where self[x / module, y / module] { pixels[start + x] = 0xFF00_0000 }
        }
        return Picture(size: PixelSize(width: count * module, height: count * module), pixels: pixels)
    }
}
