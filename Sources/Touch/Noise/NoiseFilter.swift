// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Takes noise off contacts between ``ContactGate`` and the ink: some contacts are no touches, and positions are
/// mended. Nothing but ``TouchSample/position`` changes: a contact that is told of at all is told of with every report,
/// its time, pressure and device readings as they came, so that records hold what the device sent.
///
/// Filters cost time: reports are held until those after them have come (docs/touch.md). What is held when a contact
/// lifts is told then, so that no line ends early. It reads no clock: time is that of the reports.
public struct NoiseFilter: Sendable {
    /// Contacts that were taken for noise, of all devices.
    public private(set) var droppedCount = 0

    /// Of the picture that positions are in. A contact that is down keeps that it began with.
    public var density: PixelDensity

    private let settings: NoiseSettings
    /// Those that are down, and others whose memory is used again.
    private var contacts: [FilteredContact] = []
    /// By device: when the last of its contacts lifted.
    private var lifts: [Int64?] = []

    public init(_ settings: NoiseSettings, density: PixelDensity) {
        self.settings = settings
        self.density = density
    }

    /// Appends what is to be told now, which may be nothing or several reports of a contact. Asks for no memory while
    /// contacts go on, if `filtered` has room.
    public mutating func update(with touches: [ContactGate.Touch], into filtered: inout [ContactGate.Touch]) {
        if settings.isEmpty {
            filtered += touches
            return
        }
        for touch in touches { take(touch, into: &filtered) }
    }

    /// - Returns: what is to be told now.
    public mutating func update(with touches: [ContactGate.Touch]) -> [ContactGate.Touch] {
        if settings.isEmpty { return touches }
        var filtered: [ContactGate.Touch] = []
        update(with: touches, into: &filtered)
        return filtered
    }

    private mutating func take(_ touch: ContactGate.Touch, into filtered: inout [ContactGate.Touch]) {
        let sample = touch.event.sample
        let index = contacts.firstIndex { $0.isDown && $0.name == touch.contact }
        switch touch.event {
        case .down, .resume:
            // Its end was not told, which the gate does not do.
            if let index { end(index, sample, into: &filtered) }
            begin(touch, into: &filtered)
        case .motion: if let index { contacts[index].add(sample, into: &filtered) }
        case .up: if let index { end(index, sample, into: &filtered) }
        case .cancel: if let index, !contacts[index].cancel(sample, into: &filtered) { droppedCount += 1 }
        }
    }

    private mutating func begin(_ touch: ContactGate.Touch, into filtered: inout [ContactGate.Touch]) {
        let sample = touch.event.sample
        var isResumed = false
        if case .resume = touch.event {
            // When nobody has heard of it before events were lost, it begins now.
            isResumed = !contacts.contains { $0.name == touch.contact && $0.isWithheld }
        }
        let free = contacts.firstIndex { !$0.isDown }
        let memory = free.map { contacts[$0].takeReports() } ?? []
        var contact = FilteredContact(
            name: touch.contact, isResumed: isResumed, settings: settings,
            jitterLimit: settings.dejitter.map { $0 * density.pixelsPerMillimetre }, bounceEnd: bounceEnd(of: sample),
            reports: memory)
        contact.add(sample, into: &filtered)
        if let free { contacts[free] = contact } else { contacts.append(contact) }
    }

    private mutating func end(_ index: Int, _ sample: TouchSample, into filtered: inout [ContactGate.Touch]) {
        if !contacts[index].lift(sample, into: &filtered) { droppedCount += 1 }
        guard settings.debounce != nil, sample.device.device >= 0 else { return }
        while lifts.count <= sample.device.device { lifts.append(nil) }
        lifts[sample.device.device] = sample.microseconds
    }

    /// Until when a contact that begins now may be the bouncing of one that has lifted.
    private func bounceEnd(of sample: TouchSample) -> Int64? {
        guard let debounce = settings.debounce, lifts.indices.contains(sample.device.device),
            let lift = lifts[sample.device.device]
        else { return nil }
        // Times may run backwards; then nothing is known.
        let passed = sample.microseconds &- lift
        return passed >= 0 && passed < debounce ? lift &+ debounce : nil
    }
}
