// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What is wrong with a line of JSON.
struct JSONLineError: Error {
    var reason: String
}

/// One line of a journal.
enum JSONLine {
    /// - Parameter line: without its end.
    static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>
    ) throws(JSONLineError) -> Value {
        // Control characters are escaped in JSON's strings, and between values these formats have no space. A decoder
        // that guesses encodings would take some for UTF-16.
        guard line.first == UInt8(ascii: "{"), !line.contains(where: { $0 < 0x20 }) else {
            throw JSONLineError(reason: "no JSON object in one line of UTF-8")
        }
        do {
            return try CheckedJSON.decode(type, from: Data(line))
        } catch let error as DecodingError {
            throw JSONLineError(reason: error.reason)
        } catch {
            throw JSONLineError(reason: "the JSON cannot be decoded (\(error))")
        }
    }
}
