// SPDX-License-Identifier: Apache-2.0
import Canvas
import Pad
import Geometry
import Ink
import Linux
import Record
import Screen
import Touch

/// What the panel does about its touch devices: their reports, and their coming and going.
extension Panel {
    var touchNames: String { parts.touches.inputs.map(\.name).joined(separator: " and ") }

    /// Whether no report will come any more.
    var isInputFinished: Bool {
        let touches = parts.touches
        return !touches.awaitsDevices
            && touches.present.allSatisfy { finished.contains(touches.devices[$0].token) }
    }

    func follow(_ changes: TouchDevices.Changes) throws {
        for fault in changes.news { parts.log.warning(fault.message) }
        for number in changes.unwanted {
            guard let input = parts.touches.devices[number].input else { continue }
            parts.log.notice("\(input.name): not read any more, another comes first", .device(input.description.name))
            try remove(number)
        }
        if !changes.joined.isEmpty { updateMappings() }
        for number in changes.joined {
            let seat = parts.touches.devices[number]
            guard let input = seat.input else { continue }
            try poll.add(input.descriptor, token: Source.touch.rawValue)
            // What is on screen first is what its reports are about.
            guard hasStarted else { continue }
            parts.log.notice("\(input.name): its touches are read", .device(input.description.name))
            try input.start()
        }
        if !changes.joined.isEmpty || !changes.unwanted.isEmpty { try tellOfDevices() }
        let hasNone = parts.touches.awaitsDevices && parts.touches.present.isEmpty
        if hasNone, !hasToldOfNoTouch {
            parts.log.warning("there is no touch device; waiting for one (inkpanel devices says what there is)")
        }
        hasToldOfNoTouch = hasNone
    }

    /// Takes the reports that wait in all devices, in the order in which they happened: a hand's, read late, must not
    /// go before those of the pen beside it.
    func readTouches() throws {
        var merge = TouchMerge()
        var faults: [(number: Int, error: TouchError)] = []
        var overrun: [any TouchInput] = []
        for number in parts.touches.present {
            let seat = parts.touches.devices[number]
            guard let input = seat.input, !finished.contains(seat.token) else { continue }
            let drops = input.dropCount
            do throws(TouchError) {
                merge.add(try input.read(), of: number)
            } catch {
                faults.append((number, error))
            }
            if input.dropCount != drops { overrun.append(input) }
        }
        summary.dropCount = dropsOfGone + parts.touches.inputs.reduce(0) { $0 + $1.dropCount }
        while let report = merge.next() { try take(report) }
        for input in overrun {
            parts.log.warning(
                "\(input.name): the kernel dropped reports (SYN_DROPPED), \(input.dropCount) times so far",
                .device(input.description.name))
        }
        for number in merge.finished { try stopWatching(number) }
        try lose(faults)
    }

    private func take(_ report: TouchMerge.Report) throws {
        let frame = report.frame
        if !frame.contacts.isEmpty { summary.reportCount += 1 }
        // What nobody can see nobody means.
        guard isStarted else { return }
        try take(gate.update(with: frame, of: report.device), at: report.microseconds)
        if let hover = frame.hover {
            try parts.pad?.handle(.hover(hover, device: report.device, microseconds: frame.microseconds))
        }
    }

    /// Goes on without devices that cannot be read any more.
    private func lose(_ faults: [(number: Int, error: TouchError)]) throws {
        guard let last = faults.last else { return }
        for fault in faults { try remove(fault.number) }
        try tellOfDevices()
        if !parts.touches.awaitsDevices, parts.touches.present.isEmpty { throw last.error }
        let rest = parts.touches.inputs.isEmpty ? "waiting for a touch device" : "going on with \(touchNames)"
        for (number, error) in faults {
            parts.log.warning(
                "\(error.message); \(rest)", .device(parts.touches.devices[number].description.name))
        }
        hasToldOfNoTouch = true
        parts.touches.deviceFailed(at: MonotonicClock.nanoseconds)
    }

