import Automation
import BankScript
import Clocks
import CountersignPlugins
import Foundation
import Phone
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

/// A sign-in that shows whether the bank accepts the credentials, before they are stored.
///
/// A bank counts wrong passwords and locks the account after a few. So one start never sends the same credentials twice, and
/// others only after the person has typed them. A later start does not send a file's refused credentials again while the file
/// is unchanged. After two test logins without an acceptance within a day, no start sends any, and none after three refused
/// one-time codes in a row.
package struct TestLogin: Sendable {
    /// The time that a sign-in may take, with the bank's question for a code.
    static let time: TimeInterval = 120

    let bankID: String
    let bankName: String
    /// The command that a person runs again afterwards.
    var command = "countersign up"
    let output: HouseholdOutput
    let refusals: RefusedLogins
    /// The file of the first credentials, as it was before it was read; nil without one.
    var file: CredentialsFileVersion?
    /// Signs in once, knowing the number of one-time codes that the bank has refused in a row.
    let attempt: @Sendable ([String: Secret], Int) async -> SignInTrial.Outcome
    /// Asks for other credentials; nil when the person gives none.
    let others: @Sendable () async throws -> [String: Secret]?
    var canAsk: @Sendable () -> Bool = { Asking.isPossible }
    /// Asks whether to go on without a test login.
    var waives: @Sendable (String) -> Bool = { Asking.yes($0) }
    var now: @Sendable () -> Date = { Date() }

    /// Signs in with the credentials, and asks for others when the bank refuses them.
    ///
    /// - Returns: the credentials to store: accepted ones, or those about which the bank has said nothing.
    /// - Throws: ``CommandFailure`` when the bank refuses them and no other sign-in is safe, or none is wanted.
    func checked(_ first: [String: Secret]) async throws -> [String: Secret] {
        var credentials = first
        var refused: [[String: Secret]] = []
        try checkFile()
        while true {
            let known = try checkCount()
            output.report("login", "Signing in at \(bankName), once.")
            let verdict = try await verdict(on: credentials, after: known)
            let failure: RunFailure
            switch verdict {
            case .refused(let refusal): failure = refusal
            case .notLetIn(let refusal): throw atBank(refusal.message, Self.words(of: refusal))
            case .accepted, .unseen, .unanswered, .codesRefused:
                try tell(verdict)
                return credentials
            }
            refused.append(credentials)
            // A script without reasons does not say whether it was the code.
            if let file, refused.count == 1, failure.reason != nil || failure.refusedCodes == 0 {
                try refusals.note(file, bank: bankID)
            }
            output.report("login_refused", "\(bankName) refused these credentials.\(Self.words(of: failure))")
            _ = try checkCount()
            credentials = try await another(than: refused)
        }
    }

    private static func words(of failure: RunFailure) -> String {
        failure.bankWords.map { " It says: “\($0)”" } ?? ""
    }

    /// The result of a sign-in.
    package enum Verdict: Sendable {
        case accepted
        /// The bank refused nothing, but no step looked at a page behind the sign-in.
        case unseen
        /// It ended before the bank had accepted or refused it; `isDoubted` when the bank may have counted a refusal.
        case unanswered(RunFailure, isDoubted: Bool)
        /// The bank refused so many one-time codes in a row.
        case codesRefused(Int)
        /// The bank refused the credentials.
        case refused(RunFailure)
        /// The bank does not let the customer in before something is done on its own pages.
        case notLetIn(RunFailure)
    }

    /// Signs in once, and prints and asks nothing: a page shows what comes of it, and asks for other credentials.
    ///
    /// - Throws: ``Limit`` when no sign-in is safe, before anything is sent; ``CommandFailure`` when the count cannot be kept.
    package func tried(_ credentials: [String: Secret]) async throws -> Verdict {
        let known = try refusals.count(atBank: bankID, at: now())
        if let limit = Limit(known) { throw limit }
        return try await verdict(on: credentials, after: known)
    }

    /// The reason why no sign-in is safe now; nil when one is.
    ///
    /// - Throws: ``CommandFailure`` when the count cannot be read.
    package var limit: Limit? { get throws { Limit(try refusals.count(atBank: bankID, at: now())) } }

    /// Signs in once, and keeps what the bank may have counted.
    private func verdict(
        on credentials: [String: Secret], after known: RefusedLogins.Count
    ) async throws -> Verdict {
        // Counted before it is sent: a program that is killed meanwhile hears no answer.
        try refusals.note(bank: bankID, at: now())
        let outcome = await attempt(credentials, known.codes)
        switch outcome {
        case .accepted(let failure?): try keepCount(of: failure)
        case .failed(let failure):
            try keepCount(of: failure)
            try keepDoubt(about: failure)
        case .accepted(nil): try refusals.changeCodes(bank: bankID) { _ in 0 }
        case .unknown: break
        }
        try Task.checkCancellation()
        let verdict = try verdict(of: outcome)
        if case .accepted = verdict { try refusals.endCountOfLogins(bank: bankID) }
        return verdict
    }

    private func verdict(of outcome: SignInTrial.Outcome) throws -> Verdict {
        switch outcome {
        case .accepted: return .accepted
        case .unknown: return .unseen
        case .failed(let failure):
            switch SignInVerdict(failure) {
            case .accepted?: return .accepted
            case nil: return .unanswered(failure, isDoubted: false)
            case .refused(.signInNotConfirmed)?: return .unanswered(failure, isDoubted: true)
            case .refused(let reason)?:
                return [nil, .wrongCredentials].contains(reason) ? .refused(failure) : .notLetIn(failure)
            case .wrongCode?: return .codesRefused(try refusals.count(atBank: bankID, at: now()).codes)
            }
        }
    }

    /// Keeps what the bank may have counted, and only that.
    private func keepCount(of failure: RunFailure) throws {
        guard failure.hasSentCredentials else { return try refusals.takeBack(bank: bankID) }
        let refused = failure.reason == .wrongCode ? max(1, failure.refusedCodes) : failure.refusedCodes
        try refusals.changeCodes(bank: bankID) { (failure.isCodeConfirmed ? 0 : $0) + refused }
    }

    /// Keeps whether the bank may have refused the credentials unseen. Only a verdict ends an earlier doubt.
    private func keepDoubt(about failure: RunFailure) throws {
        switch SignInVerdict(failure) {
        case nil: break
        case .refused(.signInNotConfirmed)?: try refusals.doubt(bank: bankID, at: now())
        default: try refusals.endDoubt(bank: bankID)
        }
    }

    /// Tells of a sign-in that the bank did not refuse.
    private func tell(_ verdict: Verdict) throws {
        switch verdict {
        case .accepted: output.report("login_accepted", "\(bankName) accepted the sign-in.")
        case .unseen:
            output.report(
                "login_unknown",
                "It is not known whether \(bankName) accepted the sign-in: its script looks at no page behind it without a "
                    + "download. The credentials are kept as they are.")
        case .codesRefused(let count):
            guard count < Self.mostCodes else {
                throw CommandFailure(
                    "\(bankName) refused \(count) one-time codes in a row; nothing was stored. One more could lock the account. "
                        + "Sign in at the bank's own pages first, then run \(command) again")
            }
            output.report(
                "login_unknown", "\(bankName) refused the one-time code. The credentials are kept as they are.")
        case .unanswered(let failure, let isDoubted):
            let next = isDoubted ? " The phone asks you before it sends them again." : ""
            output.report(
                "login_unknown",
                "The sign-in at \(bankName) ended before the bank had accepted or refused it: \(failure.message). The credentials "
                    + "are kept as they are.\(next)")
        case .refused, .notLetIn: break
        }
    }

    /// The refused one-time codes in a row after which nothing is stored.
    package static let mostCodes = 2

    private func another(than refused: [[String: Secret]]) async throws -> [String: Secret] {
        while let typed = try await others() {
            guard refused.contains(where: { Self.areSame($0, typed) }) else { return typed }
            output.report("login_same", "\(bankName) has refused these already, so they are not sent again.")
        }
        throw CommandFailure(
            "\(bankName) refused the credentials; nothing was stored. Run \(command) again with the right ones")
    }

    /// Returns whether two sets of credentials are the same.
    package static func areSame(_ left: [String: Secret], _ right: [String: Secret]) -> Bool {
        left.count == right.count
            && left.allSatisfy { name, value in right[name].map { $0.isEqual(to: value) } ?? false }
    }

    private func atBank(_ message: String, _ words: String) -> CommandFailure {
        CommandFailure(
            "\(bankName) does not let this customer in now: \(message).\(words) Nothing was stored. Sign in at the bank's own pages, "
                + "then run \(command) again")
    }

    /// Checks that a test login is safe, before its credentials are read or typed.
    ///
    /// - Throws: ``CommandFailure`` when it could lock the account, or when the count cannot be read.
    func check() throws {
        try checkFile()
        _ = try checkCount()
    }

    /// Checks that a test login is safe. A person who may do without one is asked whether to go on without it.
    ///
    /// - Returns: false when the person goes on without one.
    /// - Throws: ``CommandFailure`` when it is not safe, and is wanted.
    func isToBeMade(orWaived mayBeWaived: Bool) throws -> Bool {
        do {
            try check()
            return true
        } catch let failure as CommandFailure where mayBeWaived && canAsk() {
            output.report("login_refused", "No test login can be made now: \(failure.message).")
            guard waives("Store the credentials without a test login?") else { throw failure }
            return false
        }
    }

    /// - Throws: ``CommandFailure`` when the bank has refused the credentials in the file.
    private func checkFile() throws {
        guard let file, try refusals.count(atBank: bankID, at: now()).files.contains(file.mark) else { return }
        throw CommandFailure(
            "\(bankName) refused the credentials in \(file.path), and the file has not changed since, so they are not sent "
                + "again; nothing was stored. Correct the file, then run \(command) again. If they are right after all, run "
                + "\(command) --no-test-login")
    }

    /// Returns what counts at the bank.
    ///
    /// - Throws: ``CommandFailure`` when one more refusal could lock the account, or the count cannot be read.
    private func checkCount() throws -> RefusedLogins.Count {
        let known = try refusals.count(atBank: bankID, at: now())
        switch Limit(known) {
        case nil: return known
        case .codes(let count)?:
            throw CommandFailure(
                "\(bankName) refused \(count) one-time codes in a row, and another one could lock the account; nothing was "
                    + "stored. Sign in at the bank's own pages first, then run \(command) --no-test-login")
        case .logins(let count, let end)?:
            throw CommandFailure(
                "\(count) test logins at \(bankName) ended without an acceptance within a day, and another one could lock the "
                    + "account; nothing was stored. Sign in at the bank's own pages to see which credentials are right, then "
                    + "run \(command) --no-test-login, or wait until \(end.inWords())")
        }
    }

    /// The reason why one more test login could lock the account.
    package enum Limit: Error, Sendable, Hashable {
        /// So many one-time codes were refused in a row.
        case codes(Int)
        /// So many test logins ended without an acceptance; the next one is safe at a time.
        case logins(Int, until: Date)

        /// - Returns: nil when a test login is safe.
        init?(_ known: RefusedLogins.Count) {
            if known.codes >= SecondFactorStep.triesRange.upperBound {
                self = .codes(known.codes)
            } else if known.times.count >= RefusedLogins.limit, let oldest = known.times.first {
                self = .logins(known.times.count, until: oldest.addingTimeInterval(RefusedLogins.span))
            } else {
                return nil
            }
        }
    }
}

