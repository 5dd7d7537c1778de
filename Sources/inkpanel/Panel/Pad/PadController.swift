// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Record
import Store
import Touch

/// The pad of one panel: takes hosts' calls one after the other to the ``CaptureMachine``, and what the machine wants
/// done to the threads that do it. A value without I/O; for the main thread.
struct PadController {
    /// Calls that may wait for others to end: a queue at a counter, and a bound for memory.
    static let waitingLimit = 16

    let setting: PadSetting
    var machine: CaptureMachine
    /// Its page is being laid out.
    var preparing: PadTicket?
    /// Its capture runs.
    var running: PadTicket?
    /// The first to come is the first to sign.
    var waiting: [PadTicket] = []
    var watchers: [CallID] = []
    /// Names of the touch devices that are read now.
    var devices: [String] = []
    /// What touches are numbered by, as records describe them.
    var captureDevices: [CaptureDevice] = []
    var screen: PadScreen
    /// Why nothing is shown; nil while there is a display.
    var displayFault: String?
    var page: PanelStatus.Page
    /// Nil where the pad shows a text or a picture while nobody signs.
    var sketch: PadSketch?
    /// The panel ends: nothing begins any more.
    var isEnding = false
    /// Ended, and not told: what is to be wiped is not yet. By the capture's name.
    var wiping: [CaptureID: (call: CallID, answer: PanelAnswer)] = [:]
    /// One at a time, however often people press.
    var isSavingSketch = false
    /// What stands on the sketch page until then, or until something else does.
    var notice: (message: Message, until: Int64?)?
    /// Why nothing can be recorded; nil while it can.
    var recordFault: String?
    /// Why the last record could not be written or wiped, or the sketch saved; nil when it could.
    var storeFault: String?
    /// Why what is drawn on the sketch page does not survive the program; nil when it does.
    var sketchFault: String?
    /// What watchers know.
    var toldStatus: PanelStatus?
    private var lastRequest: UInt64 = 0

    init(_ setting: PadSetting) {
        self.setting = setting
        machine = CaptureMachine(times: setting.times)
        screen = setting.screen
        sketch = setting.sketch.flatMap { PadSketch($0, on: setting.screen) }
        page = sketch == nil ? .idle : .sketch
    }

    /// When to call again with ``PadInput/time`` at the latest, in microseconds of the reports' clock.
    var deadline: Int64? { [machine.deadline, notice?.until].compactMap { $0 }.min() }

    /// Whether a record is being kept or wiped, and somebody waits to hear of it.
    var isStoring: Bool { page == .saving || !wiping.isEmpty }

    /// - Parameter microseconds: when this happens, on the reports' clock.
    mutating func handle(_ input: PadInput, at microseconds: Int64) -> [PadOutput] {
        var outputs: [PadOutput] = []
        switch input {
        case .host(.call(let call, let what)): take(what, call, at: microseconds, &outputs)
        case .host(.gone(let call)): forget(call, at: microseconds, &outputs)
        case .touch(let event, let contact, let reported):
            if page == .sketch {
                guard sketch?.isOpen == true else { break }
                step(SketchInput.touch(event, contact: contact), reportedMicroseconds: reported, &outputs)
                break
            }
            step(.touch(event, contact: contact), at: microseconds, reportedMicroseconds: reported, &outputs)
        case .hover(let hover, let device, let reported):
            take(hover, device: device, microseconds: reported, at: microseconds, &outputs)
        case .laidOut(let answer): begin(answer, at: microseconds, &outputs)
        case .record(.store(let fault)): noteStore(fault, &outputs)
        case .record(.admitted(let id)): admit(id, nil, at: microseconds, &outputs)
        case .record(.refused(let id, let fault)): admit(id, fault, at: microseconds, &outputs)
        case .record(.discarded(let id, let fault)):
            if let fault { storeFault = fault }
            if let told = wiping.removeValue(forKey: id) { outputs.append(.answer(told.call, told.answer)) }
        case .record(.sketchSaved(let fault)):
            isSavingSketch = false
            storeFault = fault
            give(fault == nil ? .sketchSaved : .sketchNotSaved, at: microseconds, &outputs)
        case .record(.sketchKept(let fault)):
            noteSketch(fault, at: microseconds, &outputs)
        case .record(.sketch(let entries, let page, let fault)):
            restore(entries, of: page, at: microseconds, &outputs)
            noteSketch(fault, at: microseconds, &outputs)
        case .record(.durable(let id)):
            storeFault = nil
            if let running, running.id == id {
                step(.recordDurable(running.request), at: microseconds, &outputs)
            }
        case .record(.failed(let id, let reason)):
            storeFault = reason
            if let running, running.id == id {
                step(.recordFailed(running.request, reason: reason), at: microseconds, &outputs)
            }
        case .devices(let names, let described): (devices, captureDevices) = (names, described)
        case .display(let screen): take(screen, at: microseconds, &outputs)
        case .displayShows: displayFault = nil
        case .noDisplay(let reason): displayFault = reason
        case .letGo:
            if page == .sketch { step(SketchInput.leave, reportedMicroseconds: microseconds, &outputs) }
            step(.letGo, at: microseconds, &outputs)
        case .time: step(.time, at: microseconds, &outputs)
        case .end: end(at: microseconds, &outputs)
        }
        passNotice(at: microseconds, &outputs)
        prepareNext(&outputs)
        tellWatchers(&outputs)
        return outputs
    }

