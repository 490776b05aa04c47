import BankScript
import Foundation
import Messages
import PhoneStore
import WebURL

/// The one thing that a person can do about a request that failed or ended.
struct NextStep: Equatable {
    enum Action: Equatable {
        /// A place of this page.
        case page(name: String, path: String)
        /// The bank's own site, by its origin. The person acts there, and the phone cannot.
        case bank(origin: String)
    }

    var advice: String?
    var action: Action?

    /// - Parameters:
    ///   - needsOwner: the bank's interface wants the owner's yes at its own page.
    ///   - origins: those of the bank's accepted script; empty when the phone has none.
    ///   - hold: the reason of the hold on the bank, if there is one.
    ///   - hasReport: the phone keeps a report for the script's author.
    /// - Returns: nil when nothing is to be done.
    init?(after request: StoredRequest, needsOwner: Bool, origins: [String], hold: FailureReason?, hasReport: Bool) {
        switch request.status {
        case .expired: self.init(advice: PageText.of("next.decide"))
        case .failed:
            let code = request.errorCode.flatMap(ErrorCode.init(rawValue:))
            let reason = request.failureReason ?? (code == .bankOnHold ? hold : nil)
            self.init(
                code: code, reason: reason, bankID: request.bankID, needsOwner: needsOwner, origins: origins,
                hasReport: hasReport)
        default: return nil
        }
    }

    private init(advice: String) {
        self.advice = advice
    }

    init(
        code: ErrorCode?, reason: FailureReason?, bankID: String, needsOwner: Bool, origins: [String], hasReport: Bool
    ) {
        if let task = Self.task(reason) {
            advice = task
            action = Self.site(origins).map { .bank(origin: $0) }
            return
        }
        if let secondFactor = Self.secondFactor(reason) {
            advice = secondFactor
            return
        }
        switch code {
        case .bankLoginFailed, .bankOnHold:
            action = .page(name: PageText.of("next.change-credentials"), path: "/banks#c-\(bankID)")
        case .consentEnded:
            // Without a yes at the bank's page, the consent is part of the credentials.
            action = .page(
                name: PageText.of(needsOwner ? "next.connect-again" : "next.store-consent"),
                path: needsOwner ? "/banks#bank-\(bankID)" : "/banks#c-\(bankID)")
        case .bankSecondFactorTimeout:
            advice = PageText.of("next.codes-at-hand")
        case .navigationFailed, .pdfDownloadFailed, .executionTimeout:
            advice = Self.otherwise(code, reason) ?? PageText.of(hasReport ? "next.send-report" : "next.tell-author")
        case .credentialUnavailable: advice = PageText.of("next.unlock-manager")
        case .inboxWriteFailed: advice = PageText.of("next.check-inbox")
        default: advice = PageText.of("next.again")
        }
    }

    /// Returns what the person has to do at the bank itself; nil when the reason asks for nothing there.
    private static func task(_ reason: FailureReason?) -> String? {
        switch reason {
        case .passwordChangeRequired: PageText.of("next.new-password")
        case .termsToAccept: PageText.of("next.terms")
        case .extraIdentification: PageText.of("next.question")
        case .accountLocked:
            PageText.of("next.unlock")
        case .attemptsUsed, .tooManyCodes:
            PageText.of("next.wrong-codes")
        default: nil
        }
    }

    /// Returns what to do after an answer to the second factor that the bank did not take; nil for another reason. The
    /// credentials were right then.
    private static func secondFactor(_ reason: FailureReason?) -> String? {
        switch reason {
        case .wrongCode, .codeExpired: PageText.of("next.newest-code")
        case .approvalCancelled: PageText.of("next.approve-there")
        default: nil
        }
    }

    /// Returns what to do where the script is right, and the bank has no time for it or nothing to give; nil for another reason.
    /// A step that waits in vain is the usual sign of a changed page, and no fault of the bank's.
    private static func otherwise(_ code: ErrorCode?, _ reason: FailureReason?) -> String? {
        switch reason {
        case .timeout: code == .executionTimeout ? PageText.of("next.later") : nil
        case .maintenance, .serverError, .refusedByBank, .networkFailed: PageText.of("next.later")
        case .statementMissing: PageText.of("next.other-month")
        case .sessionExpired, .cancelled: PageText.of("next.again")
        default: nil
        }
    }

    /// Returns the origin that a script opens its pages at, if a browser reaches it safely: over https, and without a name
    /// or a path that would be more than an origin.
    static func site(_ origins: [String]) -> String? {
        guard let origin = origins.first, let site = try? Origin(parsing: origin), site.scheme == "https" else {
            return nil
        }
        return site.description
    }

    var leadsToBank: Bool { if case .bank = action { true } else { false } }

    /// The values of a card.
    var values: [String: Any] {
        var values: [String: Any] = [:]
        values["advice"] = advice
        switch action {
        case .page(let name, let path): values["action"] = ["name": name, "path": path]
        case .bank(let origin): values["site"] = origin
        case nil: break
        }
        return values
    }
}
