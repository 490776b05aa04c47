import Automation
import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import MockBank
import Secrets
import TestCases
import TestSupport
import Testing

@testable import Authoring

/// A script that sends other values than the person did must not fit the recording.
@Suite("What a replay compares")
struct ReplayComparisonTests {
    private static let login = """
        <html lang=de><title>Anmelden</title><form method=post action=/login><input type=hidden name=t value=1>
        <label>Anmeldename <input name=user></label><label>PIN <input type=password name=pin maxlength=5 pattern="[0-9]+"></label>
        <input type=submit value=Anmelden></form></html>
        """
    private static let inside = """
        <html lang=de><title>Postfach</title><form method=post action=/auszug><input type=hidden name=konto value=4711>
        <label>Monat <select name=monat><option value=2>Februar<option value=3>März</select></label>
        <button>Anzeigen</button></form><form method=post action=/anders><input type=hidden name=konto value=4712>
        <input type=hidden name=monat value=3><button>Sparbuch</button></form></html>
        """

    private static func visit(_ target: String = "/auszug") -> HTTPArchive {
        var visit = ImaginedVisit()
        visit.get("/login", login)
        visit.post("/login", "t=1&user=kim&pin=12345", inside)
        visit.pdf(target, post: "konto=4711&monat=3")
        return visit.archive
    }

    private static func script(_ steps: String) throws -> BankScript {
        try BankScript(
            yaml: """
                bank: b
                name: B
                locale: de
                origins: [https://www.bank.example]
                steps:
                  - open: /login
                \(steps)
                """, file: "b.yaml")
    }

    private static let signIn = """
          - fill: { Anmeldename: $username, PIN: $password }
          - press: Anmelden
        """
    private static let fetch = """
          - choose: { Monat: "{{ month.name }}" }
          - download: Anzeigen
        """

    private func replay(
        _ script: BankScript, _ archive: HTTPArchive, month: Int = 3, year: Int = 2026
    ) async throws -> ReplayTransport {
        let transport = ReplayTransport(archive)
        let answers = ReplayAnswers()
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        let document = try await runner.run(
            script, parameters: ["month": ParameterValue(month), "year": ParameterValue(year)])
        try FileManager.default.removeItem(at: document.file)
        return transport
    }

    private func refusal(_ steps: String, _ archive: HTTPArchive = visit(), month: Int = 3) async throws -> String {
        do {
            _ = try await replay(try Self.script(steps), archive, month: month)
            return "it fits"
        } catch let failure as RunFailure {
            return failure.message
        }
    }

    @Test("the right script fits, though its credentials are longer than the fields allow")
    func right() async throws {
        let used = try await replay(try Self.script(Self.signIn + "\n" + Self.fetch), Self.visit()).used
        #expect(used == 3)
    }

    @Test(
        "names what differs",
        arguments: [
            ("swapped", "fill: { Anmeldename: $password, PIN: $username }", "user is not a password field"),
            ("unfilled", "fill: { Anmeldename: $username }", "pin is empty; in the recording it is filled in"),
            ("literal", "fill: { Anmeldename: robin, PIN: $password }", "user is “kim”, not “robin”"),
        ])
    func credentials(name: String, step: String, words: String) async throws {
        let message = try await refusal("  - \(step)\n  - press: Anmelden\n" + Self.fetch)
        #expect(message.contains(words), "\(message)")
    }

    @Test("a wrong month in a form differs")
    func month() async throws {
        let message = try await refusal(Self.signIn + "\n" + Self.fetch, month: 2)
        #expect(message.contains("monat is “3”, not “2”"), "\(message)")
    }

    @Test("numbers in fields x and y differ, unless an image button of the form sent them")
    func points() async throws {
        func visit(_ button: String, _ sent: String) -> HTTPArchive {
            var visit = ImaginedVisit()
            let form = "<label>Y <input name=y></label><label>X <input name=x></label>\(button)"
            visit.get("/login", "<title>Wahl</title><form method=post action=/auszug>\(form)</form>")
            visit.pdf("/auszug", post: sent)
            return visit.archive
        }
        func fetch(_ button: String) -> String {
            "  - fill: { X: \"7\", Y: \"{{ year }}\" }\n  - download: { control: \(button) }"
        }
        let plain = try await refusal(fetch("Los"), visit("<button>Los</button>", "y=2025&x=7"))
        #expect(plain.contains("y is “2025”, not “2026”"), "\(plain)")
        let image = "<input type=image name=los alt=Los src=/los.gif>"
        let clicked = try await refusal(fetch("Los"), visit(image, "y=2026&x=7&los.x=31&los.y=9"))
        #expect(clicked == "it fits")
        let other = try await refusal(fetch("Los"), visit(image, "y=2025&x=7&los.x=31&los.y=9"))
        #expect(other.contains("y is “2025”, not “2026”"), "\(other)")
    }

