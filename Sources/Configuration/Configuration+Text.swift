// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// All keys with their values, as a file that reads as the same configuration.
    public var text: String {
        var text = ""
        var table: [String] = []
        for key in ConfigurationKey.all {
            if key.table != table {
                table = key.table
                text += (text.isEmpty ? "" : "\n") + "[\(table.joined(separator: "."))]\n"
            }
            text += "\(key.name) = \(key.write(self))\n"
        }
        return text
    }
}
