// SPDX-License-Identifier: Apache-2.0

extension MessageTable {
    /// A language that the program includes. The raw value is its BCP 47 tag and the name of its file in `Strings`,
    /// which Package.swift lists.
    public enum Language: String, Sendable, CaseIterable {
        case arabic = "ar"
        case bulgarian = "bg"
        case czech = "cs"
        case danish = "da"
        case german = "de"
        case greek = "el"
        case english = "en"
        case spanish = "es"
        case estonian = "et"
        case finnish = "fi"
        case french = "fr"
        case irish = "ga"
        case hebrew = "he"
        case hindi = "hi"
        case croatian = "hr"
        case hungarian = "hu"
        case italian = "it"
        case japanese = "ja"
        case korean = "ko"
        case lithuanian = "lt"
        case latvian = "lv"
        case maltese = "mt"
        case norwegian = "nb"
        case dutch = "nl"
        case polish = "pl"
        case portuguese = "pt"
        case romanian = "ro"
        case russian = "ru"
        case slovak = "sk"
        case slovenian = "sl"
        case swedish = "sv"
        case turkish = "tr"
        case ukrainian = "uk"
        case simplifiedChinese = "zh-Hans"
        case traditionalChinese = "zh-Hant"

        /// The best match for a BCP 47 tag, such as German for `de-AT`: lookup as in RFC 4647, section 3.4. Case does
        /// not matter, and `_` may replace `-`. nil for a language that the program does not have.
        public init?(tag: String) {
            // Longer ones are no tags of languages, and would take long.
            guard tag.utf8.count <= 255 else { return nil }
            var subtags = tag.lowercased().split(separator: "_", omittingEmptySubsequences: false)
                .joined(separator: "-").split(separator: "-", omittingEmptySubsequences: false)
            while !subtags.isEmpty {
                if let language = Self.withTag[subtags.joined(separator: "-")] {
                    self = language
                    return
                }
                subtags.removeLast()
                // A single letter only introduces the subtags after it.
                if subtags.last?.count == 1 { subtags.removeLast() }
            }
            return nil
        }

        /// The tags of all languages, for people.
        public static var allTags: String { allCases.map(\.rawValue).joined(separator: ", ") }

        private static let withTag: [String: Language] = {
            let own = allCases.map { ($0.rawValue.lowercased(), $0) }
            return Dictionary(own, uniquingKeysWith: { first, _ in first }).merging(aliases) { own, _ in own }
        }()

        /// Older and wider tags, and the script that Chinese has in a place that names none.
        private static let aliases: [String: Language] = [
            "no": .norwegian, "nn": .norwegian, "iw": .hebrew, "mo": .romanian,
            "zh": .simplifiedChinese, "cmn": .simplifiedChinese, "cmn-hans": .simplifiedChinese,
            "zh-tw": .traditionalChinese, "zh-hk": .traditionalChinese, "zh-mo": .traditionalChinese,
            "zh-cht": .traditionalChinese, "cmn-hant": .traditionalChinese, "yue": .traditionalChinese,
            "zh-yue": .traditionalChinese, "yue-hans": .simplifiedChinese,
        ]
    }

    public init(_ language: Language) {
        do {
            self = try MessageTable(parsing: Self.source(of: language))
            self.language = language
        } catch {
            preconditionFailure("the messages in \(language.rawValue) that are part of the program: \(error)")
        }
    }

    /// The message file of the language, also a template for translations.
    public static func source(of language: Language) -> String {
        String(decoding: bytes(of: language), as: UTF8.self)
    }

    private static func bytes(of language: Language) -> [UInt8] {
        switch language {
        case .arabic: PackageResources.ar_messages
        case .bulgarian: PackageResources.bg_messages
        case .czech: PackageResources.cs_messages
        case .danish: PackageResources.da_messages
        case .german: PackageResources.de_messages
        case .greek: PackageResources.el_messages
        case .english: PackageResources.en_messages
        case .spanish: PackageResources.es_messages
        case .estonian: PackageResources.et_messages
        case .finnish: PackageResources.fi_messages
        case .french: PackageResources.fr_messages
        case .irish: PackageResources.ga_messages
        case .hebrew: PackageResources.he_messages
        case .hindi: PackageResources.hi_messages
        case .croatian: PackageResources.hr_messages
        case .hungarian: PackageResources.hu_messages
        case .italian: PackageResources.it_messages
        case .japanese: PackageResources.ja_messages
        case .korean: PackageResources.ko_messages
        case .lithuanian: PackageResources.lt_messages
        case .latvian: PackageResources.lv_messages
        case .maltese: PackageResources.mt_messages
        case .norwegian: PackageResources.nb_messages
        case .dutch: PackageResources.nl_messages
        case .polish: PackageResources.pl_messages
        case .portuguese: PackageResources.pt_messages
        case .romanian: PackageResources.ro_messages
        case .russian: PackageResources.ru_messages
        case .slovak: PackageResources.sk_messages
        case .slovenian: PackageResources.sl_messages
        case .swedish: PackageResources.sv_messages
        case .turkish: PackageResources.tr_messages
        case .ukrainian: PackageResources.uk_messages
        case .simplifiedChinese: PackageResources.zh_Hans_messages
        case .traditionalChinese: PackageResources.zh_Hant_messages
        }
    }
}
