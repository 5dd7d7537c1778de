// SPDX-License-Identifier: Apache-2.0
import Canvas
import Configuration
import Geometry
import Ink
import Linux
import Pad
package import Record
import Screen
import Store
package import Touch

/// The panel's touch devices: reports and hotplug.
extension Panel {
    var touchNames: String { parts.touches.inputs.map(\.name).joined(separator: " and ") }

    /// Whether all inputs have ended and no device can be added.
    var isInputFinished: Bool {
        let touches = parts.touches
        return !touches.awaitsDevices
            && touches.present.allSatisfy { finished.contains(touches.devices[$0].token) }
    }

    func apply(_ changes: TouchDevices.Changes) throws {
        for fault in changes.news { session.log.warning(fault.message) }
        if let warning = changes.warning { session.log.warning(warning) }
        for altered in changes.altered {
            session.log.warning(
                "\(altered.name) has returned with \(altered.difference)"
                    + (altered.waits ? "; it is used after the capture, whose record has the one before" : ""))
        }
        if let altered = changes.altered.first(where: \.waits), parts.touches.present.isEmpty {
            // Nobody can finish the capture: it ends, and the next one begins with the device.
            try parts.pad?.handle(.touchAltered(reason: "the touch device has returned with \(altered.difference)"))
        }
        for number in changes.unwanted {
            guard let input = parts.touches.devices[number].input else { continue }
            session.log.notice(
                "\(input.name): no longer used, another device is preferred", .device(input.description.name))
            try remove(number)
        }
        if !changes.joined.isEmpty { updateMappings() }
        for number in changes.joined {
            let device = parts.touches.devices[number]
            guard let input = device.input else { continue }
            try poll.add(input.descriptor, token: Source.touch.rawValue)
            // Inputs start only when the first frame is on screen.
            guard hasStarted else { continue }
            session.log.notice("\(input.name): now in use", .device(input.description.name))
            try input.start()
        }
        if !changes.joined.isEmpty || !changes.unwanted.isEmpty || !hasReportedDevices { try reportDevices() }
        let hasNone = parts.touches.awaitsDevices && parts.touches.present.isEmpty
        if hasNone, !loggedNoTouch {
            session.log.warning("there is no touch device; waiting for one (see inkpanel devices)")
        }
        loggedNoTouch = hasNone
    }

    /// Reads the waiting reports of all devices and processes them in order of time: late reports of a hand must not
    /// precede those of the pen beside it.
    func readTouches() throws {
        var merge = TouchMerge()
        var faults: [(number: Int, error: TouchError)] = []
        var overrun: [any TouchInput] = []
        for number in parts.touches.present {
            let device = parts.touches.devices[number]
            guard let input = device.input, !finished.contains(device.token) else { continue }
            let drops = input.dropCount
            do throws(TouchError) {
                merge.add(try input.read(), of: number)
            } catch {
                faults.append((number, error))
            }
            if input.dropCount != drops { overrun.append(input) }
        }
        summary.dropCount = dropsOfGone + parts.touches.inputs.reduce(0) { $0 + $1.dropCount }
        while let report = merge.next() { try process(report.frame, of: report.device, reported: report.reported) }
        for input in overrun {
            session.log.warning(
                "\(input.name): the kernel dropped reports (SYN_DROPPED), \(input.dropCount) times so far",
                .device(input.description.name))
        }
        for number in merge.interrupted { try endContacts(of: number) }
        for number in merge.finished { try stopWatching(number) }
        try removeFailed(faults)
    }

    /// - Parameters:
    ///   - number: the device's number.
    ///   - reported: when the report became available; see ``TouchReading/handedOut``.
    private func process(_ frame: TouchFrame, of number: Int, reported: Timestamp) throws {
        if !frame.contacts.isEmpty {
            summary.reportCount += 1
            parts.pad?.lastReport = reported
        }
        // Ignore touches before the first frame.
        guard isStarted else { return }
        try send(gate.update(with: frame, of: number), at: reported)
        if let hover = frame.hover {
            try parts.pad?.handle(.hover(hover, device: number, at: frame.time))
        }
    }

    /// Removes devices that can no longer be read.
    private func removeFailed(_ faults: [(number: Int, error: TouchError)]) throws {
        guard let last = faults.last else { return }
        for fault in faults { try remove(fault.number) }
        try reportDevices()
        if !parts.touches.awaitsDevices, parts.touches.present.isEmpty { throw last.error }
        let rest = parts.touches.inputs.isEmpty ? "waiting for a touch device" : "continuing with \(touchNames)"
        for (number, error) in faults {
            session.log.warning(
                "\(error.message); \(rest)", .device(parts.touches.devices[number].description.name))
        }
        loggedNoTouch = true
        parts.touches.deviceFailed(at: MonotonicClock.now)
    }

