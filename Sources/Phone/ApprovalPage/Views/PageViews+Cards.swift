import Automation
import DeviceTrust
import Foundation
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets

// The cards of the inbox: a request that waits, one that runs, the bank's question, and what is past.

extension PageViews {
    /// The things that a card says beyond the request itself.
    struct CardContext {
        let slots: [KeySlot]
        let session: PageSession
        let now: Date
        /// The folder to which documents go.
        let destination: String
        let origins: [String]
        /// The bank's script is for testing.
        var isTest = false
        /// The unusual traits of the request.
        var cautions: [String] = []
    }

    static func values(_ request: PendingRequest, _ context: CardContext) -> [String: Any] {
        let left = Int(request.timeLeft(at: context.now))
        let hasPasskeys = context.slots.contains { !$0.isPassphrase }
        let vaultNeedsBoth = context.slots.contains(where: \.needsBoth)
        var values: [String: Any] = [
            "id": request.id.description, "short": request.id.short, "bank": request.bankName,
            "type": PageText.of("card.account-\(request.type)"), "asker": RequestWords.asking(request),
            "issued": moment(request.issuedAt),
            "period": words(request.subject), "client": RequestWords.asker(request), "script": request.script.hex,
            "scriptShort": request.script.short, "hasPasskeys": hasPasskeys, "csrf": context.session.csrfToken,
            "expires": String(Int64(request.expiresAt.timeIntervalSince1970 * 1000)), "left": clock(left),
            "goesTo": PageText.of(
                request.subject.count == 1 ? "card.goes-to" : "card.go-to", ["destination": context.destination]),
            "origins": context.origins, "cautions": context.cautions,
            "isTest": context.isTest,
        ]
        if request.isOfFirstAccount { values["account"] = PageText.of("card.first-account") }
        values["outflows"] = request.outflows.map(RequestWords.outflow)
        values["others"] = RequestWords.others(request)
        values["reason"] = request.reason?.shown
        if let hold = request.hold {
            values["hold"] = HoldWords.of(hold, bankName: request.bankName)
            if HoldWords.endsAtBank(hold) {
                values["holdAtBank"] = HoldWords.sentence(hold, bankName: request.bankName)
            }
            values["tryAgain"] = PageText.of(
                hold.reason == .accountLocked ? "card.try-again-locked" : "card.try-again")
            values["holdID"] = hold.id
        }
        values["token"] = request.answeringToken.map { PageText.of("card.token", ["issuer": $0.issuer]) }
        return values.merging(ways(to: request, hasPasskeys: hasPasskeys, vaultNeedsBoth: vaultNeedsBoth)) { $1 }
    }

    /// Returns what an approval needs, why, and how it can be given on this page.
    private static func ways(to request: PendingRequest, hasPasskeys: Bool, vaultNeedsBoth: Bool) -> [String: Any] {
        var values: [String: Any] = ["reasons": request.requirement.reasons.map { ReportText.cleaned($0, limit: 200) }]
        values["needed"] = RequestWords.needed(request.requirement)
        if request.isApprovedHere {
            values["waiting"] = PageText.of(
                "card.approved-here",
                ["approvals": String(request.approvals), "needed": String(request.requirement.devices)])
            return values
        }
        let factors = request.requirement.factors
        let needsBoth = vaultNeedsBoth || factors.isSuperset(of: ApprovalFactor.verifications)
        values["both"] = needsBoth && hasPasskeys
        values["byPasskey"] = hasPasskeys && !vaultNeedsBoth && !factors.contains(.passphrase)
        values["byPassphrase"] = !vaultNeedsBoth && !factors.contains(.passkey)
        values["lacksPasskey"] = factors.contains(.passkey) && !hasPasskeys
        return values
    }

    // MARK: Offers

    static func values(_ waiting: WaitingOffer, session: PageSession) -> [String: Any] {
        let offer = waiting.offer
        let months =
            offer.from == offer.to
            ? PageText.month(offer.from)
            : PageText.of("offer.months", ["first": PageText.month(offer.from), "last": PageText.month(offer.to)])
        let source =
            offer.isScheduled
            ? PageText.of("offer.by-schedule")
            : offer.agent == .standard
                ? PageText.of("offer.by-your-agent") : PageText.of("offer.by-agent", ["name": offer.agent.description])
        return [
            "id": offer.id.description, "short": offer.id.short, "bank": waiting.bankName, "months": months,
            "source": source, "csrf": session.csrfToken,
            "accounts": offer.accounts.isEmpty
                ? PageText.of("offer.all-accounts") : quoted(offer.accounts),
            "kinds": offer.kinds.map { $0.rawValue.uppercased() }.joined(separator: ", "),
            "made": moment(offer.createdAt.date), "until": moment(offer.expiresAt.date),
        ]
    }

