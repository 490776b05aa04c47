import Automation
import BankScript
import Clocks
import Foundation
import Messages
import PhoneStore
import Signer

/// The rules for envelopes that may be shown: signature, version, fields and expiry first, then a known bank and every
/// parameter within its script's range. The rules are pure; the store detects replays.
struct EnvelopeReview: Sendable {
    /// The longest time, in seconds, for which a request may wait for an approval. The specification gives it five
    /// minutes (section 4); a longer wait leaves a request on the screen until it is approved by mistake.
    static let longestApprovalTime: TimeInterval = 15 * 60

    let secret: SharedSecret
    let scripts: ScriptRegistry
    /// See ``PhoneServices/servesTestBank``.
    var servesTestBank = false

    /// - Throws: ``MessageError``.
    func verified(_ envelope: SignedEnvelope, at now: Date) throws(MessageError) -> VerifiedEnvelope {
        let verified = try envelope.verified(with: secret, at: now)
        let content = verified.envelope
        let time = content.approvalExpiresAt.date.timeIntervalSince(content.issuedAt.date)
        guard time <= Self.longestApprovalTime else {
            throw MessageError(
                .unacceptable,
                "it waits \(Int(time)) s for an approval, and this phone accepts at most "
                    + "\(Int(Self.longestApprovalTime)) s; lower BROKER_APPROVAL_TTL_SECONDS")
        }
        _ = try script(for: verified)
        return verified
    }

    func script(for verified: VerifiedEnvelope) throws(MessageError) -> BankScript {
        let envelope = verified.envelope
        guard let script = scripts.script(forBank: envelope.bankID) else {
            let name = ReportText.cleaned(envelope.bankID, limit: 40)
            if let refusal = scripts.refusal(forBank: envelope.bankID) {
                throw MessageError(.scriptMissing, ReportText.cleaned(refusal.message))
            }
            throw MessageError(.scriptMissing, "this phone has no script for the bank “\(name)”")
        }
        guard !script.isForTesting || servesTestBank else {
            throw MessageError(
                .unacceptable,
                "the script of “\(ReportText.cleaned(script.name, limit: 60))” is for testing and gets no credentials; "
                    + "remove `testing: true`, or start the phone with --bank-at and the test bank's address")
        }
        if case .documents = envelope.subject, !script.fetchesSeveral {
            throw MessageError(
                .unacceptable,
                "the script of “\(ReportText.cleaned(script.name, limit: 60))” fetches one statement in a visit; its steps "
                    + "for one month belong under “for each period:”")
        }
        if case .documents(let selection) = envelope.subject { try check(selection, against: script) }
        for period in envelope.subject.periods { try check(period, against: script) }
        return script
    }

    private func check(_ selection: DocumentSelection, against script: BankScript) throws(MessageError) {
        let name = ReportText.cleaned(script.name, limit: 60)
        if let missing = selection.kinds.first(where: { !script.kinds.contains($0) }) {
            throw MessageError(
                .unacceptable,
                "the script of “\(name)” downloads no \(missing.rawValue); it downloads "
                    + script.kinds.map(\.rawValue).joined(separator: ", "))
        }
        guard selection.accounts.isEmpty || script.listsAccounts else {
            throw MessageError(.unacceptable, "the script of “\(name)” knows no accounts")
        }
        guard !selection.hasDays || script.asksForDays else {
            throw MessageError(.unacceptable, "the script of “\(name)” fetches whole months, not a range of days")
        }
    }

    private func check(_ period: MonthYear, against script: BankScript) throws(MessageError) {
        let values = Self.parameters(of: period)
        for parameter in script.parameters {
            guard let value = values[parameter.name] else {
                throw MessageError(.unacceptable, "the script needs “\(parameter.name)”, which requests do not contain")
            }
            guard parameter.accepts(value) else {
                throw MessageError(
                    .unacceptable, "“\(parameter.name)” is \(value); the script accepts \(parameter.accepted)")
            }
        }
    }

    func pending(_ verified: VerifiedEnvelope) throws(MessageError) -> PendingRequest {
        let script = try script(for: verified)
        let envelope = verified.envelope
        var selection: DocumentSelection?
        if case .documents(let documents) = envelope.subject { selection = documents }
        return PendingRequest(
            id: envelope.requestID, bankID: envelope.bankID, bankName: script.name, type: envelope.subject.type,
            period: envelope.period, issuedAt: envelope.issuedAt.date, expiresAt: envelope.approvalExpiresAt.date,
            script: script.digest, documents: selection,
            isOfFirstAccount: script.listsAccounts && selection?.accounts.isEmpty ?? true,
            outflows: ScriptDisclosure(script).summary, client: envelope.client, reason: envelope.reason)
    }

    static func parameters(of period: MonthYear) -> [String: ParameterValue] {
        ["month": ParameterValue(period.month), "year": ParameterValue(period.year)]
    }
}
