import Foundation
import Secrets

/// A code and the time for which it is valid.
public struct TOTPCode: Sendable {
    /// The decimal digits, leading zeros included.
    public let digits: Secret
    /// The number of periods since 1970 (T in RFC 6238). Two codes of a token are the same if their steps are.
    package let step: UInt64
    /// The time for which the code is valid, in seconds.
    package let period: Int

    /// The moment from which the code is valid.
    package var begins: Date { Date(timeIntervalSince1970: Double(step) * Double(period)) }

    /// The moment at which the code expires.
    package var ends: Date { Date(timeIntervalSince1970: Double(step + 1) * Double(period)) }

    /// Returns the seconds until the code expires; zero after that.
    package func timeLeft(at now: Date) -> TimeInterval { max(0, ends.timeIntervalSince(now)) }

    /// The digits in groups of three or four, `123 456` or `1234 5678`, for the one screen that shows a code to its
    /// owner.
    package var grouped: Secret {
        digits.map { text in
            let size = text.count == 8 ? 4 : 3
            return stride(from: 0, to: text.count, by: size).map { start in
                text.dropFirst(start).prefix(size)
            }.joined(separator: " ")
        }
    }
}

extension Token {
    /// Returns the code that is valid at a moment. Before 1970 it is the first one.
    public func code(at now: Date = Date()) -> TOTPCode {
        code(step: step(at: now))
    }

    /// Returns the step at a moment: T in RFC 6238, with T0 = 0.
    package func step(at now: Date) -> UInt64 {
        UInt64(max(0, now.timeIntervalSince1970)) / UInt64(period)
    }

    /// Returns the code of a step, which may lie in the future.
    package func code(step: UInt64) -> TOTPCode {
        let value = password.value(counter: step, digits: digits)
        return TOTPCode(digits: OneTimePassword.digits(of: value, count: digits), step: step, period: period)
    }
}
