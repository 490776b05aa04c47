import BankScript
import Messages
import Testing

@testable import ApprovalPage

@Suite("What a person can do about a failure")
struct NextStepTests {
    private static let origin = "https://bank.example"

    private func step(_ code: ErrorCode?, _ reason: FailureReason?, at origins: [String] = [origin]) -> NextStep {
        NextStep(
            code: code, reason: reason, bankID: "default", needsOwner: true, origins: origins, hasReport: true)
    }

    @Test(
        "is at the bank itself where only the bank can be told",
        arguments: [
            (FailureReason.passwordChangeRequired, "store it here"), (.termsToAccept, "new terms"),
            (.extraIdentification, "question"), (.accountLocked, "unlock"), (.attemptsUsed, "wrong codes"),
            (.tooManyCodes, "wrong codes"),
        ])
    func atBank(reason: FailureReason, words: String) throws {
        let step = step(.bankLoginFailed, reason)
        #expect(step.action == .bank(origin: Self.origin) && step.leadsToBank)
        #expect(try #require(step.advice).contains(words))
        let unreachable = self.step(.bankLoginFailed, reason, at: ["http://127.0.0.1:8767"])
        #expect(unreachable.action == nil && unreachable.advice == step.advice, "the words stay without a link")
    }

    @Test(
        "is one action or one piece of advice for every code",
        arguments: ErrorCode.phoneReports + [.otherDevice])
    func every(code: ErrorCode) {
        for reason in [nil] + FailureReason.allCases.map(Optional.some) {
            let step = step(code, reason)
            #expect(step.action != nil || step.advice != nil, "\(code), \(String(describing: reason))")
        }
        #expect(step(code, nil).leadsToBank == false)
    }

    @Test(
        "is to wait, to ask for something else or to ask again where the script is right",
        arguments: [
            (FailureReason.maintenance, "in some hours"), (.serverError, "in some hours"),
            (.refusedByBank, "in some hours"), (.networkFailed, "in some hours"),
            (.statementMissing, "another month"), (.sessionExpired, "Try again."), (.cancelled, "Try again."),
            (.layoutChanged, "send the report"), (.searchLimit, "send the report"), (.timeout, "send the report"),
        ])
    func otherwise(reason: FailureReason, words: String) throws {
        for code in [ErrorCode.navigationFailed, .pdfDownloadFailed] {
            #expect(try #require(step(code, reason).advice).contains(words))
        }
    }

    @Test(
        "is another answer, not other credentials, when the bank did not take the answer to its question",
        arguments: [
            (FailureReason.wrongCode, "newest code"), (.codeExpired, "newest code"),
            (.approvalCancelled, "approve the sign-in"),
        ])
    func answer(reason: FailureReason, words: String) throws {
        let step = step(.bankLoginFailed, reason)
        #expect(step.action == nil)
        #expect(try #require(step.advice).contains(words))
    }

    @Test(
        "is to change the credentials when the bank refused them", arguments: [ErrorCode.bankLoginFailed, .bankOnHold])
    func credentials(code: ErrorCode) {
        #expect(
            step(code, .wrongCredentials).action
                == .page(name: "Change the credentials", path: "/banks#c-default"))
    }

    @Test("is to unlock the password manager that gave nothing, which says nothing of the bank")
    func lockedManager() {
        let step = step(.credentialUnavailable, nil)
        #expect(
            step.action == nil
                && step.advice == "See that your password manager is unlocked and has this entry, then try again.")
        let sentence = FailureWords.sentence(.credentialUnavailable, nil)
        #expect(sentence == "Your password manager gave no credential; it may be locked. The sign-in was not finished.")
    }

    @Test(
        "after the end of a consent is to connect the bank, or to store what the bank gives where nothing is connected",
        arguments: [(true, "Connect the bank again"), (false, "Store what the bank gives you for a new consent")])
    func consent(needsOwner: Bool, name: String) {
        let step = NextStep(
            code: .consentEnded, reason: .consentEnded, bankID: "up", needsOwner: needsOwner, origins: [],
            hasReport: false)
        #expect(step.action == .page(name: name, path: needsOwner ? "/banks#bank-up" : "/banks#c-up"))
    }

    @Test(
        "links to an https origin and to nothing else",
        arguments: [
            (["https://bank.example"], "https://bank.example"),
            (["https://bank.example:8443"], "https://bank.example:8443"),
            (["https://bank.example", "https://other.example"], "https://bank.example"),
            (["http://bank.example"], nil), (["http://bank.example", "https://bank.example"], nil),
            (["javascript:alert(1)"], nil), (["https://ada@bank.example"], nil), (["https://bank.example/path"], nil),
            (["https://bank.example?a=b"], nil), (["https:///"], nil), ([], nil),
        ] as [([String], String?)])
    func site(origins: [String], site: String?) { #expect(NextStep.site(origins) == site) }
}
