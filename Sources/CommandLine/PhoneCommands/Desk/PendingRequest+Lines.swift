import Clocks
import Encodings
import Foundation
import Phone
import Terminal

extension PendingRequest {
    /// Prints the request as its owner sees it.
    package func show(on console: Console) {
        console.line("\(bankName.inLine()): \(type.inLine()) for \(subject.words.inLine(limit: 1000))", .bold)
        if isOfFirstAccount { console.line("  account  the first one in the bank's list") }
        console.line("  asked by \(clientWords.inLine())")
        if let reason { console.line("  its own words, not checked: “\(reason.shown)”") }
        if let otherClientsWords { console.line("  also by  \(otherClientsWords.inLine())") }
        if !otherPhones.isEmpty {
            let names = otherPhones.map { "“\($0.inLine())”" }.joined(separator: ", ")
            let fetcher =
                lastApproverFetches
                ? "the phone that approves last fetches with its login" : "approved here, it is fetched with your login"
            console.line("  also on  \(names), as the broker says; \(fetcher)", .bad)
        }
        console.line("  request  \(id.short)  (\(id))")
        console.line("  script   \(script.short)")
        for outflow in outflows { console.line("  sends    \(outflow.inLine(limit: 1000))") }
        if let token = answeringToken {
            console.line("  code     your vault answers: \(token.issuer.inLine())")
        }
        if let hold {
            console.line("  on hold  \(bankName.inLine()) \(hold.words)", .bad)
            console.line(
                "           store other credentials: countersign phone banks change \(bankID.inLine(limit: 100))")
        }
        if let neededWords { console.line("  needs    \(neededWords.inLine())") }
        for reason in requirement.reasons { console.line("  because  \(reason.inLine())") }
        if isApprovedHere { console.line("  waiting  approved here: \(progressWords)") }
        console.line("  expires  in \(Self.words(left: Int(timeLeft(at: Date()))))")
    }

    /// Returns a time that is left: in one unit below a minute and from two days on, else in two.
    static func words(left seconds: Int) -> String {
        switch max(0, seconds) {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<172_800: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) days"
        }
    }

    var json: JSONValue {
        [
            "request_id": .string(id.description), "bank_id": .string(bankID), "bank_name": .string(bankName),
            "type": .string(type), "month": .number(Double(period.month)), "year": .number(Double(period.year)),
            "script_digest": .string(script.hex), "sends": .array(outflows.map(JSONValue.string)),
            "asked_here": .bool(isAskedHere), "client": client.map { .string($0.description) } ?? .null,
            "also_on": .array(alsoOn.map(JSONValue.string)),
            "reason_untrusted": reason.map { .string($0.text) } ?? .null,
            "answering_token_issuer": answeringToken.map { .string($0.issuer) }
                ?? .null, "approval_expires_at": .string(Timestamp(expiresAt).description),
            "requirement": requirement.json(approvals: approvals), "approved_here": .bool(isApprovedHere),
            "hold": hold.map { hold in
                [
                    "reason": hold.reason.map { .string($0.rawValue) } ?? .null,
                    "since": .string(Timestamp(hold.since).description),
                ]
            } ?? .null,
        ]
    }
}