    @Test("a wrong hidden value differs")
    func hidden() async throws {
        let message = try await refusal(Self.signIn + "\n  - download: Sparbuch", Self.visit("/anders"))
        #expect(message.contains("konto is “4711”, not “4712”"), "\(message)")
    }

    @Test("a wrong part of the path differs")
    func path() async throws {
        var visit = ImaginedVisit()
        visit.get("/login", Self.login)
        visit.pdf("/konto/40207188/auszug")
        let message = try await refusal("  - download: { open: /konto/40209914/auszug }", visit.archive)
        #expect(message.contains("part 2 of the path is"), "\(message)")
    }

    @Test("a browser's recording without the PDF itself does not pass as one that has it")
    func absentPDF() async throws {
        let text = Self.visit().json.compactText().replacing("left out of the recording", with: "")
        let message = try await refusal(Self.signIn + "\n" + Self.fetch, try HTTPArchive(reading: text.utf8))
        #expect(message.contains("but not the PDF itself"), "\(message)")
    }

    // MARK: An app that uses JSON

    private static func jsonBank(_ change: (String) -> String = { $0 }) throws -> BankScript {
        let file = Repository.file("BankScripts/DefaultBank/Variants/json-bank.yaml")
        return try BankScript(yaml: change(try String(contentsOf: file, encoding: .utf8)), file: "json-bank.yaml")
    }

    /// Runs the JSON bank's script, and records the run masked in both ways.
    private func recorded() async throws -> (script: BankScript, trace: HTTPArchive, recording: HTTPArchive) {
        var configuration = MockBankConfiguration()
        configuration.scenario = .jsonBank
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let script = try Self.jsonBank().served(at: bank.url, isForTesting: true)
        let recorder = TraceRecorder(script)
        let recording = MaskedRecording()
        var services = HostServices(
            credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: recorder)
        services = recording.observing(services)
        let runner = ScriptRunner(services: services) { script in
            try HTMLNavigationEngine(
                for: script,
                configuration: EngineConfiguration {
                    recorder.record($0)
                    recording.record($0)
                })
        }
        let document = try await runner.run(script, parameters: RecordedRun.period)
        try FileManager.default.removeItem(at: document.file)
        await bank.stop()
        let bytes = try recording.archive.redacted()
        return (script, Trace(recorder).archive, try HTTPArchive(reading: bytes))
    }

    @Test("a masked recording of an app that uses JSON replays, from a trace and from a recording")
    func app() async throws {
        let run = try await recorded()
        for archive in [run.trace, run.recording] {
            let transport = try await replay(run.script, archive, month: 1)
            #expect(transport.used > 5)
            #expect(transport.mismatches.isEmpty)
        }
    }

    @Test("a masked recording still tells the months of an app apart, and names its credentials")
    func appMonth() async throws {
        let run = try await recorded()
        let bodies = run.recording.exchanges.compactMap(\.requestBody).map { String(decoding: $0, as: UTF8.self) }
        #expect(bodies.contains(#"{"password":"•password•","username":"•username•"}"#))
        for word in RecordedRun.login.values { #expect(!bodies.joined().contains(word)) }
        await #expect(throws: RunFailure.self) { _ = try await replay(run.script, run.recording, month: 2) }
        let swapped = try Self.jsonBank {
            $0.replacing("username: $username, password: $password", with: "username: $password, password: $username")
        }.served(asIn: run.recording)
        await #expect {
            _ = try await replay(swapped, run.recording, month: 1)
        } throws: { error in
            (error as? RunFailure)?.message.contains(
                "$.password holds the password in the recording; the script sends the username") == true
        }
    }
}
