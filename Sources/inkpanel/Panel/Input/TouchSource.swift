// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

/// Where a panel's touch devices come from: which there are now. For the main thread.
protocol TouchSource {
    /// Looks at what there is.
    /// - Parameter paths: of the devices that are read already.
    func look(besides paths: Set<String>) -> TouchFindings
}

/// What there is to be read, and what is not wanted any more.
struct TouchFindings {
    /// Opened, and not read yet.
    var found: [any TouchInput] = []
    /// Of the paths that are read: those that others are better than.
    var unwanted: Set<String> = []
    /// Why something that is wanted is not there.
    var faults: [TouchError] = []
}

/// Devices in `/dev/input`.
struct DeviceSource: TouchSource {
    var choice: TouchChoice
    var log: Log

    func look(besides paths: Set<String>) -> TouchFindings {
        switch choice {
        case .best: lookForBest(besides: paths)
        case .device(let path): open([path], besides: paths)
        case .recording: TouchFindings()
        }
    }

    private func lookForBest(besides paths: Set<String>) -> TouchFindings {
        let candidates: [DeviceFinder.Candidate]
        do throws(TouchError) {
            candidates = try DeviceFinder.list()
        } catch {
            return TouchFindings(faults: [error])
        }
        let choice = DeviceFinder.choose(from: candidates)
        if choice.paths.isEmpty {
            // A device that may not be opened is the likelier reason than a panel without one.
            return TouchFindings(faults: candidates.compactMap(\.error).filter(\.isDenied))
        }
        var findings = open(choice.paths, besides: paths)
        // Only when what is better is there.
        if findings.faults.isEmpty { findings.unwanted = paths.subtracting(choice.paths) }
        return findings
    }

    private func open(_ wanted: [String], besides paths: Set<String>) -> TouchFindings {
        var findings = TouchFindings()
        for path in wanted where !paths.contains(path) {
            do throws(TouchError) {
                findings.found.append(try DeviceInput(path: path, log: log))
            } catch {
                findings.faults.append(error)
            }
        }
        return findings
    }
}
