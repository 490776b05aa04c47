import Foundation
import Secrets

/// A code and when it holds.
public struct TOTPCode: Sendable {
    /// The decimal digits, leading zeros included.
    public let digits: Secret
    /// The number of periods since 1970 (RFC 6238's T): two codes of a token are the same code when this is.
    public let step: UInt64
    /// In seconds.
    public let period: Int

    /// When the code begins to hold.
    public var begins: Date { Date(timeIntervalSince1970: Double(step) * Double(period)) }

    /// When the code ceases to hold.
    public var ends: Date { Date(timeIntervalSince1970: Double(step + 1) * Double(period)) }

    /// How long the code still holds, in seconds; none when it is over.
    public func timeLeft(at now: Date) -> TimeInterval { max(0, ends.timeIntervalSince(now)) }

    /// The digits as a person reads them, in groups of three or four: `123 456`, `1234 5678`. For the one screen that
    /// shows a code to its owner.
    public var grouped: Secret {
        digits.map { text in
            let size = text.count == 8 ? 4 : 3
            return stride(from: 0, to: text.count, by: size).map { start in
                text.dropFirst(start).prefix(size)
            }.joined(separator: " ")
        }
    }
}

extension Token {
    /// The code that holds at a moment. Before 1970 it is the first one.
    public func code(at now: Date = Date()) -> TOTPCode {
        code(step: step(at: now))
    }

    /// RFC 6238's T, with T0 = 0.
    public func step(at now: Date) -> UInt64 {
        UInt64(max(0, now.timeIntervalSince1970)) / UInt64(period)
    }

    /// The code of a step that may not have begun.
    public func code(step: UInt64) -> TOTPCode {
        let value = password.value(counter: step, digits: digits)
        return TOTPCode(digits: OneTimePassword.digits(of: value, count: digits), step: step, period: period)
    }
}
