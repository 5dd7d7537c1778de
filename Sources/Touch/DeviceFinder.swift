// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// Lists input devices and chooses those to sign with, by their abilities. Event numbers do not matter: they change
/// when a keyboard is plugged in.
public enum DeviceFinder {
    /// An event device and its description.
    public struct Candidate: Equatable, Sendable {
        public var path: String
        /// nil if it could not be queried; ``error`` is the cause.
        public var device: DeviceDescription?
        public var error: TouchError?
        /// Its directory in sysfs, without symbolic links; nil if unknown.
        public var directory: String?

        public init(path: String, device: DeviceDescription, directory: String? = nil) {
            self.path = path
            self.device = device
            self.directory = directory
        }

        public init(path: String, error: TouchError) {
            self.path = path
            self.error = error
        }

        public var kind: TouchKind? { device?.kind }
        var place: DevicePlace { DevicePlace(phys: device?.phys, directory: directory) }
    }

    /// The chosen devices, and the reason for each device.
    public struct Choice: Equatable, Sendable {
        /// The best device and, if there is one, the pen of its screen; empty if no device is usable.
        public var paths: [String]
        /// One for each device, in order, e.g. "/dev/input/event2 (ft5x06): used: a multitouch screen".
        public var reasons: [String]
        /// Several touch screens fit, so that the choice may be wrong; nil otherwise.
        public var warning: String?
    }

    /// Queries every `event*` in a directory, in numeric order. Opens each for a moment, grabs none.
    public static func list(directory: String = "/dev/input") throws(TouchError) -> [Candidate] {
        try eventNumbers(directory).map { number in
            let path = "\(directory)/event\(number)"
            do throws(TouchError) {
                let device = try DeviceDescription.read(path: path)
                return Candidate(path: path, device: device, directory: UdevDevice(node: path)?.directory)
            } catch {
                return Candidate(path: path, error: error)
            }
        }
    }

    /// Chooses the best device: a touch screen before a pen on a screen, then a pen tablet. Of several touch screens or
    /// pens, one at the screen's own kind of bus comes first, then multitouch before single touch, then the first. A
    /// touch screen is joined by the pen of the same screen, if any: a pen display has two devices.
    /// - Parameter screen: how the screen is attached; nil without a screen.
    public static func choose(from candidates: [Candidate], for screen: ScreenPlace? = nil) -> Choice {
        var best: (index: Int, rank: Rank)?
        for (index, candidate) in candidates.enumerated() {
            guard let rank = Rank(candidate, screen), best.map({ rank < $0.rank }) ?? true else { continue }
            best = (index, rank)
        }
        let pen = best.flatMap { penIndex(for: $0.index, among: candidates) }
        let reasons = candidates.enumerated().map { index, candidate in
            "\(candidate.path)\(candidate.device.map { " (\($0.name))" } ?? ""): "
                + verdict(
                    candidate, isTaken: index == best?.index || index == pen, isPaired: index == pen,
                    isElsewhere: best.map { isOfOtherScreen(candidate, than: $0.rank, screen) } ?? false)
        }
        return Choice(
            paths: [best?.index, pen].compactMap { $0 }.map { candidates[$0].path }, reasons: reasons,
            warning: best.flatMap { warning($0.index, $0.rank, candidates, screen) })
    }

    /// How good a device is, lower is better.
    private struct Rank: Comparable {
        /// Touch screens, pens on a screen, pen tablets.
        let group: Int
        let fit: BusFit
        let kind: Int

        init?(_ candidate: Candidate, _ screen: ScreenPlace?) {
            guard let device = candidate.device else { return nil }
            switch device.kind {
            case .multitouch: (group, kind) = (0, 0)
            case .anonymousMultitouch: (group, kind) = (0, 1)
            case .singleTouch: (group, kind) = (0, 2)
            case .pen(isDirect: true): (group, kind) = (1, 0)
            case .pen(isDirect: false): (group, kind) = (2, 0)
            case .unusable: return nil
            }
            // A tablet belongs to no screen.
            fit = group == 2 ? .unknown : BusFit(bus: device.bus, screen)
        }

        static func < (a: Rank, b: Rank) -> Bool {
            (a.group, a.fit.rawValue, a.kind) < (b.group, b.fit.rawValue, b.kind)
        }
    }

    private static func isOfOtherScreen(_ candidate: Candidate, than best: Rank, _ screen: ScreenPlace?) -> Bool {
        Rank(candidate, screen).map { $0.group == best.group && $0.fit == .other && best.fit != .other } ?? false
    }

    /// Says that several touch screens fit, once the screen is known.
    private static func warning(
        _ chosen: Int, _ best: Rank, _ candidates: [Candidate], _ screen: ScreenPlace?
    ) -> String? {
        guard screen != nil, best.group == 0 else { return nil }
        let place = candidates[chosen].place
        // A controller may have several devices.
        let others = candidates.indices.filter { index in
            index != chosen && Rank(candidates[index], screen) == best
                && place.isSame(as: candidates[index].place) != true
        }
        if others.isEmpty { return nil }
        let names = others.map { index in "\(candidates[index].path) (\(candidates[index].device?.name ?? ""))" }
        return "several touch screens fit this screen: \(candidates[chosen].path) is used, not "
            + "\(names.joined(separator: ", ")). If that is wrong, name the right one (device in [touch], or --touch)"
    }

