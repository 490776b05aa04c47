import Crypto
import Foundation

/// Invents numbers and tokens in place of private ones. The key is random and never written, so nothing leads back; the
/// same original becomes the same invention.
package struct Invention: Sendable {
    private let key = SymmetricKey(size: .bits256)

    package init() {}

    /// Replaces the digits of a number, and keeps its length and punctuation.
    func digits(in number: String) -> String {
        let plain = String(number.filter(\.isDigit))
        var fresh = bytes(for: plain, count: plain.count).enumerated().map { index, byte in
            index == 0 && plain.first != "0" ? byte % 9 + 1 : byte % 10
        }[...]
        return String(number.map { $0.isDigit ? Character("\(fresh.removeFirst())") : $0 })
    }

    /// Returns a short token that names the original, and says nothing about it.
    func token(for value: String) -> String {
        "masked" + bytes(for: value, count: 5).map { String(UnicodeScalar(UInt8(ascii: "a") + $0 % 26)) }.joined()
    }

    /// Returns an invented number with as many digits; at most 15, which a double holds exactly.
    package func number(for number: Double) -> Double {
        let text = number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        return Double(digits(in: text)) ?? 0
    }

    private func bytes(for text: String, count: Int) -> [UInt8] {
        var result: [UInt8] = []
        var round = 0
        while result.count < count {
            result += HMAC<SHA256>.authenticationCode(for: Data("\(round) \(text)".utf8), using: key)
            round += 1
        }
        return Array(result.prefix(count))
    }
}
