import Automation
import BankScript
import CurlClient
import DefaultBank
import Foundation
import HTMLEngine
import MockBank
import Secrets
import TestCases
import Testing

@testable import Authoring

@Suite("Mending a script", .timeLimit(.minutes(5)))
struct MendTests {
    /// Mends and runs the script in turn, as its author would, until it fetches its statement or the mend is refused.
    private func mend(_ layout: ChangedLayout) async throws -> (MendRefusal?, changes: [MendChange], isRight: Bool) {
        var script = ChangedLayout.script
        var changes: [MendChange] = []
        for _ in 0..<6 {
            let (outcome, recording) = try await layout.run(script)
            if case .success = outcome { return (nil, changes, true) }
            do throws(MendRefusal) {
                let mended = try await ScriptMend(
                    script, old: try await happy(), new: recording, oldParameters: RecordedRun.period,
                    newParameters: RecordedRun.period
                ).propose()
                changes += mended.changes
                script = mended.script
            } catch {
                return (error, changes, false)
            }
        }
        return (nil, changes, false)
    }

    private func happy() async throws(MendRefusal) -> HTTPArchive {
        do {
            return try await ChangedLayout.happy
        } catch {
            throw MendRefusal(.oldRecordingDiffers, "\(error)")
        }
    }

    @Test(
        "is right or refused, never wrong, on 30 changed layouts",
        arguments: ChangedLayout.made + ChangedLayout.scenarios + ChangedLayout.later)
    func changed(_ layout: ChangedLayout) async throws {
        let began = ContinuousClock.now
        let (refusal, changes, isRight) = try await mend(layout)
        let time = (ContinuousClock.now - began).formatted(.units(allowed: [.milliseconds]))
        let outcome = isRight ? "right" : refusal.map { "refused (\($0.kind.rawValue))" } ?? "wrong"
        print("mend: \(layout.name): \(outcome), \(changes.count) changes, \(time)")
        for change in changes { print("mend:   \(change.step) -> \(change.words), \(change.score)") }
        if let refusal { print("mend:   \(refusal)") }
        switch layout.expected {
        case .mended: #expect(isRight, "\(refusal?.description ?? "the changed script does not fetch the statement")")
        case .refused(let kind): #expect(refusal?.kind == kind, "\(refusal?.description ?? "not refused")")
        }
    }