    /// A pen hovers: of interest while somebody signs, and then as far as the record can say whose report it is.
    private mutating func take(
        _ hover: PenHover, device: Int, microseconds: Int64, at now: Int64, _ outputs: inout [PadOutput]
    ) {
        guard let devices = running?.header?.devices, devices.indices.contains(device) else { return }
        var hover = hover
        if devices[device].distance == nil { hover.distance = nil }
        step(.hover(hover, device: device, microseconds: microseconds), at: now, &outputs)
    }

    /// Takes note of whether anything can be recorded, and says so on the page while nobody signs.
    mutating func noteStore(_ fault: StoreError?, _ outputs: inout [PadOutput]) {
        let changes = (recordFault == nil) != (fault == nil)
        recordFault = fault?.description
        guard changes else { return }
        if page == .idle { outputs.append(.render(.show(idleView))) }
        showNotice(&outputs)
    }

    /// What is shown while nobody signs, on a pad without a sketch page.
    var idleView: PageView {
        recordFault == nil ? setting.idle : .words(setting.messages[.notRecording])
    }

    /// A new one for each call.
    mutating func makeTicket(_ call: CallID, _ capture: CaptureCall) -> PadTicket {
        PadTicket(
            call: call, capture: capture, id: CaptureID(startedAt: setting.now(), random: setting.random()),
            request: makeRequest())
    }

    /// A new one for each layout that is asked for, so that the answer to none is taken for that to another.
    mutating func makeRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    /// Lays the page of the call that has waited longest out, when nobody signs and those who signed have been thanked.
    private mutating func prepareNext(_ outputs: inout [PadOutput]) {
        guard !isEnding, preparing == nil, running == nil, machine.deadline == nil, canBegin, !waiting.isEmpty
        else { return }
        prepare(waiting.removeFirst(), &outputs)
    }

    /// What was drawn on the sketch page is there again, and can be put aside for a signature.
    var isReady: Bool { sketch?.isOpen ?? true }

    /// Whether somebody could sign now.
    var canBegin: Bool { isReady && displayFault == nil && !devices.isEmpty }

    var status: PanelStatus {
        PanelStatus(
            program: setting.program, page: page,
            running: (running ?? preparing).map { PanelStatus.Running(id: $0.id, strokes: $0.strokes) },
            waiting: waiting.count, touchDevices: devices, screen: screen.status,
            displayFault: displayFault, storeFault: recordFault ?? storeFault ?? sketchFault)
    }

    private mutating func tellWatchers(_ outputs: inout [PadOutput]) {
        let status = status
        if status == toldStatus { return }
        toldStatus = status
        outputs += watchers.map { .answer($0, .changed(status)) }
    }
}
