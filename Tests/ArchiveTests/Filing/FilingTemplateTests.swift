import Clocks
import FileKinds
import Testing

@testable import Archive

@Suite("Templates for paths")
struct FilingTemplateTests {
    private func facts(_ account: String, _ period: String?) -> FilingTemplate.Facts {
        FilingTemplate.Facts(bank: "my bank", account: account, period: period.flatMap { MonthYear($0) }, kind: .camt)
    }

    @Test(
        "a path is read back as the facts that made it",
        arguments: [
            FilingTemplate.standard.description, "{{year}}/{{ month }}/{{bank}} - {{account}} - {{kind}}",
            "{{bank}} {{kind}}/{{period}}",
        ], [1, 2, 17])
    func roundTrip(_ text: String, _ number: Int) throws {
        let template = try FilingTemplate(text)
        for facts in [facts("giro (joint)", "2025-03"), facts("a b", nil)] {
            let path = template.path(of: facts, number: number)
            let read = try #require(template.facts(ofPath: path, kind: .camt), "\(path)")
            #expect(template.path(of: read, number: number) == path)
            #expect(read.period == facts.period)
            #expect(read.bank == facts.bank)
        }
    }

    @Test("without an account its folder is left out")
    func withoutAccount() {
        let template = FilingTemplate.standard
        #expect(template.path(of: facts("", "2025-03")) == "my bank/2025/2025-03 camt.xml")
        #expect(template.facts(ofPath: "my bank/2025/2025-03 camt.xml", kind: .camt) == facts("", "2025-03"))
        #expect(template.path(of: facts("", nil)) == "my bank/undated/undated camt.xml")
    }

    @Test(
        "a path that the template does not make has no facts",
        arguments: [
            "a.xml", "b/a/2024/2025-03 camt.xml", "b/a/2025/2025-13 camt.xml", "b/a/2025/2025-03 csv.xml",
            "b/a/2025/2025-03 camt.csv",
        ])
    func others(_ path: String) {
        #expect(FilingTemplate.standard.facts(ofPath: path, kind: .camt) == nil)
    }

    @Test(
        "a wrong template is refused with what is wrong",
        arguments: [
            "{{ iban }}", "../{{ bank }}", "/{{ bank }}", "{{ bank", "a//b", "", ".hidden/{{ bank }}", "a\\b", "a:b",
        ])
    func refused(_ text: String) {
        #expect(throws: ArchiveError.self) { try FilingTemplate(text) }
    }
}
