// SPDX-License-Identifier: Apache-2.0

/// Results as a table for people or as lines of JSON for programs.
struct BenchTable {
    struct Column {
        /// Heading of the column in the table.
        var title: String
        /// Member name in JSON.
        var key: String
        var decimals = 0
    }

    enum Value {
        case text(String)
        case number(Double)
    }

    /// Value of the member `bench` in JSON.
    var name: String
    /// Line above the table.
    var heading: String
    var columns: [Column]
    var rows: [[Value]] = []

    /// The table, text aligned left and numbers right.
    var text: String {
        let cells = [columns.map(\.title)] + rows.map { row in zip(row, columns).map { plain($0, $1) } }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { line in
            columns.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - line[column].count)
                return isText(column) ? line[column] + space : space + line[column]
            }.joined(separator: "  ")
        }
        return heading + "\n" + lines.map { "  " + $0 + "\n" }.joined()
    }

    /// One JSON object a row.
    var jsonLines: String {
        rows.map { row in
            let members = zip(row, columns).map { value, column in
                if case .text(let text) = value { return "\"\(column.key)\":\"\(Self.escaped(text))\"" }
                return "\"\(column.key)\":\(plain(value, column))"
            }
            return "{\"bench\":\"\(name)\",\(members.joined(separator: ","))}\n"
        }.joined()
    }

    private func isText(_ column: Int) -> Bool {
        if case .text = rows.first?[column] { return true }
        return false
    }

    private func plain(_ value: Value, _ column: Column) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): Self.fixed(number, decimals: column.decimals)
        }
    }

    /// The number with a fixed count of decimals, independent of the locale.
    static func fixed(_ value: Double, decimals: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let units = Int64(exactly: (value.magnitude * Double(scale)).rounded()) else { return "0" }
        let sign = value < 0 && units > 0 ? "-" : ""
        if decimals == 0 { return sign + "\(units)" }
        let fraction = String(units % scale)
        return sign + "\(units / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            // File names may hold control characters.
            case "\u{0}"..."\u{1F}": result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Measured values and their statistics. Without values every statistic is 0.
struct Distribution {
    private let sorted: [Double]

    init(_ values: some Sequence<Double>) { sorted = values.sorted() }

    var count: Int { sorted.count }

    /// The smallest value that at least this share (0...1) of the values does not exceed.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(max(Int((Double(count) * share).rounded(.up)), 1), count) - 1]
    }

    var rootMeanSquare: Double {
        sorted.isEmpty ? 0 : (sorted.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    }

    var mean: Double { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Double(count) }
    var minimum: Double { sorted.first ?? 0 }
    var maximum: Double { sorted.last ?? 0 }
}