    /// The pen that fits a touch screen best, the first of equals. A pen that fits another touch screen better belongs
    /// to that one.
    private static func penIndex(for index: Int, among candidates: [Candidate]) -> Int? {
        guard let screen = candidates[index].device, isTouchScreen(screen) else { return nil }
        let others = candidates.indices.filter { other in
            other != index && candidates[other].device.map(isTouchScreen) ?? false
        }
        var best: (index: Int, fit: ScreenFit)?
        for (pen, candidate) in candidates.enumerated() {
            guard candidate.device?.kind == .pen(isDirect: true), let fit = ScreenFit(candidate, candidates[index]),
                fit.bond > .possible || others.isEmpty,
                !others.contains(where: { ScreenFit(candidate, candidates[$0]).map { $0 > fit } ?? false }),
                best.map({ fit > $0.fit }) ?? true
            else { continue }
            best = (pen, fit)
        }
        return best?.index
    }

    private static func isTouchScreen(_ device: DeviceDescription) -> Bool {
        switch device.kind {
        case .multitouch, .anonymousMultitouch, .singleTouch: true
        case .pen, .unusable: false
        }
    }

    /// - Parameter isElsewhere: whether it is not chosen because its bus is that of another screen.
    private static func verdict(_ candidate: Candidate, isTaken: Bool, isPaired: Bool, isElsewhere: Bool) -> String {
        switch candidate.kind {
        case nil: "not used: \(candidate.error?.message ?? "it could not be queried")"
        case .unusable? where candidate.device?.isKeyboard == true: "a keyboard: [keyboard] says what its keys do"
        case .unusable(let reason)?: "not used: it \(reason)"
        case let kind?:
            isTaken
                ? "used: \(words(kind))\(isPaired ? ", with the touch screen" : "")"
                : "not used: \(words(kind)); another device \(isElsewhere ? "fits this screen better" : "is preferred")"
        }
    }

    private static func words(_ kind: TouchKind) -> String {
        switch kind {
        case .multitouch(let slots): "a multitouch screen (\(slots) \(slots == 1 ? "contact" : "contacts"))"
        case .anonymousMultitouch: "a multitouch screen of protocol A (no slots)"
        case .singleTouch: "a single-touch screen"
        case .pen(isDirect: true): "a pen on a screen"
        case .pen(isDirect: false): "a pen tablet"
        case .unusable(let reason): reason
        }
    }

    private static func eventNumbers(_ directory: String) throws(TouchError) -> [UInt32] {
        let names: [String]
        do throws(Errno) {
            names = try Directory.names(of: directory)
        } catch {
            throw .cannotList(directory: directory, error)
        }
        return names.compactMap { name in
            guard name.hasPrefix("event"), let number = UInt32(name.dropFirst(5)), name == "event\(number)" else {
                return nil
            }
            return number
        }.sorted()
    }
}

/// How likely a pen and a touch screen belong to the same display, by their places and descriptions.
private struct ScreenFit: Comparable {
    enum Bond: Int, Comparable {
        /// No contradiction.
        case possible
        /// Same bus and maker, as the two devices of a pen display, which differ in their product numbers.
        case sameMaker
        case sameController

        static func < (a: Bond, b: Bond) -> Bool { a.rawValue < b.rawValue }
    }

    let bond: Bond
    /// Whether both state their size, and the sizes agree (2) or not (0); 1 otherwise.
    private let sizes: Int
    private let nearness: Int

    /// The greatest relative difference in length between two digitizers of one screen. A Wacom Cintiq 13HD's
    /// differ by 0.02 %; screens of two sizes on sale differ by more than this.
    private static let tolerance = 0.03

    /// - Returns: nil for devices of different controllers whose sizes differ. Devices of one controller may differ,
    ///   because the pen's descriptor may be wrong (wacom-hid-descriptors#97: a tenth); sizes then decide between
    ///   several pens only.
    init?(_ a: DeviceFinder.Candidate, _ b: DeviceFinder.Candidate) {
        guard let pen = a.device, let screen = b.device, let first = pen.positionAxes, let second = screen.positionAxes
        else { return nil }
        let isSameMaker = pen.bus == screen.bus && pen.vendor == screen.vendor
        let isSameProduct = isSameMaker && pen.vendor != 0 && pen.product == screen.product
        bond = a.place.isSame(as: b.place) ?? isSameProduct ? .sameController : isSameMaker ? .sameMaker : .possible
        nearness = a.place.nearness(to: b.place)
        switch (Self.agree(first.x, second.x), Self.agree(first.y, second.y)) {
        case (true?, true?): sizes = 2
        case (false?, _), (_, false?):
            sizes = 0
            if bond != .sameController { return nil }
        case (nil, _), (_, nil): sizes = 1
        }
    }

    static func < (a: ScreenFit, b: ScreenFit) -> Bool {
        (a.bond.rawValue, a.sizes, a.nearness) < (b.bond.rawValue, b.sizes, b.nearness)
    }

    /// Whether two axes have one length; nil if a driver does not know it.
    private static func agree(_ a: AxisInfo, _ b: AxisInfo) -> Bool? {
        guard let first = millimetres(a), let second = millimetres(b) else { return nil }
        return abs(first - second) <= tolerance * max(first, second)
    }

    /// The length of an axis; nil if the driver does not know it.
    private static func millimetres(_ axis: AxisInfo) -> Double? {
        guard axis.resolution > 0, axis.hasRange else { return nil }
        return (Double(axis.maximum) - Double(axis.minimum)) / Double(axis.resolution)
    }
}
