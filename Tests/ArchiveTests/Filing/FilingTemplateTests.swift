import Clocks
import FileKinds
import Testing

@testable import Archive

@Suite("Templates for paths")
struct FilingTemplateTests {
    private func facts(_ account: String, _ period: String?, days: ClosedRange<Int>? = nil) -> FilingTemplate.Facts {
        FilingTemplate.Facts(
            bank: "my bank", account: account, period: period.flatMap { MonthYear($0) }, days: days, kind: .camt)
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

    @Test("some days of a month are named by their dates, and read back")
    func days() {
        let template = FilingTemplate.standard
        let path = "my bank/2025/2025-03-09 to 2025-03-31 camt.xml"
        #expect(template.path(of: facts("", "2025-03", days: 9...31)) == path)
        #expect(template.facts(ofPath: path, kind: .camt) == facts("", "2025-03", days: 9...31))
        for other in ["2025-03-31 to 2025-03-09", "2025-03-09 to 2025-04-02", "2025-03-09 to 2025-03-32"] {
            #expect(template.facts(ofPath: "my bank/2025/\(other) camt.xml", kind: .camt) == nil)
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
