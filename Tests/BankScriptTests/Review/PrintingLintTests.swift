import Selectors
import Testing

@testable import BankScript

@Suite("Lint of printing")
struct PrintingLintTests {
    private func rules(_ engine: ScriptEngine, @StepBuilder _ steps: () -> [Step]) -> [String] {
        ScriptLint.findings(
            in: BankScript(
                id: "test", name: "Test", origins: ["https://bank.example"], engine: engine,
                steps: Open("/{{ month }}/{{ year }}").steps + steps())
        ).map(\.rule)
    }

    @Test("finds nothing where the page is looked at before, with an expectation or a wait")
    func checked() {
        #expect(
            rules(.browser) {
                Expect(.says("{{ month.name }}"))
                Download(from: .printedPage)
            } == [])
        #expect(
            rules(.browser) {
                WaitUntil(.says("{{ month.name }}"), within: .minutes(1))
                Download(from: .printedPage)
            } == [])
    }

    @Test("warns where nothing says that the page is the statement")
    func unchecked() {
        #expect(rules(.browser) { Download(from: .printedPage) } == ["unchecked-print"])
        #expect(
            rules(.browser) {
                Expect(.says("{{ month.name }}"))
                Follow("Print view")
                Download(from: .printedPage)
            } == ["unchecked-print"])
        #expect(
            rules(.browser) {
                When(.titled("Statement")) {
                    Download(from: .printedPage)
                } otherwise: {
                    Download("PDF")
                }
            } == ["unchecked-print"])
    }

    @Test("is an error without the browser, and as another kind of file")
    func impossible() {
        #expect(
            rules(.html) {
                Expect(.says("{{ month.name }}"))
                Download(from: .printedPage)
            } == ["print"])
        #expect(
            rules(.browser) {
                Expect(.says("{{ month.name }}"))
                Download(from: .printedPage, as: .document(.csv))
            } == ["print", "no-pdf"])
    }

    @Test("points at the word in YAML")
    func place() throws {
        let yaml = """
            bank: test
            name: Test
            origins: [https://bank.example]
            steps:
              - open: "/{{ year }}/{{ month }}"
              - expect: { titled: Statement }
              - download: { print: page }

            """
        let script = try BankScript(yaml: yaml, file: "test.yaml")
        let finding = try #require(ScriptLint.findings(in: script).first { $0.rule == "print" }).located(in: yaml)
        #expect(finding.mark?.line == 7 && finding.mark?.column == 17)
        #expect(finding.hint == "write “engine: browser” at the top")
    }
}
