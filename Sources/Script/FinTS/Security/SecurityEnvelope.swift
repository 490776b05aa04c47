import Clocks
import Foundation
import Secrets

/// The signature and the envelope of PIN and TAN (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN, 2020-07-10, chapter
/// B: HNSHK, HNSHA, HNVSK, HNVSD).
///
/// The envelope encrypts nothing: TLS does. Its fields have the fixed values that the specification gives for PIN/TAN.
package struct SecurityEnvelope: Sendable {
    package let bankCode: String
    package let user: String
    /// `0` before the bank has given one.
    package let systemID: String
    /// The TAN method's number; `999` for the one-step procedure.
    package let securityFunction: String

    package init(bankCode: String, user: String, systemID: String, securityFunction: String) {
        self.bankCode = bankCode
        self.user = user
        self.systemID = systemID
        self.securityFunction = securityFunction
    }

    /// Version 1 of the profile is the one-step procedure, version 2 the others.
    private var profile: ElementGroup { [.text("PIN"), .text(securityFunction == "999" ? "1" : "2")] }

    private var identity: ElementGroup { [.text("1"), .empty, .word(systemID)] }

    private func key(_ kind: String) -> ElementGroup {
        [.text("280"), .word(bankCode), .word(user), .text(kind), .text("0"), .text("0")]
    }

    private static func moment(_ now: Date) -> ElementGroup {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: now)
        func digits(_ number: Int?, _ width: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return [
            .text("1"), .text(digits(parts.year, 4) + digits(parts.month, 2) + digits(parts.day, 2)),
            .text(digits(parts.hour, 2) + digits(parts.minute, 2) + digits(parts.second, 2)),
        ]
    }

    /// Returns the segments between the head and the end of a message: signed, and in the envelope.
    ///
    /// - Parameters:
    ///   - reference: a number that the two parts of the signature share, 1…9999999.
    ///   - segments: numbered from 3.
    /// - Throws: ``SyntaxFault`` for a text or a PIN with a character beyond ISO 8859-1.
    package func wrap(
        _ segments: [Segment], pin: Secret, tan: Secret?, reference: Int, at now: Date
    ) throws(SyntaxFault) -> [Segment] {
        let head = Segment(
            "HNSHK", version: 4, number: 2,
            [
                profile, [.text(securityFunction)], [.number(reference)], [.text("1")], [.text("1")], identity,
                [.text("1")], Self.moment(now), [.text("1"), .text("999"), .text("1")],
                [.text("6"), .text("10"), .text("16")], key("S"),
            ])
        let end = Segment(
            "HNSHA", version: 2, number: 3 + segments.count,
            [[.number(reference)], [], [.secret(pin)] + (tan.map { [.secret($0)] } ?? [])])
        var inner = try SegmentWriter.bytes(of: [head] + segments + [end])
        defer { inner.wipe() }
        return [
            Segment(
                "HNVSK", version: 3, number: 998,
                [
                    profile, [.text("998")], [.text("1")], identity, Self.moment(now),
                    [
                        .text("2"), .text("2"), .text("13"), .binary(Array(repeating: 0, count: 8)), .text("5"),
                        .text("1"),
                    ],
                    key("V"), [.text("0")],
                ]),
            Segment("HNVSD", version: 1, number: 999, [[.binary(inner)]]),
        ]
    }
}