    /// Takes a device out of the set, if it is in it. One that is gone stays readable for ever and would burn a core.
    func stopWatching(_ number: Int) throws(Errno) {
        let seat = parts.touches.devices[number]
        guard let input = seat.input, finished.insert(seat.token).inserted else { return }
        try poll.remove(input.descriptor)
    }

    /// Ends what the device's contacts do, and lets go of it.
    private func remove(_ number: Int) throws {
        try stopWatching(number)
        let now = MonotonicClock.microseconds
        let ended = gate.remove(number, at: now)
        if !ended.isEmpty { try parts.pad?.handle(.touchesEnded) }
        try take(ended, at: now)
        dropsOfGone += parts.touches.devices[number].input?.dropCount ?? 0
        parts.touches.remove(number)
    }

    /// Ends what all contacts do, which keeps what they drew; those that are down do nothing more until they lift.
    func endTouches() throws {
        let now = MonotonicClock.microseconds
        try parts.pad?.handle(.touchesEnded)
        for number in parts.touches.present { try take(gate.remove(number, at: now), at: now) }
    }

    /// Lets go of all devices that can be found again, for whom the screen is left to.
    func releaseDevices() throws {
        guard parts.touches.awaitsDevices else { return }
        for number in parts.touches.present where parts.touches.devices[number].input?.path != nil {
            try remove(number)
        }
        try tellOfDevices()
    }

    /// How devices' units become pixels, on the screen that is there now.
    func updateMappings() {
        gate.mappings = parts.touches.mappings(to: screen, calibration: parts.calibration)
        noise.density = screen.density
    }

    func tellOfDevices() throws(Errno) {
        try parts.pad?.handle(
            .devices(
                parts.touches.inputs.map(\.name),
                zip(parts.touches.devices, gate.mappings).compactMap { CaptureDevice($0.description, mapping: $1) }))
    }

    /// On to the pad, which wants to know of all contacts, or to the paper, where the owner's is drawn.
    ///
    /// The noise filter comes before the screen's light: a contact that it drops must not light the screen up.
    private func take(_ all: [ContactGate.Touch], at microseconds: Int64) throws(Errno) {
        let filtered = noise.update(with: all)
        let touches = try parts.power?.admit(filtered) ?? filtered
        if let pad = parts.pad {
            // Before the touches: one of them may press Accept, which records these counts.
            pad.losses = PanelPad.Losses(
                drops: summary.dropCount, ignoredContacts: gate.ignoredCount + noise.droppedCount)
            for touch in touches {
                try pad.handle(.touch(touch.event, contact: touch.contact, reported: microseconds))
            }
        } else {
            parts.link.send(
                owner.update(with: touches).map { .pad(.ink(StrokeEvent($0), reported: microseconds)) })
        }
    }
}

extension StrokeEvent {
    /// What a contact does, as the canvas takes it.
    init(_ event: TouchEvent) {
        func sample(_ touch: TouchSample) -> Sample {
            Sample(microseconds: touch.microseconds, position: touch.position, pressure: touch.pressure)
        }
        switch event {
        case .down(let touch), .resume(let touch): self = .begin(sample(touch))
        case .motion(let touch): self = .move(sample(touch))
        case .up: self = .end
        case .cancel: self = .cancel
        }
    }
}

extension CaptureDevice {
    /// A touch device as records describe it; nil if it has no position axes.
    /// - Parameter mapping: from its units to the picture of the capture.
    init?(_ device: DeviceDescription, mapping: PanelMapping) {
        guard let axes = device.positionAxes else { return nil }
        func axis(_ info: AxisInfo) -> Axis {
            Axis(minimum: info.minimum, maximum: info.maximum, resolution: info.resolution)
        }
        let map = mapping.transform
        self.init(
            name: device.name, bus: device.bus, vendor: device.vendor, product: device.product,
            version: device.version, x: axis(axes.x), y: axis(axes.y), pressure: device.pressureAxis.map(axis),
            distance: device.distanceAxis.map(axis), transform: [map.a, map.c, map.b, map.d, map.tx, map.ty])
    }
}
