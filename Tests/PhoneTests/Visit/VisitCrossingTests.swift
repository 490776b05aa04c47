import Automation
import BankScript
import Clocks
import Encodings
import Foundation
import Messages
import PhoneStore
import Secrets
import Testing

@testable import Phone

/// Everything that crosses between the phone and the process of a visit, through the JSON in which it does.
@Suite("What crosses between the phone and a visit")
struct VisitCrossingTests {
    private static let folder = URL(filePath: "/phone/downloads/visit-1", directoryHint: .isDirectory)
    private static let script = BankScript("north", named: "North Bank", at: "https://north.example") { Open("/") }

    private static func crossed(_ json: JSONValue) throws -> JSONValue {
        try JSONReader.read(json.compactText(), limits: JSONLimits(size: 64 << 20))
    }

    private struct Page: PageSnapshot {
        var url = "https://north.example/a?session=1"
        var title = "A page"
        var status = 404
        var matchCount = 2
        func sanitised(keepingDigits: Bool) -> String { keepingDigits ? "<p>12</p>" : "<p>••</p>" }
    }

    private static let place = StepPlace(
        number: 3, depth: 1, isFinally: true, words: "press “Sign in”", mark: Mark(file: "a.yaml", line: 7, column: 3))

    private static func failure(_ change: (inout RunFailure) -> Void) -> RunFailure {
        var failure = RunFailure(.navigationFailed, message: "no such button")
        change(&failure)
        return failure
    }

    private static let failures: [RunFailure] = [
        failure { _ in },
        failure { failure in
            failure.code = .bankLoginFailed
            failure.reason = .wrongCredentials
            failure.bankWords = "Those are not your details.\nTry again"
            failure.place = place
            failure.page = RunFailure.PageReference(url: "https://north.example/a", title: "Sign in")
            failure.candidates = ["button “Log in”", "link “Sign in”"]
            failure.refusedCodes = 2
            failure.isCodeConfirmed = true
            failure.isLastCodeRefused = true
        },
        failure { failure in
            failure.place = StepPlace(number: 1, words: "open /")
            failure.hasSentCredentials = true
            failure.isSignInUnconfirmed = true
            failure.snapshot = Page()
        },
    ]

    @Test("a failure is the same on both sides: its report, its flags and its page", arguments: failures)
    func failure(failure: RunFailure) throws {
        let (json, pieces) = failure.visitMessage()
        let arrived = try #require(RunFailure(visitJSON: try Self.crossed(json), pieces: pieces))
        #expect(arrived.description == failure.description)
        #expect(FailureReport(arrived) == FailureReport(failure))
        #expect(SignInVerdict(arrived) == SignInVerdict(failure))
        #expect(arrived.refusedCodes == failure.refusedCodes && arrived.isCodeConfirmed == failure.isCodeConfirmed)
        #expect(arrived.isLastCodeRefused == failure.isLastCodeRefused)
        #expect(arrived.hasSentCredentials == failure.hasSentCredentials)
        #expect(arrived.isSignInUnconfirmed == failure.isSignInUnconfirmed)
        #expect(arrived.place == failure.place && arrived.page == failure.page)
        #expect(arrived.candidates == failure.candidates)
        #expect(arrived.snapshot?.sanitised() == failure.snapshot?.sanitised())
        #expect(arrived.snapshot?.status == failure.snapshot?.status)
        #expect(RunFailure(visitJSON: failure.visitJSON)?.snapshot == nil)
    }

    @Test("a secret that only the other process knows is masked before a failure leaves it")
    func masked() throws {
        let token = Secret("only-there-8841")
        let failure = Self.failure { failure in
            failure.message = "the answer was only-there-8841"
            failure.candidates = ["link “only-there-8841”"]
        }
        let json = withExtendedLifetime(token) { failure.visitMessage().json }
        #expect(!json.compactText().contains("only-there-8841"))
    }

    private static let events: [RunEvent] = [
        .began(script: script.digest, steps: 12), .stepBegan(place), .stepEnded(place, .milliseconds(1250)),
        .stepFailed(place, failures[1], .seconds(2)), .secondFactor(.answeredByVault),
        .secondFactor(.answeredBy(SecondFactorStep.Source(rawValue: "messages")!)),
        .secondFactor(.unanswered(SecondFactorStep.Source(rawValue: "messages")!, "it is off")),
        .secondFactor(
            .asked(
                Prompt(
                    kind: .code(picture: nil), bankName: "North Bank", question: "The code?",
                    deadline: Date(timeIntervalSince1970: 1_800_000_000.25)))),
        .secondFactor(.answered), .captured(name: "day", text: "2026-01-31"),
        .downloaded(
            FetchedDocument(
                file: folder.appending(path: "1.pdf", directoryHint: .notDirectory), kind: .camt,
                sha256: String(repeating: "a", count: 64), bytes: 7)),
        .listedAccounts([
            ListedAccount(name: "Everyday 1234", alias: AccountAlias("Everyday")!, id: "77"),
            ListedAccount(name: "Pot", alias: AccountAlias("Pot")!),
        ]), .warned(4, "look at this"), .ended(.milliseconds(1500)),
    ]

