// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Pad

/// Speaks with two programs: espeak-ng makes a sound of a text, and aplay plays it. The same text is always the same
/// sound.
///
/// espeak-ng is a program of its own because of its licence, the GNU GPL 3, and so that nothing in it reaches the
/// panel.
public struct Voice: Sendable {
    public var output: SpeechOutput
    /// The paths of the programs.
    public var speaker = "/usr/bin/espeak-ng"
    public var player = "/usr/bin/aplay"
    /// The environment of the player: items of the form NAME=VALUE.
    public var environment: [String] = []
    var cards = SoundCards()

    public init(_ output: SpeechOutput) { self.output = output }

    /// The device of ALSA; nil if nothing can be heard. Reads a few names in `/sys`, and does not block.
    public var device: String? {
        if output == .off || access(speaker, X_OK) != 0 || access(player, X_OK) != 0 { return nil }
        return switch output {
        case .off: nil
        case .headset: cards.output { $0.isHeadset }
        case .usb: cards.output { _ in true }
        case .device(let name): name
        }
    }

    /// The sound of a text: a WAV file of one channel with 22,050 samples of 16 bits a second. Blocks.
    /// - Parameter stop: ends it before its time.
    func sound(of utterance: Utterance, stop: Exchange.Stop?) throws(VoiceFault) -> [UInt8] {
        let arguments = [
            "-b", "1", "-v", utterance.language.voice, "-a", "\(utterance.volume.amplitude)",
            "-s", "\(utterance.rate.wordsPerMinute)", "--stdin", "--stdout",
        ]
        let text = Array(Self.readable(utterance.text).utf8)
        return try run(FilterProgram(path: speaker, arguments: arguments), [text], seconds: 20, stop: stop)
    }

    /// Plays a WAV file to its end. Blocks.
    func play(_ sound: [UInt8], on device: String, stop: Exchange.Stop?) throws(VoiceFault) {
        let program = FilterProgram(path: player, arguments: ["-q", "-D", device, "-"], environment: environment)
        _ = try run(program, [sound], seconds: 10 + Int64(sound.count / Self.bytesPerSecond), stop: stop)
    }

    private static let bytesPerSecond = 44_100
    /// Ten minutes of sound.
    private static let longestSound = 600 * bytesPerSecond

    private func run(
        _ program: FilterProgram, _ input: [[UInt8]], seconds: Int64, stop: Exchange.Stop?
    ) throws(VoiceFault) -> [UInt8] {
        let name = program.path
        let outcome: FilterProgram.Outcome
        do throws(FilterProgram.Failure) {
            outcome = try program.outcome(
                input: input, mostOutput: Self.longestSound,
                deadline: MonotonicClock.nanoseconds + seconds * 1_000_000_000, stop: stop)
        } catch {
            switch error {
            case .stopped: throw .stopped
            case .notStarted(let reason): throw .failed("\(name): \(reason)")
            case .tooSlow: throw .failed("\(name) did not end")
            case .tooLong, .ended, .killed, .failed: throw .failed("\(name) failed")
            }
        }
        if outcome.end == .status(0) { return outcome.output }
        // ALSA's library writes lines of its own before the program's.
        let message = outcome.errors.split(separator: UInt8(ascii: "\n")).last?.prefix(500) ?? []
        throw .failed("\(name): \(String(decoding: message, as: UTF8.self))")
    }

    /// The text as espeak-ng gets it: without the double brackets in which it reads phonemes instead of words, and with
    /// a comma for the point between the parts of a label.
    static func readable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "[", scalars.last == "[" { scalars.append(" ") }
            scalars.append(scalar == "\u{B7}" ? "," : scalar)
        }
        return String(scalars)
    }
}

/// Why nothing was heard.
enum VoiceFault: Error, Equatable {
    /// The sound was stopped before its end, because other actions wait or the thread ends.
    case stopped
    case failed(String)
}

extension SpeechVolume {
    /// espeak-ng's amplitude: each step halves it, which is 6 dB.
    fileprivate var amplitude: Int {
        switch self {
        case .quietest: 12
        case .quiet: 25
        case .medium: 50
        case .loud: 100
        }
    }
}

extension SpeechRate {
    fileprivate var wordsPerMinute: Int {
        switch self {
        case .slow: 110
        case .usual: 165
        case .fast: 240
        }
    }
}

extension MessageTable.Language {
    /// The name of espeak-ng's voice.
    var voice: String {
        switch self {
        case .simplifiedChinese, .traditionalChinese: "cmn"
        default: rawValue
        }
    }
}
