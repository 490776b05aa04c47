import BankScript
import Foundation
import MockBank
import TestSupport
import Testing

@testable import ScriptTesting

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("The matrix of a script")
struct MatrixTests {
    private static let folder = Repository.file("BankScripts/DefaultBank")

    private static func subject(_ path: String) throws -> ScriptMatrix.Subject {
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return ScriptMatrix.Subject(try BankScript(yaml: text, file: path), source: text)
    }

    private static func matrix(_ text: String) throws -> ScriptMatrix {
        try ScriptMatrix(yaml: text, file: "test.yaml", of: try subject("meridian-savings.yaml"), load: subject)
    }

    private static let head = "parameters: { month: 11, year: 2025 }\nscenarios:\n"

    @Test("matches the shipped script in every scenario", .timeLimit(.minutes(4)))
    func wholeMatrix() async throws {
        let file = Self.folder.appending(path: "meridian-savings.test.yaml")
        let matrix = try Self.matrix(try String(contentsOf: file, encoding: .utf8))
        #expect(Set(matrix.rows.compactMap(\.scenario)) == Set(Scenario.allCases.filter { !$0.isInterface }))
        let report = try await MatrixRunner().run(matrix)
        #expect(report.failed.isEmpty, "\(report.table)")
        #expect(report.entries.map(\.row.name) == matrix.rows.map(\.name))
    }

    @Test(
        "matches each script for a provider's interface in every scenario of its fake",
        arguments: [
            "Starling/starling", "Up/up", "SimpleFIN/simplefin", "Monzo/monzo",
            "InteractiveBrokers/interactive-brokers", "EnableBanking/enable-banking",
        ]
    )
    func interfaces(name: String) async throws {
        let file = Repository.file("BankScripts/\(name).test.yaml")
        let text = try String(contentsOf: Repository.file("BankScripts/\(name).yaml"), encoding: .utf8)
        let script = try BankScript(yaml: text, file: name)
        #expect(ScriptLint.findings(in: script).isEmpty)
        #expect(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.count <= 40)
        #expect(text.firstMatch(of: #/^# Written from the published (?:interface|protocol) of \d+ \w+ \d{4} /#) != nil)
        let matrix = try ScriptMatrix(
            yaml: try String(contentsOf: file, encoding: .utf8), file: file.path, of: .init(script, source: text),
            load: Self.subject)
        let prefix = name.split(separator: "/").last.map(String.init) ?? name
        #expect(
            Set(matrix.rows.compactMap(\.scenario))
                == Set(Scenario.allCases.filter { $0.rawValue == prefix || $0.rawValue.hasPrefix("\(prefix)-") }))
        let report = try await MatrixRunner().run(matrix)
        #expect(report.failed.isEmpty, "\(report.table)")
    }

    @Test("reports an unexpected success, and a failure other than the expected one")
    func surprises() async throws {
        let rows = """
              - happy: { BANK_LOGIN_FAILED: wrong_code }
              - wrong-code: statement
              - wrong-password: { BANK_LOGIN_FAILED: account_locked }
              - account-locked: { BANK_LOGIN_FAILED: account_locked }
                says: Have a nice day
              - maintenance: NAVIGATION_FAILED
            """
        let report = try await MatrixRunner(simultaneous: 2).run(try Self.matrix(Self.head + rows))
        let surprises = report.entries.map(\.surprise)
        #expect(surprises[0]?.contains("an unexpected success") == true)
        #expect(surprises[1] == "expected a statement, got BANK_LOGIN_FAILED (wrong_code)")
        #expect(
            surprises[2]
                == "expected BANK_LOGIN_FAILED (account_locked), got BANK_LOGIN_FAILED (wrong_credentials)")
        #expect(surprises[3]?.contains("expected the bank to say “Have a nice day”") == true)
        #expect(surprises[4] == nil)
        #expect(report.table.contains("4 of 5 scenarios not as expected"))
    }

    @Test("reports a row that hangs")
    func hangs() async throws {
        let matrix = try Self.matrix(Self.head + "  - slow-pages: statement")
        let report = try await MatrixRunner(rowLimit: .milliseconds(100)).run(matrix)
        #expect(report.failed.first?.surprise == "the row did not finish within 100 ms")
    }

    @Test(
        "says what is wrong in its file, where, and what to write",
        arguments: [
            ("", 2, 11, "scenarios must be a list"),
            ("  - hapy: statement", 3, 5, "did you mean “happy”?"),
            ("  - happy: sttement", 3, 12, "is not an error code"),
            ("  - happy: { BANK_LOGIN_FAILED: locked }", 3, 33, "“locked” is not a reason"),
            ("  - happy: statement\n    push: statement", 3, 5, "a row must name exactly one scenario"),
            ("  - happy: statement\n  - happy: statement", 4, 5, "is already in the matrix"),
            ("  - happy: statement\n    person: absent", 4, 13, "write present or silent"),
            ("  - happy: statement\n    says: Hello", 3, 12, "does not apply to a statement"),
        ])
    func explains(rows: String, line: Int, column: Int, message: String) throws {
        let error = try #require(throws: ScriptSyntaxError.self) { try Self.matrix(Self.head + rows) }
        #expect("\(error)".contains(message), "\(error)")
        #expect(error.mark.line == line, "\(error)")
        if !rows.isEmpty { #expect(error.mark.column == column, "\(error)") }
    }

    @Test("is written as TAP, JUnit XML and JSON")
    func formats() async throws {
        let rows = """
              - wrong-password: { BANK_LOGIN_FAILED: wrong_credentials }
              - renamed-link: statement
            """
        let report = try await MatrixRunner().run(try Self.matrix(Self.head + rows))
        let tap = report.tap.split(separator: "\n")
        #expect(tap.starts(with: ["TAP version 13", "1..2", "ok 1 - wrong-password"]))
        #expect(tap.contains("not ok 2 - renamed-link"))
        #expect(report.tap.contains("link “Post & documents”"))

        let xml = report.junit(suite: "a <suite>")
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = counter
        #expect(parser.parse(), "\(xml)")
        #expect(counter.counts == ["testsuites": 1, "testsuite": 1, "testcase": 2, "failure": 1])
        #expect(xml.contains(#"<testsuite name="a &lt;suite&gt;" tests="2" failures="1""#))

        #expect(report.json["passed"] == false)
        let row = try #require(report.json["rows"]?.arrayValue?.first)
        #expect(row["error_code"] == "BANK_LOGIN_FAILED")
        #expect(row["reason"] == "wrong_credentials")
        #expect(row["line"] == 16)
    }

    @Test(
        "is TAP that Perl's prove can read",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prove"), "prove is not installed"),
        arguments: [
            ("  - wrong-password: { BANK_LOGIN_FAILED: wrong_credentials }\n    name: 'a name # with a sign'", 0),
            ("  - wrong-password: statement\n  - maintenance: NAVIGATION_FAILED", 1),
        ] as [(String, Int32)])
    func prove(rows: String, status: Int32) async throws {
        let report = try await MatrixRunner().run(try Self.matrix(Self.head + rows))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).tap")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data((report.tap + "\n").utf8).write(to: file)
        let proved = try await ChildProcess.run(URL(filePath: "/usr/bin/prove"), ["--exec", "cat", file.path])
        #expect(proved.status == status, "\(proved.text)")
        #expect(!proved.text.contains("Parse errors"), "\(proved.text)")
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        counts[name, default: 0] += 1
    }
}
