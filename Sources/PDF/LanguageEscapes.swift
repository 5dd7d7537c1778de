// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without the codes of its language, which programs put between two escape characters (ISO 32000-1,
    /// 7.9.2.2): two letters for the language and none or two for the country. Readers do not show them.
    var withoutLanguageEscapes: String {
        let escape: Unicode.Scalar = "\u{1B}"
        guard unicodeScalars.contains(escape) else { return self }
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == escape {
                let code = rest.prefix(while: { $0.isASCII && $0.properties.isAlphabetic || $0 == "-" }).prefix(5)
                let after = rest[code.endIndex...]
                if code.count >= 2, after.first == escape {
                    rest = after.dropFirst()
                    continue
                }
            }
            result.append(scalar)
        }
        return String(result)
    }
}
