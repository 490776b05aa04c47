import BankScript
import Clocks
import Encodings
import Foundation
import Messages

/// The end of a consent as an answer names it.
enum ConsentEnd {
    /// Returns the moment that the path finds; nil where it finds none, several, or something else.
    static func date(at path: String, in answer: JSONValue) -> Date? {
        guard let found = try? JSONPath(path).values(in: answer), found.count == 1, let value = found.first else {
            return nil
        }
        if let seconds = value.numberValue, (0...32_503_680_000).contains(seconds) {
            return Date(timeIntervalSince1970: seconds)
        }
        guard let text = value.stringValue else { return nil }
        if let day = CalendarDate(text) {
            // A day counts until its last moment in UTC.
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar.date(
                from: DateComponents(year: day.year, month: day.month, day: day.day, hour: 23, minute: 59, second: 59))
        }
        let plain = Date.ISO8601FormatStyle()
        return (try? plain.parse(text)) ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }
}

extension RunFailure {
    /// The bank's interface does not answer any more, until the owner says yes again.
    static func consentEnded(
        _ script: BankScript, _ why: String, isNew: Bool = false, saying words: String? = nil
    ) -> RunFailure {
        // Without a yes in a browser, the consent is part of the credentials: the bank gives new ones with the next.
        let advice =
            script.exchange?.needsOwner == true
            ? "connect it\(isNew ? "" : " again"): countersign phone banks connect \(script.id)"
            : "store what the bank gives you for a new consent: countersign phone banks change \(script.id)"
        return RunFailure(
            .consentEnded, reason: .consentEnded,
            message: "\(script.name) does not answer, because \(why); \(advice)", bankWords: words)
    }

    /// Returns the failure as the end of the consent, where it says that the bank takes what the exchange gave no more.
    ///
    /// - Parameter isRefused: the bank answered 401 to a credential that the exchange gave.
    func ending(_ script: BankScript, isRefused: Bool) -> RunFailure {
        var failure = self
        let isEnd =
            code == .consentEnded || reason == .consentEnded || (isRefused && reason == .wrongCredentials)
        // What the phone itself found names the way out already; what a script declares does not.
        guard isEnd, code != .consentEnded || isDeclared else { return self }
        let why = declaredWords ?? "the bank takes its access_token no more"
        let ended = RunFailure.consentEnded(script, why)
        (failure.code, failure.reason, failure.message) = (ended.code, ended.reason, ended.message)
        return failure
    }

    /// The bank allows no more requests for now.
    static func overBudget(_ aDay: Int, until next: Date) -> RunFailure {
        RunFailure(
            .navigationFailed, reason: .refusedByBank,
            message: "the bank allows \(aDay) requests in 24 hours, and they are used up, so it was not asked; "
                + "the next request is possible on \(next.inWords())")
    }
}
