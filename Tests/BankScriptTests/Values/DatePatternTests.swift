import Testing

@testable import BankScript

@Suite("A pattern for a day")
struct DatePatternTests {
    @Test(
        "has letters for a day, its month and its year only, and the nearest good pattern is named",
        arguments: [
            ("YYYY", "yyyy"), ("YYYY-MM-dd", "yyyy-MM-dd"), ("dd.MM.YYYY", "dd.MM.yyyy"),
            ("DD.MM.YYYY", "dd.MM.yyyy"), ("dd.mm.yyyy", "dd.MM.yyyy"), ("TT.MM.JJJJ", "dd.MM.yyyy"),
            ("tt.mm.jjjj", "dd.MM.yyyy"), ("JJ/MM/AAAA", "dd/MM/yyyy"), ("gg/mm/aaaa", "dd/MM/yyyy"),
            ("%d.%m.%Y", "dd.MM.yyyy"), ("%e. %B %Y", "d. MMMM yyyy"), ("%s", nil), ("hh:mm", nil), ("HH", nil),
            ("yyyy-MM-dd'T'HH:mm:ss", nil), ("d de MMMM", nil), ("w", nil), ("'open", nil), ("", nil),
        ] as [(String, String?)])
    func refused(pattern: String, meant: String?) {
        #expect(DatePattern(text: pattern).fault != nil)
        #expect(DatePattern(text: pattern).suggestion == meant)
        let script = BankScript("test", named: "Test", at: "https://bank.example") {
            Open(Template("/{{ last_day | date: \(pattern) }}"))
            Download("PDF")
        }
        let finding = ScriptLint.findings(in: script).first { $0.rule == "filter-argument" }
        #expect(finding?.severity == .error)
        #expect(finding?.hint?.contains(meant ?? "for example") == true, "\(finding?.hint ?? "")")
        let error = #expect(throws: TemplateError.self) {
            try Template("{{ d | date: \(pattern) }}").filled(with: ["d": "2027-01-01"], locale: "de")
        }
        if let meant { #expect(error?.message.hasSuffix("did you mean “\(meant)”?") == true) }
    }

    @Test(
        "may have each form of them, and any text in quotation marks",
        arguments: [
            ("dd.MM.yyyy", "01.01.2027"), ("yyyy-MM-dd", "2027-01-01"), ("yyyyMMdd", "20270101"), ("M/yy", "1/27"),
            ("EEEE d. LLLL", "Freitag 1. Januar"), ("d. MMM", "1. Jan."), ("QQQ yyyy", "Q1 2027"),
            ("d 'de' MMMM", "1 de Januar"), ("yyyy年M月d日", "2027年1月1日"), ("''yy", "'27"),
            ("yyyy-MM-dd'T'00:00:00", "2027-01-01T00:00:00"),
        ])
    func accepted(pattern: String, written: String) throws {
        #expect(DatePattern(text: pattern).fault == nil)
        let text = try Template("{{ d | date: \(pattern) }}").filled(with: ["d": "2027-01-01"], locale: "de")
        #expect(text == written)
    }
}
