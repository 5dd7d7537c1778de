// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Geometry
import Ink
@testable import inkpanel
import Raster
import Record
import Store
import Touch


/// A pad without threads: its page is laid out when asked for, what it says is kept.
struct PadDriver {
    static let size = PixelSize(width: 800, height: 480)
    static let date = CaptureHeader.LocalDate(text: "21.11.2026", offsetSeconds: 3600, zone: "Europe/Berlin")
    static let policy = CapturePolicy(
        minima: InkMinima(strokes: 1, samples: 2, length: 1, extent: 1, breadth: 0, duration: 0), pen: "ink")

    var controller: PadController
    var now: Int64 = 1_000_000
    var answers: [CallID: [PanelAnswer]] = [:]
    /// Without those that ask whether something can be recorded.
    var jobs: [RecordJob] = []
    var steps: [RenderStep] = []
    var layout: SignatureLayout?
    /// Of the screen that pages are laid out for.
    var size = Self.size
    /// Whether pages are laid out at once; otherwise when ``layOut()`` is called.
    var laysOut = true
    var orders: [LayoutOrder] = []
    /// Whether the writer admits captures at once; otherwise when ``admit(_:)`` is called.
    var admits = true
    var admissions: [CaptureID] = []
    /// Whether what is to be wiped is at once.
    var wipes = true
    var discards: [CaptureID] = []
    private var calls: UInt64 = 0

    /// - Parameter sketch: shown while nobody signs, and open.
    init(policy: CapturePolicy = Self.policy, devices: [String] = ["touch"], sketch: SketchStyle? = nil) {
        var ids: UInt64 = 0
        let setting = PadSetting(
            messages: MessageTable(.english), pen: Pen(width: 0.8),
            color: Color(red: 0xC0, green: 0x10, blue: 0x20), paper: .white, policy: policy, idle: .words("idle"),
            sketch: sketch, program: "inkpanel test", panel: "till-3", screen: Self.screen(Self.size),
            now: { 1_700_000_000_000_000 }, date: { Self.date },
            random: {
                ids += 1
                return ids
            })
        controller = PadController(setting)
        handle(.devices(devices, devices.isEmpty ? [] : [Self.device, Self.pen]))
        if let page = controller.sketch?.page { handle(.record(.sketch([], of: page, fault: nil))) }
    }

    static func screen(_ size: PixelSize) -> PadScreen {
        PadScreen(
            name: "screen",
            ScreenGeometry(size: size, rotation: .none, density: .standard, pageDensity: .standard))
    }

    static let device = CaptureDevice(
        name: "touch", bus: 3, vendor: 1, product: 2, version: 3,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 0),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 0), pressure: nil,
        transform: [0.1, 0, 0, 0.1, 0.05, 0.05])

    static let pen = CaptureDevice(
        name: "pen", bus: 3, vendor: 1, product: 4, version: 3,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 0),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 0), pressure: nil,
        distance: CaptureDevice.Axis(minimum: 0, maximum: 63, resolution: 0),
        transform: [0.1, 0, 0, 0.1, 0.05, 0.05])

    mutating func handle(_ input: PadInput) {
        for output in controller.handle(input, at: now) {
            switch output {
            case .answer(let call, let answer): answers[call, default: []].append(answer)
            case .record(.admit(let id)): admissions.append(id)
            case .record(let job):
                jobs.append(job)
                if case .discard(let id, _) = job { discards.append(id) }
            case .render(.layOut(let order)): orders.append(order)
            case .render(let step): steps.append(step)
            }
        }
        if laysOut { layOut() }
        if admits { admit() }
        while wipes, !discards.isEmpty { handle(.record(.discarded(discards.removeFirst(), fault: nil))) }
    }

    mutating func layOut(_ fits: Bool = true) {
        guard !orders.isEmpty else { return }
        let order = orders.removeFirst()
        let made = Result { () throws(PageTooSmall) in
            if !fits { throw PageTooSmall() }
            return try SignatureLayout(
                size: size, density: .standard, direction: order.direction, texts: order.texts,
                measure: { text, em in
                    PixelSize(width: Int(Double(text.count) * em * 0.6), height: Int((em * 1.4).rounded(.up)))
                })
        }
        layout = try? made.get()
        handle(.laidOut(LayoutAnswer(request: order.request, layout: made)))
    }

    /// - Parameter fault: why nothing can be recorded.
    mutating func admit(_ fault: StoreError? = nil) {
        guard !admissions.isEmpty else { return }
        let id = admissions.removeFirst()
        handle(.record(fault.map { .refused(id, $0) } ?? .admitted(id)))
    }

    @discardableResult
    mutating func call(_ what: PanelCall) -> CallID {
        calls += 1
        handle(.host(.call(CallID(calls), what)))
        return CallID(calls)
    }

    @discardableResult
    mutating func capture(waits: Bool = false, prompt: String = "Sign") -> CallID {
        call(.capture(CaptureCall(request: CaptureRequest(prompt: [prompt]), waits: waits, follows: true)))
    }

    mutating func touch(_ event: (TouchSample) -> TouchEvent, _ x: Double, _ y: Double) {
        now += 8000
        let sample = TouchSample(
            microseconds: now, position: Point(x: x, y: y), pressure: nil,
            device: DeviceReading(x: Int32(x * 10), y: Int32(y * 10)))
        handle(.touch(event(sample), contact: 1, reportedMicroseconds: now))
    }

    /// A stroke across the signing area.
    mutating func sign() {
        guard let area = layout?.signingArea else { return }
        touch(TouchEvent.down, Double(area.minX + 20), Double(area.minY + 20))
        for step in 1..<10 {
            touch(TouchEvent.motion, Double(area.minX + 20 + step * 20), Double(area.minY + 20 + step % 3 * 20))
        }
        touch(TouchEvent.up, Double(area.minX + 200), Double(area.minY + 20))
    }

    mutating func press(_ button: PageButton) {
        guard let rect = layout?.buttons.first(where: { $0.button == button })?.rect else { return }
        touch(TouchEvent.down, Double(rect.minX + 5), Double(rect.minY + 5))
        touch(TouchEvent.up, Double(rect.minX + 5), Double(rect.minY + 5))
    }

    /// Lets time pass until nothing more happens by itself.
    mutating func rest() {
        while let deadline = controller.deadline {
            now = max(now, deadline)
            handle(.time)
        }
    }

    var runningID: CaptureID? { controller.status.running?.id }

    func last(_ call: CallID) -> PanelAnswer? { answers[call]?.last }
}
