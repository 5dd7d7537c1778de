// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Linux

/// Looks through all cards for the display to use.
///
/// Cards are told apart by what they can do, never by number: on a Raspberry Pi 5 there are four, in an order that
/// changes from boot to boot. For the main thread; takes tens of milliseconds where monitors must be asked.
public struct DisplayFinder {
    private let paths: () -> [String]
    private let awaitsUdev: (String) -> Bool
    private let openCard: (String) throws(Errno) -> any ModesettingDevice

    /// Looks at the cards in `/dev/dri`.
    public init() {
        paths = { CardList.paths() }
        awaitsUdev = DeviceNode.awaitsUdev
        openCard = { path throws(Errno) in try Card(path: path) }
    }

    /// Looks at `paths`, opened with `openCard` unless udev is still to set them up.
    public init(
        paths: [String], awaitsUdev: @escaping (String) -> Bool = { _ in false },
        openCard: @escaping (String) throws(Errno) -> any ModesettingDevice
    ) {
        self.paths = { paths }
        self.awaitsUdev = awaitsUdev
        self.openCard = openCard
    }

    /// What there is and what ``open(_:)`` would use. Every card is closed again.
    public func inventory(for request: DisplayRequest = .best) -> DisplayInventory {
        let (inventory, best) = survey(for: request)
        best?.device.close()
        return inventory
    }

    /// Opens the display to use, with its buffers, ready for ``Display/start(showing:)``.
    public func open(_ request: DisplayRequest = .best) throws(ScreenError) -> KMSDisplay {
        let (inventory, best) = survey(for: request)
        guard let best else { throw reason(for: request, inventory) }
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
            do throws(Refusal) {
                device = try open(path)
            } catch {
                var report = CardReport(path: path)
                report.passedOver = error.reason
                inventory.cards.append(report)
                continue
            }
            let survey = CardSurvey(of: device)
            inventory.cards.append(survey.report)
            let candidates = survey.pipelines.filter { request.admits($0.connector.name, onCard: path) }
            // The first of the best: min(by:) keeps the earlier of equals.
            guard let candidate = candidates.min(by: { $0.rank < $1.rank }),
                candidate.rank < best?.pipeline.rank ?? .max
            else {
                // At once: while it is open we are its master and keep others from it.
                device.close()
                continue
            }
            best?.device.close()
            best = (device, candidate)
        }
        settleVerdicts(&inventory, request, best)
        return (inventory, best)
    }

    private struct Refusal: Error { let reason: PassedOver }

    private func open(_ path: String) throws(Refusal) -> any ModesettingDevice {
        if awaitsUdev(path) { throw Refusal(reason: .refused(.notInitialized)) }
        do throws(Errno) {
            return try openCard(path)
        } catch {
            let isRefused = error == .permissionDenied || error == .notPermitted
            throw Refusal(reason: isRefused ? .refused(NodeRefusal(of: path, writing: true)) : .cannotOpen(error))
        }
    }

    private func paths(for request: DisplayRequest) -> [String] {
        if case .card(let path) = request { return [path] }
        return paths()
    }

    /// The survey calls every usable connector chosen; only one is.
    private func settleVerdicts(_ inventory: inout DisplayInventory, _ request: DisplayRequest, _ best: Candidate?) {
        for card in inventory.cards.indices {
            let path = inventory.cards[card].path
            for index in inventory.cards[card].connectors.indices {
                let connector = inventory.cards[card].connectors[index]
                let isBest = path == best?.device.path && connector.name == best?.pipeline.connector.name
                guard connector.verdict == .chosen, !isBest else { continue }
                let reason: PassedOver =
                    if let best, request.admits(connector.name, onCard: path) {
                        .outranked(by: "\(best.pipeline.connector.name) on \(best.device.path)")
                    } else {
                        .notRequested
                    }
                inventory.cards[card].connectors[index].verdict = .passedOver(reason)
            }
        }
    }

    /// Why there is nothing to open.
    private func reason(for request: DisplayRequest, _ inventory: DisplayInventory) -> ScreenError {
        if inventory.cards.isEmpty { return .noCard }
        if case .card(let path) = request, case .cannotOpen(.noSuchFile)? = inventory.cards[0].passedOver {
            return .noSuchDisplay(path, known: paths())
        }
        // One reason for all, as when the user is not in group video: that is the news, not what each card said.
        let first = inventory.cards[0]
        if inventory.cards.allSatisfy({ $0.passedOver == first.passedOver }) {
            switch first.passedOver {
            case .refused(let refusal)?: return .refused(card: first.path, refusal)
            case .cannotOpen(let error)?: return .cannotOpen(card: first.path, error)
            default: break
            }
        }
        guard case .connector(let name) = request else { return .noDisplay(reasons: inventory.reasons) }
        var known: [String] = []
        var asked = inventory
        for card in asked.cards.indices {
            let path = asked.cards[card].path
            known += asked.cards[card].connectors.map { "\($0.name) (\(path))" }
            asked.cards[card].connectors.removeAll { !request.admits($0.name, onCard: path) }
        }
        let exists = asked.cards.contains { !$0.connectors.isEmpty }
        return exists ? .noDisplay(reasons: asked.reasons) : .noSuchDisplay(name, known: known)
    }
}
