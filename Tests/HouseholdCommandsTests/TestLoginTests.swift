import Automation
import BankScript
import Foundation
import ScriptCommands
import Secrets
import Synchronization
import Terminal
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("A test login")
struct TestLoginTests {
    /// A bank that accepts one password, and a person who types some others.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        let answers: Mutex<[String]>
        let sent = Mutex<[String]>([])
        let outcome: @Sendable (String) -> SignInTrial.Outcome

        init(
            typing answers: [String] = [], outcome: @escaping @Sendable (String) -> SignInTrial.Outcome
        ) throws {
            folder = try TemporaryFolder()
            self.answers = Mutex(answers)
            self.outcome = outcome
        }

        convenience init(
            typing answers: [String] = [], failure: @escaping @Sendable (String) -> RunFailure?
        ) throws {
            try self.init(typing: answers, outcome: { failure($0).map(SignInTrial.Outcome.failed) ?? .accepted })
        }

        deinit { folder.remove() }

        func login(at now: Date = Date(timeIntervalSince1970: 1_795_608_000)) -> TestLogin {
            TestLogin(
                bankID: "north", bankName: "North Bank", output: HouseholdOutput(json: true),
                refusals: RefusedLogins(dataFolder: folder.url),
                attempt: { [self] credentials in
                    let password = credentials["password"]?.revealed() ?? ""
                    sent.withLock { $0.append(password) }
                    return outcome(password)
                },
                others: { [self] in
                    answers.withLock { $0.isEmpty ? nil : Stage.credentials($0.removeFirst()) }
                }, now: { now })
        }