    /// Pages that would like to have a credential.
    private static let hostile: [(String, MendRefusal.Kind, @Sendable (inout [Exchange]) -> Void)] = [
        (
            "the password has another field", .credentialElsewhere,
            {
                $0.replace(#"id="password" name="password""#, by: #"id="password" name="comment""#)
                $0.replace(">Password<", by: ">Secret<")
            }
        ),
        (
            "the sign-in form goes to another path", .credentialElsewhere,
            { $0.replace(#"action="/login""#, by: #"action="/collect""#) }
        ),
        (
            "the user name is asked for in the password's field", .credentialElsewhere,
            {
                $0.replace(">Username<", by: ">Name<")
                $0.replace(
                    #"id="username" name="username" autocomplete="username""#,
                    by: #"id="username" name="password2" type="password""#)
            }
        ),
        (
            "a form goes to another company", .foreignForm,
            {
                $0.replace(">Username<", by: ">Name<")
                $0.replace(#"action="/login""#, by: #"action="https://collect.example/login""#)
            }
        ),
    ]

    @Test("refuses to send a credential elsewhere", arguments: hostile.indices)
    func elsewhere(index: Int) async throws {
        let (name, kind, change) = Self.hostile[index]
        let (refusal, _, isRight) = try await mend(ChangedLayout(name: name, expected: .refused(kind), change: change))
        #expect(refusal?.kind == kind, "\(name): \(refusal?.description ?? "right: \(isRight)")")
    }

    @Test(
        "refuses a page that is not a new layout",
        arguments: [
            (Scenario.maintenance, MendRefusal.Kind.errorPage), (.accountLocked, .errorPage),
            (.wrongPassword, .errorPage), (.sessionExpired, .signInAgain), (.foreignRedirect, .foreignOrigin),
            (.oldPortal, .credentialElsewhere), (.javascriptWall, .unsure), (.passwordExpired, .errorPage),
        ])
    func trouble(scenario: Scenario, kind: MendRefusal.Kind) async throws {
        let (refusal, _, isRight) = try await mend(
            ChangedLayout(name: scenario.rawValue, expected: .refused(kind), scenario: scenario))
        #expect(!isRight)
        #expect(refusal?.kind == kind, "\(scenario.rawValue): \(refusal?.description ?? "")")
    }

    /// Controls in the place, and with the address, of what a step used.
    private static let committing: [(String, @Sendable (inout [Exchange]) -> Void)] = [
        ("pay", { $0.replace("<button>Sign in</button>", by: "<button>Pay now</button>") }),
        ("fees", { $0.replace("<button>Sign in</button>", by: "<button>Agree to the new fees</button>") }),
        ("subscribe", { $0.replace(#">Statements</a>"#, by: ">Subscribe to letters</a>") }),
        ("delete", { $0.replace("<button>Show</button>", by: "<button>Delete the archive</button>") }),
        ("remove", { $0.replace(">PDF</a>", by: ">Remove</a>") }),
        ("buy", { $0.replace(#" rel="next">Next</a>"#, by: #" rel="next">Buy more storage</a>"#) }),
        ("transfer", { $0.replace(">One-time code<", by: ">Code to release the transfer<") }),
        (
            "a transfer's page",
            {
                $0.replace("<h1>Enter your one-time code</h1>", by: "<h1>Confirm your transfer</h1>")
                $0.replace(">One-time code<", by: ">Security code<")
            }
        ),
    ]

    @Test("proposes nothing that binds, pays or removes where the step did not", arguments: committing.indices)
    func commitment(index: Int) async throws {
        let (name, change) = Self.committing[index]
        let (refusal, changes, isRight) = try await mend(
            ChangedLayout(name: name, expected: .refused(.asksForMore), change: change))
        #expect(refusal?.kind == .asksForMore, "\(name): \(refusal?.description ?? "right: \(isRight)")")
        #expect(refusal?.message.contains("a person decides") == true, "\(refusal?.message ?? "")")
        #expect(changes.isEmpty)
    }

    @Test(
        "refuses a page that asks for the password again, also in a field of another name",
        arguments: [("/accounts", "Password"), ("/statements", "Password"), ("/statements", "Secret word")])
    func signInAgain(path: String, field: String) async throws {
        let happy = try await ChangedLayout.happy
        let login = try #require(happy.exchanges.first { $0.url.hasSuffix("/login") && $0.isPage }?.responseBody)
        let body = Array(String(decoding: login, as: UTF8.self).replacing(">Password<", with: ">\(field)<").utf8)
        let (refusal, changes, _) = try await mend(
            ChangedLayout(name: path, expected: .refused(.signInAgain)) { exchanges in
                for index in exchanges.indices where exchanges[index].url.hasSuffix(path) && exchanges[index].isPage {
                    exchanges[index].responseBody = body
                }
            })
        #expect(refusal?.kind == .signInAgain, "\(refusal?.description ?? "not refused")")
        #expect(refusal?.message.contains("asks for the password") == true, "\(refusal?.message ?? "")")
        #expect(changes.isEmpty)
    }

    private static let wider: [(String, @Sendable (inout BankScript) -> Void)] = [
        ("another credential in a form", { $0.steps.append(Step(.fill(.field("Note"), .credential("pin")))) }),
        (
            "another origin that it opens",
            {
                $0.origins.append("https://collect.example")
                $0.steps.append(Step(.open("https://collect.example/")))
            }
        ),
        ("another credential", { $0.credentials.append("pin") }),
    ]

    @Test("refuses a changed script that sends more, whatever its replay shows", arguments: wider.indices)
    func widerDisclosure(index: Int) throws {
        let (name, change) = Self.wider[index]
        let script = ChangedLayout.script
        try ScriptMend.checkDisclosure(of: script, insteadOf: script)
        var changed = script
        change(&changed)
        #expect(changed.digest != script.digest)
        #expect {
            try ScriptMend.checkDisclosure(of: changed, insteadOf: script)
        } throws: { error in
            let kind = (error as? MendRefusal)?.kind
            if kind != .widerDisclosure { Issue.record("\(name): \(error)") }
            return kind == .widerDisclosure
        }
        // The other way round it sends less.
        if changed.origins == script.origins, changed.credentials == script.credentials {
            try ScriptMend.checkDisclosure(of: script, insteadOf: changed)
        }
    }

    @Test("refuses another bank's page, and a recording of another host")
    func anotherBank() async throws {
        let (refusal, _, _) = try await mend(
            ChangedLayout(name: "another bank", expected: .refused(.anotherBank)) { exchanges in
                for index in exchanges.indices where exchanges[index].url.hasSuffix("/login") && exchanges[index].isPage
                {
                    exchanges[index].responseBody = [UInt8](
                        "<title>Contoso</title><h1>Willkommen</h1><form method=post><input name=kennung></form>".utf8)
                }
            })
        #expect(refusal?.kind == .anotherBank, "\(refusal?.description ?? "")")
        var visit = ImaginedVisit()
        visit.get("/login", "<title>Sign in</title>")
        let archive = visit.archive
        let happy = try await ChangedLayout.happy
        await #expect {
            _ = try await ScriptMend(
                ChangedLayout.script, old: happy, new: archive, oldParameters: RecordedRun.period,
                newParameters: RecordedRun.period
            ).propose()
        } throws: { ($0 as? MendRefusal)?.kind == .anotherBank }
    }

    @Test(
        "takes no name from a page that a script would fill in", arguments: ["{{ year }}", "$password", "Go\u{202E}on"])
    func templates(name: String) async throws {
        let (refusal, changes, isRight) = try await mend(
            ChangedLayout(name: name, expected: .refused(.unsure)) {
                $0.replace("<button>Show</button>", by: "<button>\(name)</button>")
            })
        #expect(refusal?.kind == .unsure && changes.isEmpty && !isRight, "\(refusal?.description ?? "")")
    }

    @Test("finds a link that moved to another page where the recording goes on, and refuses where it ends")
    func movedLink() async throws {
        let happy = try await ChangedLayout.happy
        var exchanges = happy.exchanges
        let link = #"<a href="/statements">Statements</a>"#
        exchanges.replace(link, by: #"<a href="/hub">Money and mail</a>"#)
        let index = try #require(exchanges.firstIndex { $0.url.hasSuffix("/accounts") && $0.isPage })
        var hub = exchanges[index]
        hub.url = hub.url.replacing("/accounts", with: "/hub")
        hub.responseBody = Array("<title>Mail</title><h1>Mail of Meridian Savings</h1>\(link)".utf8)
        exchanges.insert(hub, at: index + 1)
        func mend(_ recording: [Exchange]) async throws(MendRefusal) -> MendedScript {
            try await ScriptMend(
                ChangedLayout.script, old: happy, new: HTTPArchive(recording), oldParameters: RecordedRun.period,
                newParameters: RecordedRun.period
            ).propose()
        }
        let mended = try await mend(exchanges)
        #expect(mended.changes.map(\.kind) == [.movedLink] && mended.endsAt == nil)
        #expect(mended.changes.first?.words.contains("Money and mail") == true)
        do throws(MendRefusal) {
            _ = try await mend(Array(exchanges[...index]))
            Issue.record("not refused")
        } catch {
            #expect(error.kind == .unsure, "\(error)")
        }
    }

    @Test("leaves a script's own check alone, and an old recording of another script")
    func ownCheck() async throws {
        let happy = try await ChangedLayout.happy
        var exchanges = happy.exchanges
        exchanges.replace("Balances at the end of last month", by: "Balances")
        func kind(_ text: Template) async -> MendRefusal.Kind? {
            var script = ChangedLayout.script
            script.forEachPeriod.insert(Step(.expect(.says(text))), at: 0)
            do throws(MendRefusal) {
                _ = try await ScriptMend(
                    script, old: happy, new: HTTPArchive(exchanges), oldParameters: RecordedRun.period,
                    newParameters: RecordedRun.period
                ).propose()
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(await kind("at the end of last month") == .otherStep)
        #expect(await kind("not on this page") == .oldRecordingDiffers)
    }

    @Test("says that there is nothing to change")
    func nothing() async throws {
        let happy = try await ChangedLayout.happy
        let mended = try await ScriptMend(
            ChangedLayout.script, old: happy, new: happy, oldParameters: RecordedRun.period,
            newParameters: RecordedRun.period
        ).propose()
        #expect(mended.changes.isEmpty && mended.endsAt == nil)
    }

    private static let written = """
        # The bank of my neighbour.
        bank: default
        name: Meridian Savings
        origins: [https://banking.meridian-savings.example]
        steps:
          - open: /login   # the long way
          - fill: { Username: $username, Password: $password }
          - press: Sign in
          # The code comes from the app.
          - second factor:
              field: One-time code
              from: [vault, person]
              within: 2 min
          - follow: Statements
          - choose: { Year: "{{ year }}" }
          - press: Show
          - search: { rows: "{{ month.name }} {{ year }}", next: Next, at most: 12 pages }
          - download: PDF

        """

    @Test("changes the lines of the changed steps only")
    func text() async throws {
        let script = try BankScript(yaml: Self.written, file: "x.yaml")
        let happy = try await ChangedLayout.happy
        var exchanges = happy.exchanges
        exchanges.replace("<button>Sign in</button>", by: "<button>Log in</button>")
        exchanges.replace(">One-time code<", by: ">Security number<")
        let mended = try await ScriptMend(
            script, old: happy, new: HTTPArchive(exchanges), oldParameters: RecordedRun.period,
            newParameters: RecordedRun.period
        ).propose()
        let text = MendedText(mended, of: script, source: Self.written)
        #expect(!text.isRewritten)
        #expect(mended.endsAt == nil && mended.changes.allSatisfy(\.isConfirmed))
        let expected = Self.written
            .replacing("- press: Sign in", with: "- press: { any: [{ button: Sign in }, { button: Log in }] }")
            .replacing(
                """
                  - second factor:
                      field: One-time code
                      from: [vault, person]
                      within: 2 min
                """,
                with:
                    "  - second factor: { field: { any: [{ field: One-time code }, { field: Security number }] }, "
                    + "from: [vault, person], within: 2 min }")
        #expect(text.text == expected)
    }
}
