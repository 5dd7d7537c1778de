// SPDX-License-Identifier: Apache-2.0
public import Document
import Geometry
import Linux

/// Draws pages and finds texts with poppler's programs, one process for each call. Any thread, which must ignore
/// SIGPIPE.
public struct PDFRenderer: Sendable {
    /// The folder of poppler's programs.
    public var folder: String
    /// The time of ``MonotonicClock/nanoseconds`` at which a program that still runs is killed.
    public var deadline: Int64

    static let package = "poppler-utils"

    public init(folder: String = "/usr/bin", deadline: Int64) {
        self.folder = folder
        self.deadline = deadline
    }

    /// The version that poppler's program states, such as `22.12.0`; nil without poppler.
    public var version: String? {
        let program = FilterProgram(path: folder + "/pdftoppm", arguments: ["-v"], environment: Self.environment)
        guard let outcome = try? program.outcome(input: [], mostOutput: 0, deadline: deadline) else { return nil }
        let message = String(decoding: outcome.message, as: UTF8.self)
        return message.hasPrefix("pdftoppm version ") ? message.split(separator: " ").last.map(String.init) : nil
    }

    static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent"]

    /// Draws a page as a PPM file.
    public func render(
        _ rendering: HelperRequest.Rendering, of document: [UInt8]
    ) throws(PDFError) -> PagePicture {
        try draw(rendering, of: "-", input: document, options: ["-q"]).picture
    }

    /// Draws a page.
    /// - Parameters:
    ///   - path: the document's file; `-` for the input.
    ///   - options: further ones; without `-q`, the program says what it could not draw.
    /// - Returns: the picture as a PPM file, and what the program says.
    func draw(
        _ rendering: HelperRequest.Rendering, of path: String, input: [UInt8] = [], options: [String] = []
    ) throws(PDFError) -> (picture: PagePicture, messages: [UInt8]) {
        // The size in pixels, never a density: a page may be very large.
        var arguments = [
            "-cropbox", "-scale-dimension-before-rotation", "-singlefile", "-f", "\(rendering.page)", "-l",
            "\(rendering.page)",
            "-scale-to-x", "\(rendering.size.width)", "-scale-to-y", "\(rendering.size.height)",
        ]
        if let crop = rendering.crop {
            arguments += [
                "-x", "\(crop.minX)", "-y", "\(crop.minY)", "-W", "\(crop.width)", "-H", "\(crop.height)",
            ]
        }
        let outcome: FilterProgram.Outcome
        do throws(PDFError) {
            outcome = try self.outcome(
                "pdftoppm", options + arguments + [path], input, doing: "draw page \(rendering.page)",
                mostOutput: PagePicture.byteCount(of: rendering.pictureSize))
        } catch {
            // pdftoppm(1): status 99 is "Other error", for example if the page does not exist.
            if case .failed(_, "pdftoppm ended with status 99") = error { throw .noPage(rendering.page) }
            throw error
        }
        // pdftoppm reports success and writes no bytes if it cannot draw.
        do throws(HelperResultFault) {
            return (try PagePicture(file: outcome.output, size: rendering.pictureSize), outcome.errors)
        } catch {
            throw outcome.output.isEmpty
                ? .noPage(rendering.page) : .failed(doing: "draw page \(rendering.page)", reason: "\(error)")
        }
    }

    /// Runs a program of poppler.
    func run(
        _ name: String, _ arguments: [String], _ document: [UInt8], doing: String, mostOutput: Int
    ) throws(PDFError) -> [UInt8] {
        try outcome(name, arguments, document, doing: doing, mostOutput: mostOutput).output
    }

    private func outcome(
        _ name: String, _ arguments: [String], _ document: [UInt8], doing: String, mostOutput: Int
    ) throws(PDFError) -> FilterProgram.Outcome {
        let program = FilterProgram(
            path: folder + "/" + name, arguments: arguments, environment: Self.environment)
        let outcome = try program.outcome(
            name, of: Self.package, input: document, doing: doing, mostOutput: mostOutput, deadline: deadline)
        switch outcome.end {
        case .status(0): return outcome
        case .status(let status): throw .failed(doing: doing, reason: "\(name) ended with status \(status)")
        case .signal(let signal): throw .failed(doing: doing, reason: "\(name) was killed by signal \(signal)")
        }
    }
}

extension FilterProgram {
    /// Runs the program to its end, however it ends.
    /// - Parameters:
    ///   - name: of the program, for people.
    ///   - package: in which it is.
    ///   - doing: what it is to do, after "cannot".
    func outcome(
        _ name: String, of package: String, input: [UInt8], doing: String, mostOutput: Int, deadline: Int64
    ) throws(PDFError) -> Outcome {
        do throws(Failure) {
            return try outcome(input: [input], mostOutput: mostOutput, deadline: deadline)
        } catch {
            switch error {
            case .notStarted(.noSuchFile): throw .missingProgram(name: name, package: package)
            case .tooSlow, .stopped: throw .tooSlow(doing: doing)
            case .tooLong: throw .failed(doing: doing, reason: "\(name) writes too much")
            case .ended(let status): throw .failed(doing: doing, reason: "\(name) ended with status \(status)")
            case .killed(let signal): throw .failed(doing: doing, reason: "\(name) was killed by signal \(signal)")
            case .notStarted(let error), .failed(let error):
                throw .failed(doing: doing, reason: "\(name): \(error)")
            }
        }
    }
}
