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

        public init(path: String, device: DeviceDescription) {
            self.path = path
            self.device = device
        }

        public init(path: String, error: TouchError) {
            self.path = path
            self.error = error
        }

        public var kind: TouchKind? { device?.kind }
    }

    /// The chosen devices, and the reason for each device.
    public struct Choice: Equatable, Sendable {
        /// The best device and, if there is one, the pen of its screen; empty if no device is usable.
        public var paths: [String]
        /// One for each device, in order, e.g. "/dev/input/event2 (ft5x06): used: a multitouch screen".
        public var reasons: [String]
    }

    /// Queries every `event*` in a directory, in numeric order. Opens each for a moment, grabs none.
    public static func list(directory: String = "/dev/input") throws(TouchError) -> [Candidate] {
        try eventNumbers(directory).map { number in
            let path = "\(directory)/event\(number)"
            do throws(TouchError) {
                return Candidate(path: path, device: try DeviceDescription.read(path: path))
            } catch {
                return Candidate(path: path, error: error)
            }
        }
    }

    /// Chooses the best device: a multitouch screen before a single-touch one, then a pen on a screen, then a pen
    /// tablet. The first of equals wins. A touch screen is joined by the pen of the same screen, if any: a pen display
    /// has two devices.
    public static func choose(from candidates: [Candidate]) -> Choice {
        var best: (index: Int, rank: Int)?
        for (index, candidate) in candidates.enumerated() {
            guard let kind = candidate.kind, let rank = rank(kind), rank < best?.rank ?? .max else { continue }
            best = (index, rank)
        }
        let pen = best.flatMap { penIndex(for: $0.index, among: candidates) }
        let reasons = candidates.enumerated().map { index, candidate in
            "\(candidate.path)\(candidate.device.map { " (\($0.name))" } ?? ""): "
                + verdict(candidate, isTaken: index == best?.index || index == pen, isPaired: index == pen)
        }
        return Choice(paths: [best?.index, pen].compactMap { $0 }.map { candidates[$0].path }, reasons: reasons)
    }

    /// The pen that fits a touch screen best, the first of equals.
    private static func penIndex(for index: Int, among candidates: [Candidate]) -> Int? {
        guard let screen = candidates[index].device, isTouchScreen(screen) else { return nil }
        let isOnly = candidates.count { $0.device.map(isTouchScreen) ?? false } == 1
        var best: (index: Int, fit: ScreenFit)?
        for (index, candidate) in candidates.enumerated() {
            guard let device = candidate.device, device.kind == .pen(isDirect: true),
                let fit = ScreenFit(device, screen), fit == .sameMaker || isOnly, best.map({ fit > $0.fit }) ?? true
            else { continue }
            best = (index, fit)
        }
        return best?.index
    }

    private static func isTouchScreen(_ device: DeviceDescription) -> Bool {
        switch device.kind {
        case .multitouch, .anonymousMultitouch, .singleTouch: true
        case .pen, .unusable: false
        }
    }

    private static func verdict(_ candidate: Candidate, isTaken: Bool, isPaired: Bool) -> String {
        switch candidate.kind {
        case nil: "not used: \(candidate.error?.message ?? "it could not be queried")"
        case .unusable(let reason)?: "not used: it \(reason)"
        case let kind?:
            isTaken
                ? "used: \(words(kind))\(isPaired ? ", with the touch screen" : "")"
                : "not used: \(words(kind)); another device is preferred"
        }
    }

    private static func rank(_ kind: TouchKind) -> Int? {
        switch kind {
        case .multitouch: 0
        case .anonymousMultitouch: 1
        case .singleTouch: 2
        case .pen(isDirect: true): 3
        case .pen(isDirect: false): 4
        case .unusable: nil
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

/// How likely two devices belong to the same screen, by their descriptions. The kernel does not report which screen a
/// touch device belongs to.
private enum ScreenFit: Int, Comparable {
    /// No contradiction.
    case possible
    /// Same bus and maker, as the two devices of a pen display, which differ in their product numbers.
    case sameMaker

    /// The greatest relative difference in length between two digitizers of one screen. A Wacom Cintiq 13HD's
    /// differ by 0.02 %; screens of two sizes on sale differ by more than this.
    private static let tolerance = 0.03

    /// - Returns: nil if both devices report their size, and the sizes differ.
    init?(_ a: DeviceDescription, _ b: DeviceDescription) {
        guard let first = a.positionAxes, let second = b.positionAxes,
            Self.agree(first.x, second.x), Self.agree(first.y, second.y)
        else { return nil }
        self = a.bus == b.bus && a.vendor == b.vendor ? .sameMaker : .possible
    }

    static func < (a: ScreenFit, b: ScreenFit) -> Bool { a.rawValue < b.rawValue }

    private static func agree(_ a: AxisInfo, _ b: AxisInfo) -> Bool {
        guard let first = millimetres(a), let second = millimetres(b) else { return true }
        return abs(first - second) <= tolerance * max(first, second)
    }

    /// The length of an axis; nil if the driver does not know it.
    private static func millimetres(_ axis: AxisInfo) -> Double? {
        guard axis.resolution > 0, axis.hasRange else { return nil }
        return (Double(axis.maximum) - Double(axis.minimum)) / Double(axis.resolution)
    }
}
