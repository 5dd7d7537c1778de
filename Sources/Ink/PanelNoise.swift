// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Estimates how far a panel's reports are from the pen, from the reports of a stroke and of those before it.
///
/// The step of the coordinates gives a first estimate: a panel that reports whole units is off by some part of a unit.
/// A panel with fine units may jitter, too. Such noise shows in the scatter of its reports, after 10 of them. Earlier
/// signatures may have shown it already (``Pen/panelScatter``). The estimate from a few samples may be off by half. For
/// an unknown panel the estimate is raised by that much: otherwise ink of a noisy panel would wobble. A clean panel
/// scatters too little for this to matter.
struct PanelNoise {
    /// The time between reports in seconds for which ``InkParameters/scatterRange`` is stated.
    private static let ordinaryPeriod = 1.0 / 60

    private let parameters: InkParameters
    private let pixelsPerMillimetre: Double
    private var step = CoordinateStep()
    private(set) var scatter: Scatter
    private var period = 0.0

    /// - Parameter scatter: of the strokes before.
    init(_ parameters: InkParameters, density: PixelDensity, after scatter: Scatter? = nil) {
        self.parameters = parameters
        self.scatter = scatter ?? Scatter()
        self.scatter.endMovement()
        pixelsPerMillimetre = density.pixelsPerMillimetre
    }

    /// - Parameter period: the mean time between reports in seconds.
    mutating func add(_ position: Point, period: Double) {
        step.add(position)
        scatter.add(position)
        self.period = period
    }

    /// The standard deviation of a coordinate, in pixels; above 0.
    var deviation: Double {
        max(parameters.noisePerStep * step.size, parameters.leastNoise * pixelsPerMillimetre, believedScatter)
    }

    /// The part of the scatter that is noise.
    private var believedScatter: Double {
        let (sure, none) = (parameters.scatterPeriod.lowerBound, parameters.scatterPeriod.upperBound)
        guard period < none else { return 0 }
        let rate = period > sure ? (none - period) / (none - sure) : 1
        // Writing scatters the less the more often it is reported.
        let share = min(max(period / Self.ordinaryPeriod, parameters.leastScatterRange), 1)
        let (least, full) = (share * parameters.scatterRange.lowerBound, share * parameters.scatterRange.upperBound)
        let scattered = scatteredMillimetres
        let size = scattered >= full ? 1 : max(0, (scattered - least) / (full - least))
        return parameters.noisePerScatter * min(scattered, parameters.mostScatter) * pixelsPerMillimetre * size * rate
    }
}

extension PanelNoise {
    /// The scatter in mm. The known scatter of the panel counts within the range that these strokes allow: another
    /// panel under the same name is noticed within a signature. The measured scatter of an unknown panel is raised by
    /// its doubt.
    private var scatteredMillimetres: Double {
        let known = parameters.knownScatter
        guard let deviation = scatter.deviation else { return known ?? 0 }
        let own = deviation / pixelsPerMillimetre
        let doubt = parameters.scatterDoubt / Double(scatter.count).squareRoot()
        guard let known else { return own * (1 + doubt) }
        return min(max(known, own * (1 - doubt)), own * (1 + parameters.contradictingDoubt * doubt))
    }
}

/// The scatter of a device's samples, from all its strokes, to be known when the next one begins
/// (``Pen/panelScatter``).
public struct ScatterHistory: Sendable {
    /// The number of differences after which the estimate is usable: a second of writing.
    private static let leastDifferences = 60
    /// The number after which the estimate is better than an earlier one: two signatures.
    private static let sureDifferences = 240
    /// More differences count half, so that the history forgets: noise changes with chargers and gloves.
    private static let mostDifferences = 8192
    /// Steps of ``millimetres`` per millimetre, so that records have short numbers.
    private static let steps = 1000.0

    /// The scatter of all strokes, in millimetres.
    private var scatter = Scatter()
    /// ``millimetres`` of an earlier history.
    private let earlier: Double?

    /// - Parameter earlier: ``millimetres`` of an earlier history of this device, which counts until this one is sure.
    public init(after earlier: Double? = nil) { self.earlier = earlier }

    /// Adds a stroke, unless it has few reports a second: writing scatters there without any noise.
    /// - Parameters:
    ///   - samples: in pixels.
    ///   - density: of the page.
    public mutating func add(_ samples: [Sample], density: PixelDensity) {
        guard let first = samples.first, let last = samples.last else { return }
        let seconds = last.time.seconds(since: first.time)
        guard seconds <= InkParameters().scatterPeriod.lowerBound * Double(samples.count) else { return }
        for sample in samples { scatter.add(sample.position * (1 / density.pixelsPerMillimetre)) }
        scatter.endMovement()
        if scatter.count > Self.mostDifferences { scatter.halve() }
    }

