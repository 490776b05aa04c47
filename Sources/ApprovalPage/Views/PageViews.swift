import AuditLog
import Automation
import Clocks
import DeviceTrust
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Messages
import Mustache
import Phone
import PhoneStore
import Secrets

/// The HTML pages, made from the page's state.
struct PageViews: Sendable {
    static func page(
        _ body: String, title: String, session: PageSession?, notice: String? = nil, isLive: Bool = false,
        _ values: [String: Any] = [:], status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values
        values["title"] = values["title"] ?? title
        values["csrf"] = session?.csrfToken
        values["base"] = session?.base ?? ""
        values["signedIn"] = session?.isSignedIn ?? false
        values["notice"] = notice
        values["live"] = isLive
        let content = PageResources.library.render(values, withTemplate: body) ?? ""
        values["title"] = title
        let text = shell(values, content)
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: .init(string: text)))
    }

    /// Returns a page's body inside the common frame.
    private static func shell(_ values: [String: Any], _ content: String) -> String {
        var values = values
        values["content"] = content
        return PageResources.library.render(values, withTemplate: "page") ?? content
    }

    static func message(_ status: HTTPResponse.Status, _ title: String, _ text: String, session: PageSession?)
        -> Response
    {
        page("message", title: title, session: session, ["text": text], status: status)
    }

    // MARK: Values

    static func values(_ request: PendingRequest, slots: [KeySlot], session: PageSession, now: Date) -> [String: Any] {
        let left = Int(request.timeLeft(at: now))
        let hasPasskeys = slots.contains { !$0.isPassphrase }
        let vaultNeedsBoth = slots.contains(where: \.needsBoth)
        var values: [String: Any] = [
            "id": request.id.description, "short": request.id.short, "bank": request.bankName,
            "type": "Account \(request.type)",
            "period": words(request.subject), "client": request.clientWords, "script": request.script.hex,
            "scriptShort": request.script.short, "hasPasskeys": hasPasskeys, "csrf": session.csrfToken,
            "expires": String(Int64(request.expiresAt.timeIntervalSince1970 * 1000)), "left": clock(left),
        ]
        values["outflows"] = request.outflows
        values["others"] = request.otherClientsWords
        if let hold = request.hold {
            values["hold"] = "\(request.bankName) \(hold.words)"
            values["holdID"] = hold.id
        }
        if let token = request.answeringToken { values["token"] = "Answered by your vault: \(token.issuer)" }
        return values.merging(ways(to: request, hasPasskeys: hasPasskeys, vaultNeedsBoth: vaultNeedsBoth)) { $1 }
    }

    /// Returns what an approval needs, why, and how it can be given on this page.
    private static func ways(to request: PendingRequest, hasPasskeys: Bool, vaultNeedsBoth: Bool) -> [String: Any] {
        var values: [String: Any] = ["reasons": request.requirement.reasons.map { ReportText.cleaned($0, limit: 200) }]
        values["needed"] = request.neededWords
        if request.isApprovedHere {
            values["waiting"] = "Approved here: \(request.progressWords)"
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

    /// - Parameter warnings: the warnings of its run.
    static func values(
        _ request: StoredRequest, bankName: String, warnings: [RunWarning] = []
    ) -> [String: Any] {
        let detail: String? =
            switch request.status {
            case .failed: request.errorMessage ?? request.errorCode
            case .expired: "no decision was made in time"
            default: nil
            }
        var values: [String: Any] = [
            "title": "\(bankName), \(words(request.subject))", "status": words(request.status),
            "state": request.status.rawValue, "detail": detail ?? "", "short": request.id.short,
            "time": time(request.updatedAt),
            "statement": request.isStatement && request.status == .completed ? "/requests/\(request.id)/statement" : "",
        ].compactMapValues { ($0 as String).isEmpty ? nil : $0 }
        values["warnings"] = warnings.map { ["text": ReportText.cleaned($0.words, limit: 300)] }
        return values
    }

    static func values(_ progress: RunProgress.Run) -> [String: Any] {
        [
            "short": progress.id.short, "percent": String(progress.percent), "words": progress.words,
            "done": progress.done,
        ]
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
            if let picture { values["picture"] = dataURL(picture) }
        case .choice(let choices):
            values["choices"] = choices.map { ["choice": $0, "csrf": session.csrfToken, "id": question.id] }
        case .confirmElsewhere: values["elsewhere"] = true
        }
        return values
    }

    /// Returns a `data:` URL; nil for media types that could carry a script.
    private static func dataURL(_ picture: Prompt.Picture) -> String? {
        let type = picture.mediaType.lowercased().prefix { $0 != ";" }
        guard ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(String(type)) else { return nil }
        return "data:\(type);base64,\(Data(picture.bytes).base64EncodedString())"
    }

    // MARK: Words

    static func words(_ subject: RequestSubject) -> String {
        guard case .documents(let selection) = subject, let first = selection.periods.first,
            let last = selection.periods.last
        else { return words(subject.periods[0]) }
        let months = first == last ? words(first) : "\(words(first)) to \(words(last))"
        let count = selection.count == 1 ? "1 document" : "\(selection.count) documents"
        let accounts =
            selection.accounts.isEmpty
            ? "" : " of " + selection.accounts.map { "“\($0)”" }.joined(separator: ", ")
        return
            "\(months)\(accounts), \(count) (\(selection.kinds.map { $0.rawValue.uppercased() }.joined(separator: ", ")))"
    }

    static func words(_ period: MonthYear) -> String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(names[period.month - 1]) \(period.year)"
    }

    static func words(_ status: RequestStatus) -> String {
        switch status {
        case .sent, .pendingApproval: "Waiting for you"
        case .approved: "Approved"
        case .executing: "Running"
        case .completed: "Completed"
        case .failed: "Failed"
        case .denied: "Denied"
        case .expired: "Expired"
        }
    }

    static func time(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: false))
            .replacing("T", with: " ")
    }

    static func clock(_ seconds: Int) -> String {
        "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
}
