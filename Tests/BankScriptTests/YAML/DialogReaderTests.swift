import Testing

@testable import BankScript

@Suite("Reading the answers to dialogs")
struct DialogReaderTests {
    private static func script(_ dialogs: String) throws -> BankScript {
        try BankScript(
            yaml: "bank: a\nname: A\norigins: [https://bank.example]\nengine: browser\n\(dialogs)"
                + "steps:\n  - download: { open: \"/{{ month }}/{{ year }}\" }\n",
            file: "a.yaml")
    }

    @Test("keeps their order, their answers and their places")
    func reads() throws {
        let rules = try Self.script(
            """
            dialogs:
              - { says: Stay signed in, answer: accept }
              - { says: Name this device, answer: accept, text: Office }
              - { says: Leave this page, answer: dismiss }

            """
        ).dialogs
        #expect(rules.map(\.words) == ["Stay signed in", "Name this device", "Leave this page"])
        #expect(rules.map(\.answer) == [.accept(), .accept(typing: "Office"), .dismiss])
        #expect(rules.map(\.mark?.line) == [6, 7, 8])
    }

    @Test(
        "refuses what answers nothing, and every secret",
        arguments: [
            ("{ answer: accept }", "no “says”", "says: Stay signed in"),
            ("{ says: Stay }", "no “answer”", "answer: dismiss"),
            ("{ says: \" \", answer: accept }", "fits no dialog", "some words"),
            ("{ says: Stay, answer: acept }", "not an answer", "did you mean “accept”?"),
            ("{ says: Stay, answer: later }", "not an answer", "accept or dismiss"),
            ("{ says: Stay, answer: dismiss, text: Office }", "needs answer: accept", ""),
            ("{ says: Password, answer: accept, text: $password }", "is a credential", "dismiss the dialog"),
            ("{ says: Code, answer: accept, text: \"{{ code }}\" }", "placeholder", "plain words"),
            ("{ says: \"{{ year }}\", answer: accept }", "placeholder", "plain words"),
            ("{ says: Stay, anser: accept }", "no part “anser”", "did you mean “answer”?"),
            ("Stay", "must have named parts", ""),
        ])
    func refuses(_ rule: String, _ message: String, _ hint: String) {
        let error = #expect(throws: ScriptSyntaxError.self) { try Self.script("dialogs:\n  - \(rule)\n") }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
        #expect(error?.mark.line == 6)
    }

    @Test("make another script, and no rules make the same one")
    func digest() throws {
        let none = try Self.script("")
        #expect(try Self.script("dialogs: []\n").digest == none.digest)
        #expect(none.json.compactText().contains("dialogs") == false)
        let rules = [
            "{ says: Stay, answer: accept }", "{ says: Stay, answer: dismiss }",
            "{ says: Stay, answer: accept, text: Office }", "{ says: Stay, answer: accept, text: \"\" }",
            "{ says: Leave, answer: accept }",
        ]
        let digests = try rules.map { try Self.script("dialogs:\n  - \($0)\n").digest }
        #expect(Set(digests + [none.digest]).count == rules.count + 1)
    }
}