        static func credentials(_ password: String) -> [String: Secret] {
            ["username": Secret("trial.customer.of.north"), "password": Secret(password)]
        }
    }

    private static let right = "the right trial password"
    private static let wrong = "the mistyped trial password"
    private static let refusal: @Sendable (String) -> RunFailure? = {
        $0 == right ? nil : RunFailure(.bankLoginFailed, reason: .wrongCredentials, message: "the sign-in failed")
    }

    @Test("that the bank accepts is made once")
    func accepted() async throws {
        let stage = try Stage(failure: Self.refusal)
        let kept = try await stage.login().checked(Stage.credentials(Self.right))
        #expect(kept["password"]?.isEqual(to: Secret(Self.right)) == true)
        #expect(stage.sent.withLock { $0 } == [Self.right])
        #expect(
            try stage.login().refusals.times(ofBank: "north", at: Date(timeIntervalSince1970: 1_795_608_000)).isEmpty)
    }

    @Test("that the bank refuses is made again with other credentials only: the same are never sent twice")
    func notTwice() async throws {
        let stage = try Stage(typing: [Self.wrong, Self.wrong, Self.right], failure: Self.refusal)
        let kept = try await stage.login().checked(Stage.credentials(Self.wrong))
        #expect(kept["password"]?.isEqual(to: Secret(Self.right)) == true)
        #expect(stage.sent.withLock { $0 } == [Self.wrong, Self.right])
    }

    @Test("is made at most twice in a day when the bank refuses it, also over several starts")
    func counted() async throws {
        let stage = try Stage(typing: ["another trial password", Self.right], failure: Self.refusal)
        await #expect { try await stage.login().checked(Stage.credentials(Self.wrong)) } throws: {
            "\($0)".contains("2 test logins at North Bank ended without an acceptance within a day")
        }
        #expect(stage.sent.withLock { $0 } == [Self.wrong, "another trial password"])
        await #expect(throws: CommandFailure.self) {
            try await stage.login().checked(Stage.credentials(Self.right))
        }
        #expect(stage.sent.withLock { $0.count } == 2, "nothing was sent at the second start")
        let tomorrow = Date(timeIntervalSince1970: 1_795_608_000 + 86_401)
        _ = try await stage.login(at: tomorrow).checked(Stage.credentials(Self.right))
        #expect(stage.sent.withLock { $0.last } == Self.right)
    }

    @Test("ends when the person gives no other credentials, and nothing is stored")
    func givenUp() async throws {
        let stage = try Stage(failure: Self.refusal)
        await #expect { try await stage.login().checked(Stage.credentials(Self.wrong)) } throws: {
            "\($0)".contains("refused the credentials; nothing was stored")
        }
    }

    @Test(
        "that only the bank's own pages can answer is not made again",
        arguments: [FailureReason.accountLocked, .passwordChangeRequired, .attemptsUsed])
    func atBank(reason: FailureReason) async throws {
        let stage = try Stage(typing: [Self.right]) { _ in
            RunFailure(.bankLoginFailed, reason: reason, message: "the bank has a word to say")
        }
        await #expect { try await stage.login().checked(Stage.credentials(Self.wrong)) } throws: {
            "\($0)".contains("Sign in at the bank's own pages")
        }
        #expect(stage.sent.withLock { $0.count } == 1)
    }

    @Test(
        "without the bank's verdict keeps the credentials, and does not count",
        arguments: [
            RunFailure(.navigationFailed, reason: .networkFailed, message: "no network"),
            RunFailure(.bankLoginFailed, reason: .wrongCode, message: "the code is not right"),
            RunFailure(.bankLoginFailed, reason: .termsToAccept, message: "new terms"),
            RunFailure(.bankSecondFactorTimeout, reason: .noAnswer, message: "no answer"),
        ])
    func unknown(failure: RunFailure) async throws {
        let stage = try Stage { _ in failure }
        let kept = try await stage.login().checked(Stage.credentials(Self.wrong))
        #expect(kept["password"]?.isEqual(to: Secret(Self.wrong)) == true && stage.sent.withLock { $0.count } == 1)
        #expect(
            try stage.login().refusals.times(ofBank: "north", at: Date(timeIntervalSince1970: 1_795_608_001)).isEmpty)
    }

    @Test("is counted before it is sent, so that a program that is killed has counted it; no credential is in the file")
    func killed() async throws {
        let refusals = Mutex<RefusedLogins?>(nil)
        let stage = try Stage { _ in
            let times = try? refusals.withLock { $0 }?.times(
                ofBank: "north", at: Date(timeIntervalSince1970: 1_795_608_001))
            return times?.count == 1
                ? nil : RunFailure(.bankLoginFailed, reason: .wrongCredentials, message: "it was not counted")
        }
        let login = stage.login()
        refusals.withLock { $0 = login.refusals }
        _ = try await login.checked(Stage.credentials(Self.right))
        #expect(try !String(contentsOf: login.refusals.file, encoding: .utf8).contains("trial"))
    }

    @Test("whose outcome is not known keeps the credentials, and forgets nothing that counts")
    func notKnown() async throws {
        let now = Date(timeIntervalSince1970: 1_795_608_000)
        let stage = try Stage(outcome: { _ in .unknown })
        try stage.login().refusals.note(bank: "north", at: now)
        let kept = try await stage.login().checked(Stage.credentials(Self.right))
        #expect(kept["password"]?.isEqual(to: Secret(Self.right)) == true)
        #expect(try stage.login().refusals.times(ofBank: "north", at: now).count == 2)
    }

    @Test("ends the setup when the bank refused two codes in a row")
    func twoCodes() async throws {
        var failure = RunFailure(.bankLoginFailed, reason: .wrongCode, message: "the code is not right")
        failure.refusedCodes = 2
        let stage = try Stage { [failure] _ in failure }
        await #expect { try await stage.login().checked(Stage.credentials(Self.right)) } throws: {
            "\($0)".contains("refused 2 one-time codes; nothing was stored")
        }
    }

    @Test(
        "is not made when the count of the others cannot be read, and the file stays as it is",
        arguments: ["", "not a list", "[]", #"{"north": "1795608000"}"#, #"{"north": [{"time": "1795608000"}]}"#])
    func damaged(text: String) async throws {
        let stage = try Stage(failure: Self.refusal)
        let file = stage.login().refusals.file
        try Data(text.utf8).write(to: file)
        await #expect { try await stage.login().checked(Stage.credentials(Self.right)) } throws: {
            "\($0)".contains(file.path) && "\($0)".contains("--no-test-login")
        }
        #expect(stage.sent.withLock { $0.isEmpty })
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }
}
