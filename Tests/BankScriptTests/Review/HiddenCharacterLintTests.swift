import Testing

@testable import BankScript

@Suite("Invisible characters in a script")
struct HiddenCharacterLintTests {
    private func findings(_ step: String, name: String = "Bank") throws -> [Finding] {
        let yaml = """
            bank: x
            name: "\(name)"
            origins: [https://a.example]
            steps:
              - \(step)
              - download: PDF
            """
        return ScriptLint.findings(in: try BankScript(yaml: yaml, file: "a.yaml")).filter {
            $0.rule == "hidden-character"
        }
    }

    @Test(
        "are an error in any text",
        arguments: [
            (#"open: "/a\n""#, "U+000A"), (#"open: "https://a.example/\u202Ex""#, "U+202E"),
            (#"open: "/a\u00AD""#, "U+00AD"), (#"follow: "A\u200Bll""#, "U+200B"), (#"press: "A\u2028ll""#, "U+2028"),
            (#"expect: { says: "A\uE000" }"#, "U+E000"), (#"fill: { User: "a\u202E" }"#, "U+202E"),
            (#"capture: { "x": { css: "a\n" } }"#, "U+000A"),
            (#"request: { POST: /x, headers: { X-A: "a\nb: c" } }"#, "U+000A"),
            (#"request: { POST: /x, body: { "a\u202E": 1 } }"#, "U+202E"),
            ("when: .a\n    then: [follow: \"B\\u200B\"]", "U+200B"),
        ])
    func refused(step: String, scalar: String) throws {
        let findings = try findings(step)
        #expect(findings.count == 1 && findings.first?.severity == .error, "\(findings)")
        #expect(findings.first?.message.contains(scalar) == true, "\(findings)")
        #expect(findings.first?.mark?.line == 5 || step.contains("then"), "\(findings)")
        #expect(findings.first?.message.contains { $0.isNewline } == false)
    }

    @Test("are an error in the script's name")
    func name() throws {
        #expect(try findings("follow: All", name: #"Bank\nAccepted"#).map(\.mark?.line) == [1])
    }

    @Test(
        "are allowed where a text's meaning needs them",
        arguments: [
            #"request: { POST: /x, body: { note: "a\nb\tc" } }"#, #"request: { POST: /x, form: { note: "a\r\nb" } }"#,
            #"follow: "Konto\u00ADauszug""#, #"expect: { says: "می\u200Cخواهم" }"#, #"follow: "👩‍💻 3\u00A0€""#,
            #"capture: { signed: { template: "a\nb" } }"#,
        ])
    func allowed(step: String) throws { #expect(try findings(step).isEmpty) }
}
