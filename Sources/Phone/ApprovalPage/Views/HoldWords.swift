import BankScript
import Foundation
import PhoneStore

/// The obstacles to a sign-in at a bank in words: a hold, or a consent that ends.
enum HoldWords {
    /// Returns what the bank answered, and what another try risks.
    static func of(_ hold: SignInHold, bankName: String) -> String {
        let values = ["bank": bankName, "day": PageText.day(hold.since)]
        return switch hold.reason {
        case .accountLocked: PageText.of("hold.locked", values)
        case .passwordChangeRequired: PageText.of("hold.new-password", values)
        case .wrongCode: PageText.of("hold.wrong-code", values)
        case .cancelled: PageText.of("hold.stopped", values)
        case .signInNotConfirmed: PageText.of("hold.not-confirmed", values)
        case .attemptsUsed: PageText.of("hold.asked-again", values)
        default: PageText.of("hold.refused", values)
        }
    }

    /// Returns the sentence about a hold that says what ends it.
    static func sentence(_ hold: SignInHold, bankName: String) -> String {
        let key =
            switch hold.reason {
            case .wrongCode: "hold.ends-by-sign-in"
            case .accountLocked: "hold.ends-by-unlock"
            default: "hold.ends-by-change"
            }
        return PageText.of(key, ["hold": of(hold, bankName: bankName)])
    }

    /// True where something at the bank itself comes first, and other credentials do not help: it refused codes, or has locked the
    /// account.
    static func endsAtBank(_ hold: SignInHold) -> Bool { [.wrongCode, .accountLocked].contains(hold.reason) }

    /// Returns the state of a consent; nil where the bank names no end.
    static func state(of consent: StoredConsent, at now: Date) -> String? {
        if let end = consent.end(by: now) { return PageText.of("consent.ended", ["day": day(end)]) }
        return consent.endsAt.map { PageText.of("consent.until", ["day": day($0)]) }
    }

    /// Returns a sentence that offers to renew a consent; nil while there is time.
    static func renewal(of consent: StoredConsent, at now: Date, bankName: String) -> String? {
        let renewal = PageText.of(
            consent.needsOwner ? "consent.renew" : "consent.store-new", ["command": consent.command])
        var values = ["bank": bankName, "renewal": renewal, "day": consent.endsAt.map(day) ?? ""]
        switch consent.stage(at: now) {
        case .running: return nil
        case .lastWeek: return PageText.of("consent.last-week", values)
        case .lastDay: return PageText.of("consent.last-day", values)
        case .ended:
            values["day"] = day(consent.end(by: now) ?? now)
            return PageText.of("consent.over", values)
        }
    }

    /// The day in UTC, in which interfaces count.
    private static func day(_ date: Date) -> String { PageText.day(date, in: .gmt) }
}
