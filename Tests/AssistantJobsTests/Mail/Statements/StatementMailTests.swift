import Clocks
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Mail that says that a statement is ready") struct StatementMailTests {
    /// 15 January 2027.
    private static let received = Date(timeIntervalSince1970: 1_800_000_000)

    static let subjects: [(String, String?)] = [
        ("Your statement is ready", "2026-12"), ("Your October 2026 statement is available", "2026-10"),
        ("Your eStatement for 2026-11 is now available", "2026-11"), ("Your new account statement", "2026-12"),
        ("Your statement for November 2026 is ready", "2026-11"), ("Ihr Kontoauszug Dezember 2026", "2026-12"),
        ("Neuer Kontoauszug", "2026-12"), ("Kontoauszüge 11/2026", "2026-11"), ("STATEMENT READY", "2026-12"),
        // Only the last months are offered.
        ("Your October 2026 statement", "2026-10"), ("Your September 2026 statement", nil),
        ("Your January 2001 statement is ready", nil),
        // A month to come cannot be ready.
        ("Your December 2028 statement is ready", nil), ("Our mission statement", nil), ("Privacy statement", nil),
        ("Understatement of the year", nil), ("Lunch?", nil), ("", nil),
    ]

    @Test("is known by its subject, with the month", arguments: subjects)
    func month(_ subject: String, _ month: String?) {
        let mail = ReceivedMail(
            from: "Bank <no-reply@bank.example>", subject: subject, receivedAt: Self.received,
            headers: ["auto-submitted": "auto-generated"])
        #expect(StatementMail(mail)?.month.description == month)
    }

    @Test("a forged one, and one in spam, does not count")
    func forged() {
        let subject = "Your statement is ready"
        let forged = ReceivedMail(
            from: "b@x.example", subject: subject, receivedAt: Self.received,
            headers: ["authentication-results": "mx; dmarc=fail"])
        #expect(StatementMail(forged) == nil)
        #expect(
            StatementMail(ReceivedMail(from: "", subject: subject, receivedAt: Self.received, labels: ["SPAM"])) == nil)
    }

    static let senders: [(String, String, String?)] = [
        ("Meridian Savings <no-reply@m.example>", "Your statement", "Meridian Savings"),
        ("no-reply@m.example", "Your  meridian savings statement", "Meridian Savings"),
        ("Power Company <p@p.example>", "Your statement", nil),
        ("Meridian Savings", "Northwind Bank statement", nil), ("Northwind Bank <n@n.example>", "", "Northwind Bank"),
    ]

    @Test("its bank is the one that it names", arguments: senders)
    func bank(_ from: String, _ subject: String, _ bank: String?) {
        let mail = ReceivedMail(from: from, subject: subject, receivedAt: Self.received)
        #expect(StatementMail.bank(of: mail, among: ["Meridian Savings", "Northwind Bank", "x"]) { $0 } == bank)
    }
}