    /// The standard deviation of a coordinate about a smooth movement, in thousandths of a millimetre; nil while there
    /// are few samples. Quick writing without noise has up to 0.07 at 60 reports a second, which the pen allows for.
    public var millimetres: Double? {
        let least = earlier == nil ? Self.leastDifferences : Self.sureDifferences
        guard scatter.count >= least, let deviation = scatter.deviation else { return earlier }
        return (deviation * Self.steps).rounded() / Self.steps
    }
}

/// The step of a panel's coordinates: the greatest common divisor of all differences between samples, for each axis. A
/// few samples are enough: two random multiples of a step share no other divisor in six of ten cases.
struct CoordinateStep {
    /// Remainders up to this, in pixels, are 0: rounding in files with three digits.
    private static let rounding = 0.03
    /// More of it for each time that the smaller number, which was rounded too, goes into the larger one. Without a
    /// step, because coordinates were rotated or scaled, the divisor ends at some tenths of a pixel: about the error of
    /// a good panel.
    private static let roundingPerMultiple = 0.015

    private var last: Point?
    private var stepX = 0.0
    private var stepY = 0.0

    /// The larger step of both axes in pixels; 0 before any movement.
    var size: Double { max(stepX, stepY) }

    mutating func add(_ position: Point) {
        defer { last = position }
        guard let last else { return }
        stepX = Self.divisor(stepX, abs(position.x - last.x))
        stepY = Self.divisor(stepY, abs(position.y - last.y))
    }

    /// Euclid's algorithm, for numbers that are nearly multiples of something.
    private static func divisor(_ a: Double, _ b: Double) -> Double {
        var (large, small) = a > b ? (a, b) : (b, a)
        while small > rounding {
            let multiple = (large / small).rounded()
            let rest = abs(large - small * multiple)
            if rest < rounding + roundingPerMultiple * multiple { return small }
            (large, small) = (small, rest)
        }
        return large
    }
}

/// The scatter of positions about a smooth movement.
///
/// The sixth difference of neighbouring positions is about 30 times the deviation of noise. At 60 reports a second it
/// has 1/20 of a movement of 6 Hz and all of one of 10 Hz. It is large at cusps, too, so the lower fifth of all
/// differences counts: it lies where the pen moves smoothly. All lengths are in the unit of the positions.
struct Scatter {
    /// The number of differences after which the estimate is usable.
    private static let leastCount = 4
    /// The share of the differences below the one that counts.
    private static let share = 0.2
    /// The squared coefficients of the sixth difference, summed: the variance of the difference of noise of variance 1.
    private static let differenceVariance = 924.0
    /// -ln(1 - share): the squared length of a vector of two normal coordinates of variance 1/2 is below it with
    /// probability `share`.
    private static let quantile = 0.22314355131420976

    /// The variances by single differences, from 2^-20 to 2^20, are counted in steps of a quarter octave, by the
    /// first bits of their floating-point numbers.
    private static let binBits: UInt64 = 50
    private static let firstBin = UInt64((1023 - 20) << 2)
    private static let binCount = 160

    /// The last positions, at most 7.
    private var recent: [Point] = []
    private var counts = [UInt32](repeating: 0, count: binCount)
    private(set) var count = 0

    /// The memory that it takes.
    var byteCount: Int { Self.binCount * MemoryLayout<UInt32>.stride + 7 * MemoryLayout<Point>.stride }

    /// Forgets the positions: the next one belongs to another stroke.
    mutating func endMovement() { recent = [] }

    /// Halves the weight of the differences before.
    mutating func halve() {
        for bin in counts.indices { counts[bin] /= 2 }
        count = counts.reduce(0) { $0 + Int($1) }
    }

    mutating func add(_ position: Point) {
        if recent.count == 7 { recent.removeFirst() }
        recent.append(position)
        guard recent.count == 7 else { return }
        let ends = recent[0] + recent[6] - (recent[1] + recent[5]) * 6
        let difference = ends + (recent[2] + recent[4]) * 15 - recent[3] * 20
        let bits = (difference.squaredLength / (2 * Self.differenceVariance)).bitPattern >> Self.binBits
        counts[Int(min(bits - min(bits, Self.firstBin), UInt64(Self.binCount - 1)))] += 1
        count += 1
    }

    /// The standard deviation of a coordinate; nil while there are few samples.
    var deviation: Double? {
        guard count >= Self.leastCount else { return nil }
        var missing = Double(count) * Self.share
        for (bin, count) in counts.enumerated() where count > 0 {
            guard missing > Double(count) else {
                let (start, end) = (Self.start(ofBin: bin), Self.start(ofBin: bin + 1))
                return ((start + (end - start) * missing / Double(count)) / Self.quantile).squareRoot()
            }
            missing -= Double(count)
        }
        return nil
    }

    private static func start(ofBin bin: Int) -> Double {
        Double(bitPattern: (firstBin + UInt64(bin)) << binBits)
    }
}
