import Automation
import BankScript
import Clocks
import Foundation
import Messages
import PhoneStore
import Signer
import TestParties
import Testing

@testable import Phone

@Suite("The rules for envelopes that may be shown")
struct EnvelopeReviewTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let months = [MonthYear(month: 1, year: 2026)!, MonthYear(month: 2, year: 2026)!]

    private func envelope(
        _ subject: RequestSubject = .statement(Self.months[0]), bank: String = "default", patience: TimeInterval = 300
    ) throws -> SignedEnvelope {
        RequestEnvelope(
            bankID: bank, subject: subject, issuedAt: Timestamp(Self.now),
            approvalExpiresAt: Timestamp(Self.now.addingTimeInterval(patience))
        ).signed(with: try FakeBroker.secret())
    }

    private func review(_ script: BankScript) throws -> EnvelopeReview {
        EnvelopeReview(secret: try FakeBroker.secret(), scripts: ScriptRegistry([script]))
    }

    /// Returns the words of the refusal; nil when the envelope may be shown.
    private func refusal(of envelope: SignedEnvelope, by review: EnvelopeReview) -> String? {
        do {
            _ = try review.verified(envelope, at: Self.now)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("an envelope waits for an approval for fifteen minutes at most", arguments: [(900.0, true), (901, false)])
    func patience(seconds: TimeInterval, isAccepted: Bool) throws {
        let words = refusal(of: try envelope(patience: seconds), by: try review(TestPhone.script))
        #expect((words == nil) == isAccepted)
        if let words {
            #expect(words.hasPrefix("it waits 901 s for an approval, and this phone accepts at most 900 s"))
        }
    }

    @Test("a script for testing runs only where the phone was pointed at a test bank")
    func testBank() throws {
        let script = TestPhone.script.served(at: "https://bank.example", isForTesting: true)
        var review = try review(script)
        #expect(refusal(of: try envelope(), by: review)?.contains("is for testing and gets no credentials") == true)
        review.servesTestBank = true
        #expect(refusal(of: try envelope(), by: review) == nil)
        var usual = try self.review(TestPhone.script)
        #expect(refusal(of: try envelope(), by: usual) == nil)
        usual.servesTestBank = true
        #expect(refusal(of: try envelope(), by: usual) == nil)
    }

    // MARK: Several documents

    enum Bank: Sendable {
        /// One statement in a visit.
        case single
        /// Several accounts, PDF and CSV of whole months.
        case accounts
        /// One account, PDF of any days.
        case days

        func script() throws -> BankScript {
            switch self {
            case .single: TestPhone.script
            case .accounts:
                try BankScript(
                    yaml: """
                        bank: default
                        name: Meridian Savings
                        origins: [https://bank.example]
                        accounts: { names: .account-name, alias: "[A-Za-z ]+" }
                        steps:
                          - open: /login
                        for each period:
                          - follow: Statements
                          - choose: { Account: "{{ account_name }}", Year: "{{ year }}" }
                          - download: PDF
                          - download: { control: CSV, as: csv }
                        """, file: "accounts.yaml")
            case .days:
                BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
                    Open("/login")
                } forEachPeriod: {
                    Open("/list/{{ from }}/{{ to }}")
                    Download("PDF")
                }
            }
        }
    }

    struct Selection: Sendable {
        let bank: Bank
        let kinds: [DocumentKind]
        let account: String?
        let firstDay: Int?
        let words: String?

        init(
            _ bank: Bank, _ kinds: [DocumentKind] = [.pdf], of account: String? = nil, from: Int? = nil,
            refusal: String? = nil
        ) {
            (self.bank, self.kinds, self.account, firstDay, words) = (bank, kinds, account, from, refusal)
        }
    }

    static let selections: [Selection] = [
        Selection(.single, refusal: "fetches one statement in a visit"),
        Selection(.accounts), Selection(.accounts, [.csv, .pdf]),
        Selection(.accounts, [.camt], refusal: "downloads no camt; it downloads csv, pdf"),
        Selection(.accounts, [.pdf, .xlsx], refusal: "downloads no xlsx"),
        Selection(.accounts, of: "Holiday Pot"), Selection(.days, of: "Holiday Pot", refusal: "knows no accounts"),
        Selection(.days), Selection(.days, from: 10),
        Selection(.accounts, from: 10, refusal: "fetches whole months, not a range of days"),
    ]

    @Test("a request for several documents asks for what the script can fetch", arguments: selections)
    func documents(asked: Selection) throws {
        let accounts = [try asked.account.map { try #require(AccountAlias($0)) }].compactMap { $0 }
        let selection = try #require(
            DocumentSelection(accounts: accounts, periods: Self.months, kinds: asked.kinds, firstDay: asked.firstDay))
        let words = refusal(of: try envelope(.documents(selection)), by: try review(asked.bank.script()))
        if let expected = asked.words {
            #expect(words?.contains(expected) == true, "\(words ?? "accepted")")
        } else {
            #expect(words == nil)
        }
    }

    @Test("the card has the documents that the envelope names, and none for a statement")
    func pending() throws {
        let selection = try #require(DocumentSelection(periods: Self.months))
        let review = try review(Bank.accounts.script())
        let several = try review.pending(review.verified(try envelope(.documents(selection)), at: Self.now))
        #expect(several.documents == selection && several.subject == .documents(selection))
        #expect(several.period == Self.months[0] && several.type == "documents")
        let one = try review.pending(review.verified(try envelope(), at: Self.now))
        #expect(one.documents == nil && one.subject == .statement(Self.months[0]))
    }

    @Test("the card says where the first account of the bank's list is meant, because the request names none")
    func firstAccount() throws {
        let review = try review(Bank.accounts.script())
        func isOfFirst(_ envelope: SignedEnvelope, by review: EnvelopeReview) throws -> Bool {
            try review.pending(review.verified(envelope, at: Self.now)).isOfFirstAccount
        }
        #expect(try isOfFirst(try envelope(), by: review))
        let months = try #require(DocumentSelection(periods: Self.months))
        #expect(try isOfFirst(try envelope(.documents(months)), by: review))
        let alias = try #require(AccountAlias("Holiday Pot"))
        let named = try #require(DocumentSelection(accounts: [alias], periods: Self.months))
        #expect(try !isOfFirst(try envelope(.documents(named)), by: review))
        #expect(try !isOfFirst(try envelope(), by: try self.review(TestPhone.script)))
    }

    // MARK: Words

    @Test("long names are shortened in messages")
    func longNames() throws {
        let bank = String(repeating: "bank", count: 20)
        #expect(
            refusal(of: try envelope(bank: bank), by: try review(TestPhone.script))
                == "this phone has no script for the bank “\(ReportText.cleaned(bank, limit: 40))”")
        let script = try BankScript(
            yaml: """
                bank: default
                name: \(String(repeating: "Meridian Savings ", count: 5))
                origins: [https://bank.example]
                steps:
                  - open: /login
                for each period:
                  - download: PDF
                """, file: "long.yaml")
        let selection = try #require(DocumentSelection(periods: Self.months, kinds: [.qif]))
        #expect(
            refusal(of: try envelope(.documents(selection)), by: try review(script))
                == "the script of “\(ReportText.cleaned(script.name, limit: 60))” downloads no qif; it downloads pdf")
    }
}