    @Test("an event is the same on both sides", arguments: events.indices)
    func event(index: Int) throws {
        let event = Self.events[index]
        let arrived = RunEvent(
            visitJSON: try Self.crossed(event.visitJSON), of: Self.script, in: Self.folder)
        #expect("\(try #require(arrived))" == "\(event)")
    }

    private static func prompt(_ kind: Prompt.Kind) -> Prompt {
        Prompt(kind: kind, bankName: "North Bank", question: "Which?", deadline: Date(timeIntervalSince1970: 1.5))
    }

    private static let prompts: [Prompt] = [
        prompt(.code(picture: nil)), prompt(.code(picture: Prompt.Picture(bytes: [1, 2, 0], mediaType: "image/png"))),
        prompt(.code(picture: Prompt.Picture(FlickerPicture("1748", typed: ["12", "34"])!))),
        prompt(.choice(["Text to •• 12", "App"])), prompt(.confirmElsewhere),
    ]

    @Test("a question is the same on both sides, under the name of the script's bank", arguments: prompts.indices)
    func question(index: Int) throws {
        let prompt = Self.prompts[index]
        let (json, pieces) = prompt.visitMessage(withPicture: true)
        let arrived = Prompt(visitJSON: try Self.crossed(json), pieces: pieces, bankName: prompt.bankName)
        #expect("\(try #require(arrived))" == "\(prompt)")
        #expect(Prompt(visitJSON: json, pieces: pieces, bankName: "South Bank")?.bankName == "South Bank")
    }

    @Test(
        "a consent is the same on both sides",
        arguments: [
            Consent(), Consent(endsAt: Date(timeIntervalSince1970: 1_800_000_000), needsOwner: false),
            Consent(endedAt: Date(timeIntervalSince1970: 1_700_000_000)),
        ])
    func consent(consent: Consent) throws {
        #expect(Consent(visitJSON: try Self.crossed(consent.visitJSON)) == consent)
    }

    @Test("an order is the same on both sides")
    func order() throws {
        let place = DocumentPlace(account: AccountAlias("Everyday"), period: MonthYear("2026-01")!, kind: .camt)
        for work in [
            VisitWork.one(["month": 1, "year": 2026]),
            .several([place, place.numbered(1)], names: [AccountAlias("Everyday")!: "Everyday 1234"]),
        ] {
            let order = VisitOrder(
                script: VisitScript.json(of: Self.script), work: work, folder: Self.folder,
                authority: URL(filePath: "/ca.pem"), sharesNetwork: true, limit: .seconds(600), codesRefusedBefore: 1,
                advice: "store it", codeSources: ["messages"], end: 5)
            let arrived = try #require(VisitOrder(try Self.crossed(order.json)))
            #expect(arrived.json == order.json)
            #expect(arrived.limit == order.limit && arrived.folder == order.folder && arrived.end == 5)
        }
    }

    @Test(
        "what is of no form is refused",
        arguments: [
            ["event": "nothing"], [:], [1], ["event": "step_began"], ["event": "warned", "step": 1],
            ["event": "began", "steps": -1], ["event": "began", "steps": 9_007_199_254_740_991],
            ["event": "warned", "step": -1, "text": "a"],
            ["event": "step_began", "place": ["number": -1, "depth": 0, "words": "a"]],
            ["event": "step_began", "place": ["number": 1, "depth": 9_007_199_254_740_991, "words": "a"]],
            ["event": "ended", "time": .number(1e300)],
            ["event": "downloaded", "document": ["file": "../vault.json", "kind": "pdf", "sha256": "a", "bytes": 1]],
            ["event": "downloaded", "document": ["file": ".", "kind": "pdf", "sha256": "a", "bytes": 1]],
            ["event": "downloaded", "document": ["file": "a", "kind": "exe", "sha256": "a", "bytes": 1]],
            ["event": "downloaded", "document": ["file": "a", "kind": "pdf", "sha256": "a", "bytes": -1]],
            ["event": "accounts", "accounts": [["name": "a", "alias": ""]]],
            ["event": "step_failed", "failure": ["code": "NO_SUCH_CODE", "message": "a", "candidates": []]],
        ] as [JSONValue])
    func refused(json: JSONValue) {
        #expect(RunEvent(visitJSON: json, of: Self.script, in: Self.folder) == nil)
    }

    @Test("a text that is too long is refused, or cut before it leaves")
    func long() {
        let long = String(repeating: "a", count: 30_000)
        var json = RunFailure(.navigationFailed, message: long).visitJSON
        #expect(RunFailure(visitJSON: json)?.message.count == 20_000)
        guard case .object(var members) = json else { return }
        members["message"] = .string(long)
        json = .object(members)
        #expect(RunFailure(visitJSON: json) == nil)
        members["message"] = .string("a" + String(repeating: "\u{301}", count: 100_000))
        #expect(RunFailure(visitJSON: .object(members)) == nil, "one character")
        let place = StepPlace(number: 1, words: long)
        #expect(StepPlace(visitJSON: place.visitJSON)?.words.count == 2_000)
    }
}
