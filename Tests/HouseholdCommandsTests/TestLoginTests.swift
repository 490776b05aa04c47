import Automation
import BankScript
import Foundation
import Messages
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
        /// The number of refused codes that each attempt was told of.
        let codes = Mutex<[Int]>([])
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
            try self.init(typing: answers, outcome: { failure($0).map(SignInTrial.Outcome.failed) ?? .accepted(nil) })
        }

        deinit { folder.remove() }

        /// - Parameter file: the file of the first credentials.
        func login(at now: Date = TestLoginTests.now, from file: URL? = nil) -> TestLogin {
            TestLogin(
                bankID: "north", bankName: "North Bank", output: HouseholdOutput(json: true),
                refusals: RefusedLogins(dataFolder: folder.url),
                file: file.flatMap { CredentialsFileVersion(path: $0.path) },
                attempt: { [self] credentials, refused in
                    let password = credentials["password"]?.revealed() ?? ""
                    sent.withLock { $0.append(password) }
                    codes.withLock { $0.append(refused) }
                    return outcome(password)
                },
                others: { [self] in
                    answers.withLock { $0.isEmpty ? nil : Stage.credentials($0.removeFirst()) }
                }, now: { now })
        }

        /// Returns the count at the bank as of a time.
        func count(at now: Date = TestLoginTests.now) throws -> RefusedLogins.Count {
            try login().refusals.count(atBank: "north", at: now)
        }

        static func credentials(_ password: String) -> [String: Secret] {
            ["username": Secret("trial.customer.of.north"), "password": Secret(password)]
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_795_608_000)
    private static let right = "the right trial password"
    private static let wrong = "the mistyped trial password"
    private static let refusal: @Sendable (String) -> RunFailure? = {
        $0 == right ? nil : failure(.bankLoginFailed, .wrongCredentials, "the sign-in failed")
    }

    /// The failure of a run that sent the password.
    private static func failure(
        _ code: ErrorCode, _ reason: FailureReason?, _ message: String, refusedCodes: Int = 0,
        isUnanswered: Bool = false
    ) -> RunFailure {
        var failure = RunFailure(code, reason: reason, message: message)
        failure.hasSentCredentials = true
        failure.refusedCodes = refusedCodes
        failure.isSignInUnanswered = isUnanswered
        return failure
    }

    @Test("that the bank accepts is made once")
    func accepted() async throws {
        let stage = try Stage(failure: Self.refusal)
        let kept = try await stage.login().checked(Stage.credentials(Self.right))
        #expect(kept["password"]?.isEqual(to: Secret(Self.right)) == true)
        #expect(stage.sent.withLock { $0 } == [Self.right])
        #expect(try stage.count() == RefusedLogins.Count())
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
        let tomorrow = Self.now.addingTimeInterval(86_401)
        _ = try await stage.login(at: tomorrow).checked(Stage.credentials(Self.right))
        #expect(stage.sent.withLock { $0.last } == Self.right)
    }

    @Test("that cannot be made is waived by a person who may do without one", arguments: [true, false])
    func waived(answer: Bool) async throws {
        let stage = try Stage(typing: ["another trial password"], failure: Self.refusal)
        await #expect(throws: CommandFailure.self) { try await stage.login().checked(Stage.credentials(Self.wrong)) }
        var login = stage.login()
        (login.canAsk, login.waives) = ({ true }, { _ in answer })
        if answer {
            #expect(try !login.isToBeMade(orWaived: true))
        } else {
            #expect(throws: CommandFailure.self) { try login.isToBeMade(orWaived: true) }
        }
        #expect(throws: CommandFailure.self) { try login.isToBeMade(orWaived: false) }
        try login.refusals.endCountOfLogins(bank: "north", until: Self.now.addingTimeInterval(-1))
        #expect(try stage.count().times.count == 2, "the bank accepted a sign-in before them")
        try login.refusals.endCountOfLogins(bank: "north", until: Self.now)
        #expect(try login.isToBeMade(orWaived: false), "a run was accepted since")
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
            Self.failure(.bankLoginFailed, reason, "the bank has a word to say")
        }
        await #expect { try await stage.login().checked(Stage.credentials(Self.wrong)) } throws: {
            "\($0)".contains("a word to say. Nothing was stored. Sign in at the bank's own pages")
        }
        #expect(stage.sent.withLock { $0.count } == 1)
    }

    @Test(
        "without the bank's verdict keeps the credentials, and counts if something was sent",
        arguments: [
            (RunFailure(.navigationFailed, reason: .networkFailed, message: "no network"), 0, 0, false),
            (failure(.navigationFailed, .networkFailed, "no network"), 1, 0, false),
            (failure(.navigationFailed, .networkFailed, "no answer", isUnanswered: true), 1, 0, true),
            (failure(.navigationFailed, .timeout, "out of time", isUnanswered: true), 1, 0, true),
            (failure(.bankLoginFailed, .signInNotConfirmed, "another page"), 1, 0, true),
            (failure(.bankLoginFailed, .wrongCode, "the code is not right"), 1, 1, false),
            (failure(.bankLoginFailed, .termsToAccept, "new terms"), 1, 0, false),
            (failure(.bankSecondFactorTimeout, .noAnswer, "no answer"), 1, 0, false),
            (failure(.navigationFailed, .layoutChanged, "another page", refusedCodes: 1), 1, 1, false),
        ])
    func unknown(failure: RunFailure, logins: Int, codes: Int, isUnconfirmed: Bool) async throws {
        let stage = try Stage { _ in failure }
        let kept = try await stage.login().checked(Stage.credentials(Self.wrong))
        #expect(kept["password"]?.isEqual(to: Secret(Self.wrong)) == true && stage.sent.withLock { $0.count } == 1)
        let count = try stage.count(at: Self.now.addingTimeInterval(1))
        #expect(count.times.count == logins && count.codes == codes, "\(count)")
        #expect((count.doubtedAt != nil) == isUnconfirmed, "\(count)")
    }

    @Test(
        "takes the doubt about an earlier one back with a verdict of the bank, and only then",
        arguments: [
            (nil, true), (RunFailure(.navigationFailed, reason: .networkFailed, message: "no network"), false),
            (failure(.navigationFailed, .networkFailed, "behind an answer"), false),
            (failure(.bankLoginFailed, .wrongCode, "the code is not right"), true),
        ] as [(RunFailure?, Bool)])
    func doubtEnds(failure: RunFailure?, isHeard: Bool) async throws {
        let stage = try Stage { _ in failure }
        try stage.login().refusals.doubt(bank: "north", at: Self.now)
        _ = try await stage.login().checked(Stage.credentials(Self.right))
        #expect((try stage.count().doubtedAt == nil) == isHeard)
    }

    @Test("that is interrupted counts only if something was sent", arguments: [false, true])
    func interrupted(hasSent: Bool) async throws {
        var failure = RunFailure(.navigationFailed, reason: .cancelled, message: "the run was cancelled")
        failure.hasSentCredentials = hasSent
        failure.isSignInUnanswered = hasSent
        let stage = try Stage { [failure] _ in failure }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stage.login().checked(Stage.credentials(Self.right))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try stage.count().times.count == (hasSent ? 1 : 0))
        #expect((try stage.count().doubtedAt != nil) == hasSent, "the bank may have heard it")
    }

    @Test("does not send a file's refused credentials again at a later start, until the file changes")
    func sameFile() async throws {
        let stage = try Stage(failure: Self.refusal)
        let file = stage.folder.url.appending(path: "login.json")
        try Data("one".utf8).write(to: file)
        for start in 1...2 {
            await #expect(throws: CommandFailure.self) {
                try await stage.login(from: file).checked(Stage.credentials(Self.wrong))
            }
            #expect(stage.sent.withLock { $0.count } == 1, "start \(start)")
        }
        #expect { try stage.login(from: file).check() } throws: {
            "\($0)".contains("refused the credentials in \(file.path), and the file has not changed since")
        }
        // The refusal of a file has no end, as the count of a day has.
        #expect(throws: CommandFailure.self) {
            try stage.login(at: Self.now.addingTimeInterval(1_000_000), from: file).check()
        }
        try Data("another one".utf8).write(to: file)
        _ = try await stage.login(from: file).checked(Stage.credentials(Self.right))
        let count = try stage.count()
        #expect(count.times.isEmpty && count.files.count == 1, "a refused file stays refused: \(count)")
    }

    @Test("notes no file when the person's own answer is refused, or when the bank refuses for another reason")
    func otherFile() async throws {
        let typed = try Stage(typing: [Self.wrong]) { _ in Self.failure(.bankLoginFailed, .accountLocked, "locked") }
        let file = typed.folder.url.appending(path: "login.json")
        try Data("one".utf8).write(to: file)
        await #expect(throws: CommandFailure.self) {
            try await typed.login(from: file).checked(Stage.credentials(Self.right))
        }
        #expect(try typed.count().files.isEmpty)
        #expect(CredentialsFileVersion(path: "-") == nil && CredentialsFileVersion(path: "/dev/null") == nil)
    }

    @Test("is counted before it is sent, so that a program that is killed has counted it; no credential is in the file")
    func killed() async throws {
        let refusals = Mutex<RefusedLogins?>(nil)
        let stage = try Stage { _ in
            let count = try? refusals.withLock { $0 }?.count(atBank: "north", at: Self.now.addingTimeInterval(1))
            return count?.times.count == 1
                ? nil : Self.failure(.bankLoginFailed, .wrongCredentials, "it was not counted")
        }
        let login = stage.login()
        refusals.withLock { $0 = login.refusals }
        _ = try await login.checked(Stage.credentials(Self.right))
        #expect(try !String(contentsOf: login.refusals.file, encoding: .utf8).contains("trial"))
        let mode = try FileManager.default.attributesOfItem(atPath: login.refusals.file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("whose outcome is not known keeps the credentials, and forgets nothing that counts")
    func notKnown() async throws {
        let stage = try Stage(outcome: { _ in .unknown })
        try stage.login().refusals.note(bank: "north", at: Self.now)
        let kept = try await stage.login().checked(Stage.credentials(Self.right))
        #expect(kept["password"]?.isEqual(to: Secret(Self.right)) == true)
        #expect(try stage.count().times.count == 2)
    }

    @Test("ends the setup when the bank refused two codes in a row, and sends none after three, over several starts")
    func codesInARow() async throws {
        let refusedCodes = Mutex(2)
        let stage = try Stage { _ in
            Self.failure(.bankLoginFailed, .wrongCode, "not right", refusedCodes: refusedCodes.withLock { $0 })
        }
        await #expect { try await stage.login().checked(Stage.credentials(Self.right)) } throws: {
            "\($0)".contains("refused 2 one-time codes in a row; nothing was stored")
        }
        refusedCodes.withLock { $0 = 1 }
        await #expect { try await stage.login().checked(Stage.credentials(Self.right)) } throws: {
            "\($0)".contains("refused 3 one-time codes in a row; nothing was stored")
        }
        #expect(stage.codes.withLock { $0 } == [0, 2], "the second start knows of the first one's codes")
        // The count of a day is over, and that of the codes is not.
        let later = Self.now.addingTimeInterval(1_000_000)
        await #expect { try await stage.login(at: later).checked(Stage.credentials(Self.right)) } throws: {
            "\($0)".contains("refused 3 one-time codes in a row, and another one could lock the account")
        }
        #expect(stage.sent.withLock { $0.count } == 2, "nothing was sent at the third start")
    }

    @Test("that the bank accepts by its password keeps the count of codes, unless a step shows that one was right")
    func acceptedPassword() async throws {
        for (isConfirmed, codes) in [(false, 3), (true, 1)] {
            var ending = Self.failure(.navigationFailed, .cancelled, "ended behind the sign-in", refusedCodes: 1)
            ending.isCodeConfirmed = isConfirmed
            let stage = try Stage(outcome: { [ending] _ in .accepted(ending) })
            try stage.login().refusals.changeCodes(bank: "north") { _ in 2 }
            _ = try await stage.login().checked(Stage.credentials(Self.right))
            let count = try stage.count()
            #expect(count.codes == codes && count.times.isEmpty, "\(count)")
        }
    }

    @Test("begins to count codes anew after a right one")
    func rightCode() async throws {
        var failure = Self.failure(.navigationFailed, .layoutChanged, "another page", refusedCodes: 1)
        failure.isCodeConfirmed = true
        let stage = try Stage { [failure] _ in failure }
        try stage.login().refusals.changeCodes(bank: "north") { _ in 2 }
        _ = try await stage.login().checked(Stage.credentials(Self.right))
        #expect(try stage.count().codes == 1)
    }

    @Test("is made once for a page, which asks for other credentials itself, and counts as at the terminal")
    func tried() async throws {
        let stage = try Stage(typing: [Self.right], failure: Self.refusal)
        for password in [Self.wrong, "another trial password"] {
            let verdict = try await stage.login().tried(Stage.credentials(password))
            guard case .refused = verdict else {
                Issue.record("\(verdict)")
                continue
            }
        }
        #expect(try stage.login().limit == .logins(2, until: Self.now.addingTimeInterval(RefusedLogins.span)))
        await #expect(throws: TestLogin.Limit.self) { try await stage.login().tried(Stage.credentials(Self.right)) }
        #expect(stage.sent.withLock { $0 } == [Self.wrong, "another trial password"])
        let tomorrow = Self.now.addingTimeInterval(86_401)
        let verdict = try await stage.login(at: tomorrow).tried(Stage.credentials(Self.right))
        if case .accepted = verdict {} else { Issue.record("\(verdict)") }
        #expect(try stage.count(at: tomorrow) == RefusedLogins.Count(), "an acceptance ends the count")
    }

    @Test(
        "is not made when the count of the others cannot be read, and the file stays as it is",
        arguments: [
            "", "not a list", "[]", #"{"north": "1795608000"}"#, #"{"north": {"logins": ["today"]}}"#,
            #"{"north": {"logins": [{"time": "1795608000"}]}}"#, #"{"north": {"refused_codes": -1}}"#,
            #"{"north": {"refused_codes": "2"}}"#, #"{"north": {"doubted": true}}"#,
            #"{"north": {"refused_files": "login.json"}}"#,
        ])
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
