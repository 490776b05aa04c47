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

    /// Returns the sentence about a hold that says what ends it. Other credentials do not help where the bank refused codes.
    static func sentence(_ hold: SignInHold, bankName: String) -> String {
        PageText.of(
            isAboutCodes(hold) ? "hold.ends-by-sign-in" : "hold.ends-by-change",
            ["hold": of(hold, bankName: bankName)])
    }

    /// True where the bank took the credentials, and refused one-time codes.
    static func isAboutCodes(_ hold: SignInHold) -> Bool { hold.reason == .wrongCode }

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