extension TestLogin {
    /// Returns the test login of a phone that is being set up; nil when its bank's script signs in with no step of its own.
    ///
    /// - Throws: ``CommandFailure`` when the folder of scripts cannot be read.
    init?(of phone: HouseholdFile.Phone, _ setup: HouseholdSetup, output: HouseholdOutput) throws {
        guard let script = try setup.registry(of: phone).script(forBank: phone.bankID) else { return nil }
        self.init(
            of: script, dataFolder: setup.folder, file: setup.credentials, authority: phone.authority, output: output)
    }

    /// Returns the test login of a bank's script; nil when it signs in with no step of its own.
    ///
    /// - Parameters:
    ///   - dataFolder: the household's, where the bank's refusals are counted.
    ///   - file: the path of the file with the first credentials; nil without one.
    ///   - authority: the file of an additional certificate authority; nil for the machine's alone.
    ///   - home: the phone whose vault is open meanwhile, so that the bank's pages are read in another process; nil without one.
    init?(
        of script: BankScript, dataFolder: URL, file: String?, authority: URL?, besideVaultOf home: PhoneHome? = nil,
        output: HouseholdOutput
    ) {
        guard let trial = SignInTrial(script) else { return nil }
        let (names, bankName) = (script.credentials, script.name)
        let visit = home.flatMap { home in
            VisitProgram(authority: authority, sharesNetwork: false).map { SignInVisit($0, downloads: home.downloads) }
        }
        self.init(
            bankID: script.id, bankName: bankName, output: output,
            refusals: RefusedLogins(dataFolder: dataFolder),
            file: file.flatMap(CredentialsFileVersion.init(path:)),
            attempt: {
                await trial.perform(
                    $0, person: TerminalPrompt(), codesRefusedBefore: $1,
                    EngineSettings(certificateAuthority: authority), in: visit)
            },
            others: {
                guard Asking.isPossible else { return nil }
                return try await Asking.waiting { withdrawal in
                    var answers: [String: Secret] = [:]
                    for name in names {
                        let question = "Your \(name.replacing("_", with: " ")) at \(bankName) (empty to give up):"
                        let answer = ScriptFolderOptions.asked(name, question, unless: withdrawal)
                        guard let answer, !answer.isEmpty else { return nil }
                        answers[name] = answer
                    }
                    return answers
                }
            })
    }