    // MARK: Past requests

    /// - Parameters:
    ///   - warnings: the warnings of its run.
    ///   - document: the path of its document, if this page can open it.
    ///   - report: the path of the report for the script's author, if the phone keeps one.
    ///   - next: what the person can do about it.
    ///   - again: the form token with which the page asks for it once more; nil where it cannot.
    ///   - hold: the hold that its run left on the bank.
    static func values(
        _ request: StoredRequest, bankName: String, warnings: [RunWarning] = [], document: String? = nil,
        report: String? = nil, next: NextStep? = nil, again: String? = nil, hold: SignInHold? = nil
    ) -> [String: Any] {
        let failure = FailureWords.of(request)
        var values: [String: Any] = [
            "what": words(request.subject), "bank": bankName, "status": words(outcomeOf: request),
            "state": request.status.rawValue, "short": request.id.short, "time": moment(request.updatedAt),
        ]
        values["waits"] = [.sent, .pendingApproval].contains(request.status)
        values["detail"] = failure?.sentence
        values["quoted"] = failure?.message
        values["document"] = document
        values["held"] = hold.map { HoldWords.sentence($0, bankName: bankName) }
        if let delivered = request.delivered, delivered.count > 0 {
            values["several"] = "/documents?bank=\(request.bankID)"
        }
        // Where the bank waits for the person, no report helps.
        if next?.leadsToBank != true { values["report"] = report }
        if let again, [.failed, .expired].contains(request.status) {
            values["again"] = ["id": request.id.description, "csrf": again]
        }
        values["warnings"] = warnings.map { ["text": ReportText.cleaned($0.words, limit: 300)] }
        return values.merging(next?.values ?? [:]) { $1 }
    }

    // MARK: The run

    static func values(
        _ progress: RunProgress.Run, _ request: StoredRequest?, bankName: String
    ) -> [String: Any] {
        var values: [String: Any] = [
            "short": progress.id.short, "percent": String(progress.percent),
            "words": progress.words(of: request?.subject), "bank": bankName,
            "what": request.map { words($0.subject) } ?? PageText.of("run.request", ["id": progress.id.short]),
        ]
        values["done"] = progress.done.map {
            // A step is told in the script's terms, which are English.
            ["text": $0.words, "english": PageText.isForeign && $0.isOfScript] as [String: Any]
        }
        values["phases"] = RunProgress.Phase.shown.map { phase in
            [
                "name": phase.name, "current": phase == progress.phase,
                "state": phase < progress.phase ? "past" : phase == progress.phase ? "now" : "next",
            ] as [String: Any]
        }
        return values
    }

    static func values(_ question: PagePrompt.Open, session: PageSession, now: Date) -> [String: Any] {
        let prompt = question.prompt
        var values: [String: Any] = [
            "id": question.id, "bank": prompt.bankName, "text": prompt.question, "csrf": session.csrfToken,
            "expires": String(Int64(prompt.deadline.timeIntervalSince1970 * 1000)),
            "left": clock(Int(max(0, prompt.deadline.timeIntervalSince(now)))),
        ]
        switch prompt.kind {
        case .code(let picture):
            values["code"] = true
            // A bank that asks for no more than the code has labelled the field.
            let words = prompt.question.trimmingCharacters(in: .whitespaces.union(.punctuationCharacters))
            let labels = ["code", PageText.of("question.code").lowercased()]
            values["asksForCode"] = picture == nil && labels.contains(words.lowercased())
            if let picture {
                // What flashes more than three times a second may cause seizures, so a person asks for it (WCAG 2.2, 2.3.1).
                if let typed = picture.flicker?.typed, !typed.isEmpty {
                    values["typed"] = typed.joined(separator: PageText.of("question.then"))
                }
                values[picture.flicker == nil ? "picture" : "flicker"] = dataURL(picture)
                if picture.flicker == nil, values["picture"] == nil {
                    values["unshown"] = ReportText.cleaned(picture.mediaType, limit: 40)
                }
            }
        case .choice(let choices):
            values["choices"] = choices.map { ["choice": $0, "csrf": session.csrfToken, "id": question.id] }
        case .confirmElsewhere: values["elsewhere"] = true
        }
        return values
    }

    /// Returns a `data:` URL; nil for a kind that browsers do not show.
    ///
    /// A drawing in SVG is safe here: in an `img` a browser runs no script of it and loads nothing (SVG 2, section 2.2.6,
    /// secure static mode), and the page's policy forbids both.
    private static func dataURL(_ picture: Prompt.Picture) -> String? {
        let type = String(picture.mediaType.lowercased().prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces)
        let shown = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/svg+xml"]
        guard shown.contains(type) else { return nil }
        return "data:\(type);base64,\(Data(picture.bytes).base64EncodedString())"
    }
}
