import Authoring
import Automation
import BankScript
import CurlClient
import DefaultBank
import Foundation
import HTMLAutomation
import HTMLEngine
import MockBank
import TestCases
import Testing

/// A bank whose pages have changed, and the script of before.
struct ChangedLayout: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable, Equatable {
        case mended
        case refused(MendRefusal.Kind)
    }

    let name: String
    let expected: Expected
    /// The mock bank's scenario; nil for the changed pages of a recording.
    var scenario: Scenario?
    var change: @Sendable (inout [Exchange]) -> Void = { _ in }

    var testDescription: String { name }

    /// The default bank's script without the interruptions that a bank may add one day.
    static let script: BankScript = {
        var script = MeridianSavings.script
        script.interruptions = []
        return script
    }()

    // MARK: Made for the purpose

    static let made: [ChangedLayout] = [
        ChangedLayout(name: "the user name is a customer number", expected: .mended) {
            $0.replace(">Username<", by: ">Customer number<")
        },
        ChangedLayout(name: "the sign-in button says something else", expected: .mended) {
            $0.replace("<button>Sign in</button>", by: "<button>Continue securely</button>")
        },
        ChangedLayout(name: "the code has another name", expected: .mended) {
            $0.replace(">One-time code<", by: ">Security number from your app<")
        },
        ChangedLayout(name: "the link to the statements is in a list below", expected: .mended) {
            $0.replace(#"<a href="/statements">Statements</a>"#, by: "")
            $0.replace("</main>", by: #"<ul><li><a href="/statements">Letters</a></li></ul></main>"#)
        },
        ChangedLayout(name: "the list of years has another label", expected: .mended) {
            $0.replace(#"<label for="year">Year</label>"#, by: #"<label for="year">Period of the archive</label>"#)
        },
        ChangedLayout(name: "the button beside the list says Apply", expected: .mended) {
            $0.replace("<button>Show</button>", by: "<button>Apply</button>")
        },
        ChangedLayout(name: "the documents are called otherwise", expected: .mended) {
            $0.replace(">PDF</a>", by: ">Get document</a>")
        },
        ChangedLayout(name: "the next page is called Older", expected: .mended) {
            $0.replace(#" rel="next">Next</a>"#, by: #" rel="next">Older statements</a>"#)
        },
        ChangedLayout(name: "a cookie banner comes after the sign-in", expected: .mended) {
            $0.insert(
                "Cookies at Meridian",
                #"<p>Meridian Savings uses cookies.</p><a href="/cookies/all">Accept all</a> "#
                    + #"<a href="WAY">Only necessary</a>"#, before: "/accounts")
        },
        ChangedLayout(name: "a second confirmation, and two other names", expected: .mended) {
            $0.insert(
                "Your archive is open", #"<p>Meridian Savings has your documents.</p><a href="WAY">Continue</a>"#,
                before: "/statements")
            $0.replace("<button>Sign in</button>", by: "<button>Log on</button>")
            $0.replace(">PDF</a>", by: ">Download</a>")
        },
    ]

    // MARK: Made after the mend was written

    static let later: [ChangedLayout] = [
        ChangedLayout(name: "the bank speaks German", expected: .mended) {
            $0.replace(">Username<", by: ">Benutzername<")
            $0.replace("<button>Sign in</button>", by: "<button>Anmelden</button>")
            $0.replace(">Statements</a>", by: ">Kontoauszüge</a>")
        },
        ChangedLayout(name: "the password is called a passphrase", expected: .mended) {
            $0.replace(">Password<", by: ">Passphrase<")
        },
        ChangedLayout(name: "months are numbers", expected: .mended) {
            let names = [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December",
            ]
            for (index, name) in names.enumerated() {
                let number = index < 9 ? "0\(index + 1)" : "\(index + 1)"
                for year in 2025...2026 { $0.replace("<td>\(name) \(year)</td>", by: "<td>\(number)/\(year)</td>") }
            }
        },
        ChangedLayout(name: "the table is a list", expected: .mended) {
            for (tag, other) in [("table", "ul"), ("tr", "li"), ("td", "span"), ("caption", "b")] {
                $0.replace("<\(tag)>", by: "<\(other)>")
                $0.replace("</\(tag)>", by: "</\(other)>")
            }
        },
        ChangedLayout(name: "a summary stands beside the statement", expected: .mended) {
            $0.replace(
                #"<a href="/statements/everyday/"#,
                by: #"<a href="/summaries">Summary</a> <a href="/statements/everyday/"#)
            $0.replace(">PDF</a>", by: ">Statement</a>")
        },
        ChangedLayout(name: "two kinds of documents are in the menu", expected: .mended) {
            $0.replace(
                #"<a href="/statements">Statements</a>"#,
                by: #"<a href="/tax">Tax documents</a> <a href="/statements">Account documents</a>"#)
        },
        ChangedLayout(name: "a button is an input, and the sign-out is called Leave", expected: .mended) {
            $0.replace("<button>Show</button>", by: #"<input type="submit" value="Show results">"#)
            $0.replace(">Sign out</button>", by: ">Leave</button>")
        },
        ChangedLayout(name: "both lists have other labels", expected: .mended) {
            $0.replace(">Account</label>", by: ">Which account</label>")
            $0.replace(">Year</label>", by: ">Which year</label>")
        },
        ChangedLayout(name: "the next page is an arrow", expected: .mended) {
            $0.replace(#" rel="next">Next</a>"#, by: #" rel="next" aria-label="Later pages">›</a>"#)
        },
        ChangedLayout(name: "a survey comes before the statements", expected: .mended) {
            $0.insert(
                "How are we doing?",
                #"<p>Meridian Savings would like to know.</p><a href="/survey">Start the survey</a> <a href="WAY">Skip</a>"#,
                before: "/statements")
        },
    ]

    // MARK: From the mock bank's scenarios

    static let scenarios: [ChangedLayout] = [
        ChangedLayout(name: "renamed-button", expected: .mended, scenario: .renamedButton),
        ChangedLayout(name: "renamed-link", expected: .mended, scenario: .renamedLink),
        ChangedLayout(name: "advertisement", expected: .mended, scenario: .advertisement),
        ChangedLayout(name: "changed-layout", expected: .mended, scenario: .changedLayout),
        ChangedLayout(name: "terms-to-accept", expected: .refused(.asksForMore), scenario: .termsToAccept),
        ChangedLayout(name: "extra-identification", expected: .refused(.asksForMore), scenario: .extraIdentification),
        ChangedLayout(name: "login-on-another-host", expected: .refused(.foreignOrigin), scenario: .loginElsewhere),
        ChangedLayout(name: "choice-of-methods", expected: .refused(.asksForMore), scenario: .choiceOfMethods),
        ChangedLayout(name: "pdf-by-form", expected: .refused(.unsure), scenario: .pdfByForm),
        ChangedLayout(name: "statement-on-request", expected: .refused(.unsure), scenario: .statementOnRequest),
    ]

    // MARK: Running

    /// Runs a script, and returns its outcome and a recording of it.
    func run(_ script: BankScript) async throws -> (Result<FetchedDocument, RunFailure>, HTTPArchive) {
        guard let scenario else {
            var exchanges = try await Self.happy.exchanges
            change(&exchanges)
            return await Self.run(
                script.served(asIn: HTTPArchive(exchanges)), on: ReplayTransport(HTTPArchive(exchanges)))
        }
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let outcome = await Self.run(script.served(at: bank.url, isForTesting: true), on: nil)
        await bank.stop()
        return outcome
    }

    static var happy: HTTPArchive {
        get async throws { try await recordedOnce.value }
    }

    private static let recordedOnce = Task {
        var configuration = MockBankConfiguration()
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let (outcome, archive) = await run(script.served(at: bank.url, isForTesting: true), on: nil)
        await bank.stop()
        _ = try outcome.get()
        return archive
    }

    private static func run(
        _ script: BankScript, on transport: ReplayTransport?
    ) async -> (Result<FetchedDocument, RunFailure>, HTTPArchive) {
        let recording = MaskedRecording()
        let answers = ReplayAnswers()
        var services = HostServices(
            credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        if transport != nil {
            services.credentials = answers
            services.person = answers
        }
        services = recording.observing(services)
        let configuration = EngineConfiguration(transport: transport) { recording.record($0) }
        let runner = ScriptRunner(services: services, limit: .seconds(120)) {
            try HTMLNavigationEngine(for: $0, configuration: configuration)
        }
        let outcome: Result<FetchedDocument, RunFailure>
        do throws(RunFailure) {
            let document = try await runner.run(script, parameters: RecordedRun.period)
            try? FileManager.default.removeItem(at: document.file)
            outcome = .success(document)
        } catch {
            outcome = .failure(error)
        }
        return (outcome, recording.archive)
    }
}

extension [Exchange] {
    /// Replaces a text in every page.
    mutating func replace(_ text: String, by other: String) {
        for index in indices where self[index].responseBody != nil {
            let page = String(decoding: self[index].responseBody ?? [], as: UTF8.self)
            guard page.contains(text) else { continue }
            self[index].responseBody = [UInt8](page.replacing(text, with: other).utf8)
        }
    }

    /// Puts a page before each page at this path. The page's `WAY` leads to it.
    mutating func insert(_ title: String, _ body: String, before path: String) {
        var result: [Exchange] = []
        for exchange in self {
            guard let url = URL(string: exchange.url), url.path() == path, exchange.method == "GET", url.query() == nil
            else {
                result.append(exchange)
                continue
            }
            var page = exchange
            let way = path + "/onward"
            page.responseBody = [UInt8](
                "<!doctype html><title>\(title)</title><h1>\(title)</h1>\(body.replacing("WAY", with: way))".utf8)
            result.append(page)
            var onward = exchange
            onward.url = exchange.url + "/onward"
            result.append(onward)
        }
        self = result
    }
}