    /// Returns the test login of a script for a page, which asks for other credentials itself; nil when no step of the script signs
    /// in.
    ///
    /// - Parameters:
    ///   - dataFolder: the household's, where the bank's refusals are counted.
    ///   - settings: those of the phone's own visits.
    ///   - visit: reads the bank's pages in another process; nil where runs, too, read them in this one.
    ///   - person: answers the bank's questions.
    package init?(
        of script: BankScript, dataFolder: URL, _ settings: EngineSettings, in visit: SignInVisit?,
        person: any HumanPrompt
    ) {
        guard let trial = SignInTrial(script) else { return nil }
        self.init(
            bankID: script.id, bankName: script.name, output: HouseholdOutput(json: false),
            refusals: RefusedLogins(dataFolder: dataFolder, namesSetup: false), file: nil,
            attempt: { await trial.perform($0, person: person, codesRefusedBefore: $1, settings, in: visit) },
            others: { nil }, canAsk: { false })
    }

    /// Asks whether to sign in now.
    var isWanted: Bool {
        get async throws {
            output.report(
                "login_offer",
                "A test login shows whether \(bankName) accepts these credentials. A wrong password counts at the bank."
            )
            let question = "Sign in at \(bankName) now?"
            return try await Asking.waiting { Asking.yesByDefault(question, unless: $0) } ?? false
        }
    }
}
