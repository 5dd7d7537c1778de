// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import JSON

/// The line that begins an answer of the helper. The pad checks this line and all bytes after it: a document may have
/// taken over the helper.
public enum HelperAnswer: Equatable, Sendable {
    /// The result follows the line, in `byteCount` bytes.
    case body(byteCount: Int)
    /// The helper refuses the request. No bytes follow the line.
    case refusal(DocumentFault)

    private struct Members: Codable {
        var ok: Bool?
        var size: Int?
        var error: String?
        var reason: String?
    }

    /// The line, with its end.
    public var line: [UInt8] {
        let members =
            switch self {
            case .body(let count): Members(ok: true, size: count)
            case .refusal(let fault): Members(error: fault.name.rawValue, reason: fault.reason)
            }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail: no member is a number that JSON lacks, such as infinity.
        return ((try? encoder.encode(members)).map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// Reads a line, without its end.
    /// - Parameter longest: the most bytes that may follow.
    /// - Returns: nil if the line does not begin an answer.
    public init?(line: some Collection<UInt8>, longest: Int) {
        guard line.count < HelperLimits.answerLine, let value = try? JSONValue(line),
            let members = try? value.decode(Members.self)
        else { return nil }
        switch (members.ok, members.size, members.error) {
        case (true, let size?, nil):
            guard (0...longest).contains(size) else { return nil }
            self = .body(byteCount: size)
        case (nil, nil, let name?):
            guard let name = DocumentFault.Name(rawValue: name) else { return nil }
            self = .refusal(DocumentFault(name, members.reason ?? ""))
        default: return nil
        }
    }
}

extension HelperAnswer {
    /// Reads a whole answer.
    /// - Parameter longest: the most bytes that may follow the line.
    /// - Returns: what follows the line, or the refusal.
    public static func read(
        _ answer: [UInt8], longest: Int
    ) throws(HelperResultFault) -> Result<[UInt8], DocumentFault> {
        guard let end = answer.prefix(HelperLimits.answerLine).firstIndex(of: UInt8(ascii: "\n")),
            let head = HelperAnswer(line: answer[..<end], longest: longest)
        else { throw HelperResultFault("its line cannot be read") }
        let rest = answer.count - end - 1
        switch head {
        case .refusal(let fault):
            guard rest == 0 else { throw HelperResultFault("something follows a refusal") }
            return .failure(fault)
        case .body(let count):
            guard rest == count else { throw HelperResultFault("it has \(rest) bytes instead of \(count)") }
            return .success(Array(answer[(end + 1)...]))
        }
    }
}

/// Why the helper does not do something.
public struct DocumentFault: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Name: String, CaseIterable, Sendable {
        case badRequest, encrypted, damaged, xfa, tooLarge, noPages, tooManyPages, pageTooLarge, tooComplex, noPage,
            fieldNotFound, field, changesForbidden, missingProgram, tooSlow, picture, failed
    }

    public var name: Name
    /// The reason in words for people: what is wrong and what to do.
    public var reason: String

    /// - Parameter reason: it is cut after 500 characters, and control characters become spaces.
    public init(_ name: Name, _ reason: String) {
        self.name = name
        self.reason = PlainText.printable(reason, atMost: 500)
    }

    public var description: String { reason.isEmpty ? name.rawValue : reason }
}

/// Texts from documents, made safe to show to people.
public enum PlainText {
    /// The text, cut after `length` Unicode scalars, with a space in place of each character that is invisible or
    /// changes the direction of others.
    public static func printable(_ text: String, atMost length: Int) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(length) {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                result.unicodeScalars.append(" ")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
