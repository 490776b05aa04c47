import Languages
import Testing

@Suite("The language of a page")
struct LanguageTests {
    @Test(
        "is the one that the browser likes best among those that the page has",
        arguments: [
            ("de", Language.german), ("de-CH,de;q=0.9,en;q=0.8", .german), ("fr-FR", .french), ("ES-mx", .spanish),
            ("it,fr;q=0.5", .french), ("en-US,de;q=0.9", .english), ("de;q=0.3,fr;q=0.7", .french),
            ("de;q=0,fr;q=0.1", .french), ("nl;q=1,*;q=0.5,de;q=0.1", .english), ("it", .english), ("", .english),
            ("fr;q=2,de", .german), ("fr;q=x,de", .german), (";;,,-", .english), ("dede", .english),
        ])
    func wanted(header: String, language: Language) {
        #expect(Language.wanted(by: header, among: Language.allCases) == language)
    }

    @Test("is English without a header, and where the page lacks the language")
    func standard() {
        #expect(Language.wanted(by: nil, among: Language.allCases) == .english)
        #expect(Language.wanted(by: "de,fr;q=0.5", among: [.english, .french]) == .french)
        #expect(
            Language.wanted(by: String(repeating: "xx,", count: 100_000) + "de", among: Language.allCases) == .english)
    }

    @Test(
        "of a machine is that of its locale",
        arguments: [
            (["LANG": "de_AT.UTF-8"], Language.german), (["LANG": "de_DE", "LC_ALL": "fr"], .french),
            (["LANG": "es_ES", "LC_MESSAGES": "", "LC_ALL": "C.UTF-8"], .english), (["LANG": "den"], .english),
            ([:], .english),
        ] as [([String: String], Language)])
    func system(environment: [String: String], language: Language) {
        #expect(Language.system(environment, among: Language.allCases) == language)
    }
}
