// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// Chooses a display among all graphics cards and opens it.
///
/// Cards are identified by what they can do, never by number: a Raspberry Pi 5 has four, in an order that changes from
/// boot to boot. For the main thread; takes tens of milliseconds if monitors must be probed.
public struct DisplayFinder {
    private let paths: () -> [String]
    private let awaitsUdev: (String) -> Bool
    private let openCard: (String) throws(Errno) -> any ModesettingDevice

    /// Looks at the cards in `/dev/dri`.
    public init() {
        paths = { Self.cardPaths() }
        awaitsUdev = DeviceNode.awaitsUdev
        openCard = { path throws(Errno) in try Card(path: path) }
    }

    /// Looks at `paths`, but does not open a card that udev has not set up yet.
    init(
        paths: [String], awaitsUdev: @escaping (String) -> Bool = { _ in false },
        openCard: @escaping (String) throws(Errno) -> any ModesettingDevice
    ) {
        self.paths = { paths }
        self.awaitsUdev = awaitsUdev
        self.openCard = openCard
    }

    /// The paths of all `card*` in `directory`, by number: `card2` before `card10`.
    static func cardPaths(in directory: String = "/dev/dri") -> [String] {
        let names = (try? Directory.names(of: directory)) ?? []
        let numbers = names.filter { $0.hasPrefix("card") }.compactMap { UInt32($0.dropFirst(4)) }
        return numbers.sorted().map { "\(directory)/card\($0)" }
    }

    /// Lists all cards and connectors and what ``open(_:)`` would use. Every card is closed again.
    public func inventory(for request: DisplayRequest = .best) -> DisplayInventory {
        let (inventory, best) = survey(for: request)
        best?.device.close()
        return inventory
    }

    /// Opens the chosen display with its buffers, ready for ``Display/start(showing:)``.
    public func open(_ request: DisplayRequest = .best) throws(ScreenError) -> KMSDisplay {
        let (inventory, best) = survey(for: request)
        guard let best else { throw error(for: request, inventory) }
        guard best.device.isMaster else {
            best.device.close()
            throw .lostMaster(card: best.device.path)
        }
        return try KMSDisplay(device: best.device, pipeline: best.pipeline)
    }

    private typealias Candidate = (device: any ModesettingDevice, pipeline: DisplayPipeline)

    private func survey(for request: DisplayRequest) -> (DisplayInventory, Candidate?) {
        var inventory = DisplayInventory(cards: [])
        var best: Candidate?
        for path in paths(for: request) {
            let device: any ModesettingDevice
            switch open(path) {
            case .success(let opened): device = opened
            case .failure(let rejection):
                inventory.cards.append(CardReport(path: path, rejection: rejection))
                continue
            }
            let survey = CardSurvey(of: device)
            inventory.cards.append(survey.report)
            let candidates = survey.pipelines.filter { request.admits($0.connector.name, onCard: path) }
            // The first of the best: min(by:) keeps the earlier of equals.
            guard let candidate = candidates.min(by: { $0.rank < $1.rank }),
                candidate.rank < best?.pipeline.rank ?? .max
            else {
                // Close it at once: as long as it is open we are its master and lock others out.
                device.close()
                continue
            }
            best?.device.close()
            best = (device, candidate)
        }
        settleVerdicts(&inventory, request, best)
        return (inventory, best)
    }

    private func open(_ path: String) -> Result<any ModesettingDevice, Rejection> {
        if awaitsUdev(path) { return .failure(.refused(.notInitialized)) }
        do throws(Errno) {
            return .success(try openCard(path))
        } catch {
            let isRefused = error == .permissionDenied || error == .notPermitted
            return .failure(isRefused ? .refused(NodeRefusal(of: path, writing: true)) : .cannotOpen(error))
        }
    }

    private func paths(for request: DisplayRequest) -> [String] {
        if case .card(let path) = request { return [path] }
        return paths()
    }

    /// The survey marks every usable connector as chosen; this leaves only the best one so.
    private func settleVerdicts(_ inventory: inout DisplayInventory, _ request: DisplayRequest, _ best: Candidate?) {
        for card in inventory.cards.indices {
            let path = inventory.cards[card].path
            for index in inventory.cards[card].connectors.indices {
                let connector = inventory.cards[card].connectors[index]
                let isBest = path == best?.device.path && connector.name == best?.pipeline.connector.name
                guard connector.verdict == .chosen, !isBest else { continue }
                let reason: Rejection =
                    if let best, request.admits(connector.name, onCard: path) {
                        .outranked(by: "\(best.pipeline.connector.name) on \(best.device.path)")
                    } else {
                        .notRequested
                    }
                inventory.cards[card].connectors[index].verdict = .rejected(reason)
            }
        }
    }

    /// The error to throw if there is no display to open.
    private func error(for request: DisplayRequest, _ inventory: DisplayInventory) -> ScreenError {
        if inventory.cards.isEmpty { return .noCard }
        if case .card(let path) = request, case .cannotOpen(.noSuchFile)? = inventory.cards[0].rejection {
            return .noSuchDisplay(path, known: paths())
        }
        // If all cards failed for the same reason, such as a user who is not in group video, report that one.
        let first = inventory.cards[0]
        if inventory.cards.allSatisfy({ $0.rejection == first.rejection }) {
            switch first.rejection {
            case .refused(let refusal)?: return .refused(card: first.path, refusal)
            case .cannotOpen(let error)?: return .cannotOpen(card: first.path, error)
            default: break
            }
        }
        guard case .connector(let name) = request else { return .noDisplay(reasons: inventory.reasons) }
        var known: [String] = []
        var requested = inventory
        for card in requested.cards.indices {
            let path = requested.cards[card].path
            known += requested.cards[card].connectors.map { "\($0.name) (\(path))" }
            requested.cards[card].connectors.removeAll { !request.admits($0.name, onCard: path) }
        }
        let exists = requested.cards.contains { !$0.connectors.isEmpty }
        return exists ? .noDisplay(reasons: requested.reasons) : .noSuchDisplay(name, known: known)
    }
}

/// The display that the configuration requests.
public enum DisplayRequest: Equatable, Sendable {
    /// The best connected display.
    case best
    /// A connector by name: `DSI-1`, or `card1-HDMI-A-1` (the name in sysfs) if two cards have an `HDMI-A-1`.
    case connector(String)
    /// The best display on one card, by path; `/dev/dri/by-path/…` survives a reboot.
    case card(String)

    /// - Parameter text: what follows `kms:` on the command line; empty for the best display.
    public init(_ text: String) {
        self = text.isEmpty ? .best : text.hasPrefix("/") ? .card(text) : .connector(text)
    }

    fileprivate func admits(_ connector: String, onCard path: String) -> Bool {
        switch self {
        case .best, .card: true
        case .connector(let name):
            name == connector || name == "\(path.split(separator: "/").last ?? "")-\(connector)"
        }
    }
}
