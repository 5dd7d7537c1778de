// SPDX-License-Identifier: Apache-2.0
import Linux

/// How long a workload takes to fill, by the clock on the wall.
struct FillTimes {
    /// Nanoseconds for all fills, once for each repetition.
    let lists: Distribution
    /// Nanoseconds of single fills, for each the median of its repetitions; nil for lists so long that a repetition
    /// says the same.
    let fills: Distribution?

    /// Lists shorter than this have ``fills``.
    static let longList = 1000
    /// What is wanted for each workload when the number of repetitions is not.
    private static let wantedNanoseconds: Int64 = 2_000_000_000
    private static let leastRepetitions = 5
    private static let mostRepetitions = 100_000
    /// The times of single fills: 600 fills are five megabytes.
    private static let mostSingleRepetitions = 1000

    /// The page is white before each repetition, which is not in the times. One more before them warms up.
    /// - Parameter repetitions: at least 1; nil is as many as fit in two seconds, five at least.
    init(of polygons: inout PolygonFills, repetitions: Int?) {
        let fitting = Int(Self.wantedNanoseconds / max(Self.list(of: &polygons), 1))
        let count = repetitions ?? min(max(fitting, Self.leastRepetitions), Self.mostRepetitions)
        var times: [Double] = []
        times.reserveCapacity(count)
        for _ in 0..<count { times.append(Double(Self.list(of: &polygons))) }
        lists = Distribution(times)
        let isLong = polygons.count >= Self.longList
        fills = isLong ? nil : Self.singleFills(of: &polygons, repetitions: min(count, Self.mostSingleRepetitions))
    }

    private static func list(of polygons: inout PolygonFills) -> Int64 {
        polygons.clear()
        let start = MonotonicClock.nanoseconds
        polygons.fillAll()
        return MonotonicClock.nanoseconds - start
    }

    private static func singleFills(of polygons: inout PolygonFills, repetitions: Int) -> Distribution {
        var times = [[Double]](repeating: [], count: polygons.count)
        for index in times.indices { times[index].reserveCapacity(repetitions) }
        for _ in 0..<repetitions {
            polygons.clear()
            for index in times.indices {
                let start = MonotonicClock.nanoseconds
                polygons.fill(index)
                times[index].append(Double(MonotonicClock.nanoseconds - start))
            }
        }
        return Distribution(times.map { Distribution($0).percentile(0.5) })
    }
}