    /// Removes a device from the poll set, if it is in it. A device that is gone stays readable and would keep a core
    /// busy.
    func stopWatching(_ number: Int) throws(Errno) {
        let device = parts.touches.devices[number]
        guard let input = device.input, finished.insert(device.token).inserted else { return }
        try poll.remove(input.descriptor)
    }

    /// Ends the device's contacts and closes it.
    private func remove(_ number: Int) throws {
        try stopWatching(number)
        try endContacts(of: number)
        dropsOfGone += parts.touches.devices[number].input?.dropCount ?? 0
        parts.touches.remove(number)
    }

    /// Ends a device's contacts. They keep their ink and press no button.
    private func endContacts(of number: Int) throws {
        let now = MonotonicClock.now
        try send(gate.remove(number, at: now), at: now)
    }

    /// Ends all contacts and keeps their ink. Contacts that are down have no effect until they lift.
    func endTouches() throws {
        for number in parts.touches.present { try endContacts(of: number) }
    }

    /// Closes all devices that can be found again, so that programs on another terminal can use them.
    func releaseDevices() throws {
        parts.keyboards?.close()
        scansForKeys = true
        guard parts.touches.awaitsDevices else { return }
        for number in parts.touches.present where parts.touches.devices[number].input?.path != nil {
            try remove(number)
        }
        try reportDevices()
    }

    /// Updates the mappings from devices' units to pixels of the current screen.
    func updateMappings() {
        gate.mappings = parts.touches.mappings(to: screen, calibration: session.touchSettings.calibration)
        noise.density = screen.density
    }

    func reportDevices() throws(Errno) {
        hasReportedDevices = true
        let devices = zip(parts.touches.devices, gate.mappings).compactMap { device, mapping -> CaptureDevice? in
            guard var described = CaptureDevice(device.description, mapping: mapping) else { return nil }
            described.selfTest = session.digitizerTests?.latest(of: described)
            return described
        }
        try parts.pad?.handle(.devices(parts.touches.inputs.map(\.name), devices))
    }

    /// Sends touches to the pad or, on a bare sheet, the strokes of the owning contact to the render thread.
    ///
    /// The noise filter comes before the screen's power: a contact that it drops must not wake the screen.
    private func send(_ touches: [TouchEvent], at time: Timestamp) throws(Errno) {
        try deliver(noise.update(with: touches), at: time)
    }

    /// Ends contacts whose lift was held, because they might have gone on.
    func releaseLifts(at now: Timestamp) throws(Errno) {
        guard let due = noise.deadline, due <= now else { return }
        try deliver(noise.releaseLifts(at: now), at: now)
    }

    private func deliver(_ filtered: [TouchEvent], at time: Timestamp) throws(Errno) {
        let admitted = try parts.power?.admit(filtered) ?? filtered
        if let pad = parts.pad {
            // Before the touches: one of them may press Accept, which records these counts.
            pad.losses = PanelPad.Losses(
                drops: summary.dropCount, ignoredContacts: gate.ignoredCount + noise.droppedCount)
            for touch in admitted { try pad.handle(.touch(touch, reported: time)) }
        } else {
            parts.link.send(sheet.strokes(of: admitted).map { .pad(.ink($0, reported: time)) })
        }
    }
}

extension CaptureDevice {
    /// Describes a touch device for records; nil if it has no position axes.
    /// - Parameter mapping: from device units to the picture of the capture.
    package init?(_ device: DeviceDescription, mapping: PanelMapping) {
        guard let axes = device.positionAxes else { return nil }
        func axis(_ info: AxisInfo) -> Axis {
            Axis(minimum: info.minimum, maximum: info.maximum, resolution: info.resolution)
        }
        let map = mapping.map.transform
        self.init(
            name: device.name, bus: device.bus, vendor: device.vendor, product: device.product,
            version: device.version, x: axis(axes.x), y: axis(axes.y), pressure: device.pressureAxis.map(axis),
            distance: device.distanceAxis.map(axis), transform: [map.a, map.c, map.b, map.d, map.tx, map.ty])
        (uniq, phys, firmware) = (device.uniq, device.phys, device.firmware)
    }
}

extension TouchDevices {
    /// Maps the units of each device to the picture.
    /// - Parameter calibration: for all devices; nil means udev's calibration of each.
    func mappings(to screen: PadScreen, calibration: Transform?) -> [PanelMapping] {
        devices.map { device in
            guard
                let mapping = PanelMapping(
                    device.description, panel: screen.panelSize, rotation: screen.rotation,
                    calibration: calibration ?? device.calibration ?? .identity)
            else { preconditionFailure("only devices with axes are added") }
            return mapping
        }
    }
}
