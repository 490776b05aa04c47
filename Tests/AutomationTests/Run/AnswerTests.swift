import BankScript
import CurlClient
import Encodings
import FileKinds
import Foundation
import Testing

@testable import Automation

@Suite("Documents that are the answers of an interface")
struct AnswerTests {
    private static let entry =
        "id: $.id, booked: $.day, made: $.made, amount: $.amount, currency: EUR, payee: $.who, pending: { json: $.state, is: HELD }"

    private static func transactions(_ rest: String = "", entry: String = entry, get: String = "GET: /list") -> String {
        """
        credentials: [token]
        steps:
          - download:
              request: { \(get), headers: { Authorization: Bearer $token } }
        \(rest.isEmpty ? "" : "      \(rest)\n")      as: transactions
              account: Spending
              each: "$.items[*]"
              entry: { \(entry) }

        """
    }

    private static func item(
        _ id: String, _ day: String = "2026-03-05", _ amount: String = "\"-11.95\"", more: String = ""
    ) -> String {
        "{\"id\":\"\(id)\",\"day\":\"\(day)T10:00:00+10:00\",\"amount\":\(amount),\"who\":\"Greenleaf\"\(more)}"
    }

    private static func page(_ items: [String], next: String = "null") -> StagedBank.Answer {
        .json("{\"items\":[\(items.joined(separator: ","))],\"next\":\(next)}")
    }

    /// Runs the script, and returns what it delivered as the reader of transactions has it.
    private static func run(
        _ yaml: String, at bank: StagedBank
    ) async throws -> (run: StagedRun, bytes: [UInt8], statements: [Statement]) {
        let box = Box()
        let run = try await StagedRun.perform(
            yaml, at: bank, credentials: ["token": "tok-Kestrel-Quay-9"], keeping: { box.bytes = $0 })
        let statements = run.document?.kind == .camt ? try TransactionFile.read(box.bytes) : []
        return (run, box.bytes, statements)
    }

    @Test("become a CAMT file with the bookings of the month, and pending ones marked")
    func mapped() async throws {
        let bank = StagedBank { _, _ in
            Self.page([
                Self.item("5", "2026-04-01"), Self.item("4", "2026-03-31", "-0.1"),
                "{\"id\":\"3\",\"day\":null,\"made\":\"2026-03-30\",\"amount\":\"-180\",\"who\":null,\"state\":\"HELD\"}",
                Self.item("2", "2026-03-01", "2500"), Self.item("2", "2026-03-01", "2500"),
                Self.item("1", "2026-02-28"),
            ])
        }
        let (run, bytes, statements) = try await Self.run(Self.transactions(), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.document?.kind == .camt)
        #expect(statements.first?.transactions.map(\.amount.description) == ["2500.00", "-0.10"])
        #expect(statements.first?.transactions.map(\.counterparty) == ["Greenleaf", "Greenleaf"])
        #expect(String(decoding: bytes, as: UTF8.self).components(separatedBy: "<Sts>PDNG</Sts>").count == 2)
        #expect(run.steps.last == "✓ download GET /list with the token, in a header as transactions, each $.items[*]")
    }

    @Test(
        "are followed from page to page, each with the token",
        arguments: [
            (
                "pages: { next: $.next, at most: 9 pages }", "\"/list?page=N\"",
                ["/list", "/list?page=1", "/list?page=2"]
            ),
            (
                "pages: { next: $.next, at most: 9 }", "\"https://bank.example/list?page=N\"",
                ["/list", "/list?page=1", "/list?page=2"]
            ),
            ("pages: { next: $.next, as: after, at most: 9 }", "N", ["/list", "/list?after=1", "/list?after=2"]),
            (
                "pages: { offset: skip, of: \"$.items[*]\", at most: 9 }", "null",
                ["/list", "/list?skip=1", "/list?skip=2", "/list?skip=3"]
            ),
        ])
    func pages(pages: String, next: String, paths: [String]) async throws {
        let bank = StagedBank { line, _ in
            let number = Int(line.split(separator: "=").last ?? "") ?? 0
            let items = number < 3 ? [Self.item("\(number)")] : []
            return Self.page(items, next: number < 2 ? next.replacing("N", with: "\(number + 1)") : "null")
        }
        let (run, _, statements) = try await Self.run(Self.transactions(pages), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == paths.map { "GET \($0)" })
        #expect(statements.first?.transactions.count == 3)
        #expect(bank.seen.allSatisfy { $0.headers.contains { $0.value == "Bearer tok-Kestrel-Quay-9" } })
        // As JSON, each page stands as the bank gave it.
        let json = """
            credentials: [token]
            steps:
              - download:
                  request: { GET: /list, headers: { Authorization: Bearer $token } }
                  \(pages)
                  as: json

            """
        let (whole, bytes, _) = try await Self.run(json, at: bank)
        #expect(whole.failure == nil && whole.document?.kind == .json)
        #expect(try JSONReader.read(bytes).arrayValue?.count == paths.count)
    }

    private static let besides = entry + ", besides: { amount: $.up.amount, payee: Round Up }"

    @Test("have a second booking where an entry states an amount beside its own")
    func besides() async throws {
        let roundUp = ",\"up\":{\"amount\":\"-0.05\"}"
        let bank = StagedBank { _, _ in
            Self.page([
                Self.item("4", "2026-03-31", "-5", more: ",\"up\":null"),
                Self.item("3", "2026-03-30", more: ",\"up\":{\"amount\":\"0.00\"}"),
                "{\"id\":\"2\",\"made\":\"2026-03-05\",\"amount\":\"-1.95\",\"state\":\"HELD\"\(roundUp)}",
                Self.item("1", more: roundUp), Self.item("1", more: roundUp),
                Self.item("0", "2026-02-28", more: roundUp),
            ])
        }
        let (run, bytes, statements) = try await Self.run(Self.transactions(entry: Self.besides), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        let found = try #require(statements.first?.transactions)
        #expect(found.map(\.amount.description).sorted() == ["-0.05", "-11.95", "-11.95", "-5.00"])
        let second = try #require(found.first { $0.amount.description == "-0.05" })
        #expect(second.counterparty == "Round Up" && second.purpose == "Greenleaf")
        #expect(second.booked.description == "2026-03-05")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.components(separatedBy: "<Sts>PDNG</Sts>").count == 3)
        #expect(Set(text.matches(of: /<AcctSvcrRef>.*?</).map { String($0.output) }).count == 6)
    }

    @Test(
        "are refused where the second booking is not what the script says",
        arguments: [
            ("{\"amount\":true}", "true or false at $.up.amount, the place of “besides”"),
            ("{\"amount\":\"five\"}", "no amount at $.up.amount"),
        ])
    func oddBesides(value: String, words: String) async throws {
        let bank = StagedBank { _, _ in Self.page([Self.item("1", more: ",\"up\":\(value)")]) }
        let (run, _, _) = try await Self.run(Self.transactions(entry: Self.besides), at: bank)
        #expect(run.failure?.message.contains(words) == true, "\(run.failure?.description ?? "")")
        #expect(run.files.isEmpty)
    }

    @Test(
        "a second booking is refused in a script that cannot mean it",
        arguments: [
            ("besides: { amount: $.up }", "“besides” needs “amount” and “payee”"),
            ("balance: $.left, besides: { amount: $.up, payee: Up }", "“balance” cannot stand with “besides”"),
        ])
    func unfitBesides(entry: String, words: String) async throws {
        let bank = StagedBank { _, _ in Self.page([]) }
        let error = await #expect(throws: ScriptSyntaxError.self) {
            try await Self.run(Self.transactions(entry: Self.entry + ", " + entry), at: bank)
        }
        #expect("\(error.map(String.init(describing:)) ?? "")".contains(words))
    }

    @Test("one answer is kept as JSON byte by byte")
    func json() async throws {
        let text = "{ \"items\" : [ ],\n \"n\": 1.50 }\n"
        let bank = StagedBank { _, _ in .json(text) }
        let (run, bytes, _) = try await Self.run(
            "credentials: [token]\nsteps:\n  - download: { request: { GET: /list, headers: { X: $token } }, as: json }\n",
            at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(String(decoding: bytes, as: UTF8.self) == text && run.document?.kind == .json)
    }

    @Test(
        "are refused with a reason where they are not what the script says",
        arguments: [
            ("{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\"}]}", "entry 1 has nothing at $.amount"),
            ("{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":true}]}", "true or false at $.amount"),
            ("{\"items\":[{\"id\":\"1\",\"day\":\"05.03.2026\",\"amount\":1}]}", "no date at $.day"),
            ("{\"items\":[{\"id\":\"1\",\"day\":99999999999,\"amount\":1}]}", "no moment in seconds"),
            ("{\"items\":[{\"day\":\"2026-03-05\",\"amount\":1}]}", "nothing at $.id"),
            ("{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":1e300}]}", "beyond what is exact"),
            ("{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":\"1,5\"}]}", "no amount"),
            ("{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":1,\"who\":{}}]}", "an object at $.who"),
            (
                "{\"items\":[{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":1},{\"id\":\"1\",\"day\":\"2026-03-05\",\"amount\":2}]}",
                "has the id of another one"
            ),
            ("{\"items\":[]}", "no booking of the days"), ("{\"items\":[", "not JSON that"),
            ("{\"a\":1,\"a\":2}", "not JSON that"), ("{\"error\":\"closed\"}", "no booking"),
            (String(repeating: "[", count: 200) + String(repeating: "]", count: 200), "not JSON that"),
        ])
    func odd(body: String, words: String) async throws {
        let bank = StagedBank { _, _ in .json(body) }
        let (run, _, _) = try await Self.run(Self.transactions(), at: bank)
        #expect(run.failure?.message.contains(words) == true, "\(run.failure?.description ?? "")")
        #expect(run.files.isEmpty)
    }

    @Test("a page instead of JSON, and an error page, are told")
    func html() async throws {
        let (run, _, _) = try await Self.run(Self.transactions(), at: StagedBank { _, _ in .page("<h1>Sorry</h1>") })
        #expect(run.failure?.bankWords == "Sorry", "\(run.failure?.description ?? "")")
        let (down, _, _) = try await Self.run(
            Self.transactions(), at: StagedBank { _, _ in .json("{\"error\":\"late\"}", status: 500) })
        #expect(down.failure?.reason == .serverError)
    }

    @Test(
        "end where the pages do not",
        arguments: [
            ("\"/list?page=1\"", "leads back to one before it"), ("\"/list?page=N\"", "more than 4 pages"),
            ("true", "no address and no mark at $.next"),
        ])
    func endless(next: String, words: String) async throws {
        let counter = Counter()
        let bank = StagedBank { _, _ in
            let number = counter.next()
            return Self.page([Self.item("\(number)")], next: next.replacing("N", with: "\(number)"))
        }
        let (run, _, _) = try await Self.run(Self.transactions("pages: { next: $.next, at most: 4 }"), at: bank)
        #expect(run.failure?.message.contains(words) == true, "\(run.failure?.description ?? "")")
        #expect(bank.lines.count <= 4 && run.files.isEmpty)
    }

    @Test("a next page elsewhere gets no token")
    func elsewhere() async throws {
        let bank = StagedBank { _, _ in Self.page([Self.item("1")], next: "\"https://other.example/list\"") }
        let (run, _, _) = try await Self.run(Self.transactions("pages: { next: $.next, at most: 4 }"), at: bank)
        #expect(run.failure?.reason == .foreignOrigin, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /list"])
    }

    @Test(
        "have amounts in hundredths, without signs, inverted, and with the noise of floating-point numbers",
        arguments: [
            ("amount: $.amount, in: minor units", "-1195", "-11.95"),
            ("amount: $.amount, in: minor units", "\"7\"", "0.07"),
            ("amount: $.amount, in: minor units", "-5", "-0.05"),
            ("amount: $.amount, sign: inverted", "11.95", "-11.95"),
            ("amount: $.amount, outgoing: { json: $.way, is: OUT }", "11.95", "-11.95"),
            ("amount: $.amount, outgoing: { json: $.way, is: IN }", "11.95", "11.95"),
            ("amount: $.amount", "0.30000000000000004", "0.30"), ("amount: $.amount", "-1234567.89", "-1234567.89"),
            ("amount: $.amount", "1e2", "100.00"),
        ])
    func signs(amount: String, written: String, read: String) async throws {
        let bank = StagedBank { _, _ in
            Self.page([Self.item("1", "2026-03-05", written, more: ",\"way\":\"OUT\",\"at\":1772668800")])
        }
        let entry = "id: $.id, booked: $.at, currency: EUR, payee: $.who, " + amount
        let (run, _, statements) = try await Self.run(Self.transactions(entry: entry), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(statements.first?.transactions.map(\.amount.description) == [read])
        #expect(statements.first?.transactions.map(\.booked.description) == ["2026-03-05"])
    }

    @Test(
        "count the minor units of the currency: a yen has none, and a dinar a thousand",
        arguments: [
            ("JPY", "-1195", "-1195.00"), ("KWD", "1195", "1.195"), ("KWD", "-5", "-0.005"), ("EUR", "7", "0.07"),
        ])
    func minorUnits(currency: String, written: String, read: String) async throws {
        let bank = StagedBank { _, _ in Self.page([Self.item("1", "2026-03-05", written, more: ",\"at\":1772668800")]) }
        let entry = "id: $.id, booked: $.at, currency: \(currency), amount: $.amount, in: minor units"
        let (run, _, statements) = try await Self.run(Self.transactions(entry: entry), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(statements.first?.transactions.map(\.amount.description) == [read])
    }
}

extension AnswerTests {
    @Test("name the other party of each direction, and join the lines of a purpose")
    func parties() async throws {
        let bank = StagedBank { _, _ in
            .json(
                """
                {"items":[
                {"id":"1","day":"2026-03-05","amount":"11.95","way":"OUT","to":"Greenleaf","from":"Robin","text":["Ref 7","Tea"]},
                {"id":"2","day":"2026-03-06","amount":"20.00","way":"IN","to":"Robin","from":"Aldershaw","text":[]}]}
                """)
        }
        let entry =
            "id: $.id, booked: $.day, amount: $.amount, currency: EUR, outgoing: { json: $.way, is: OUT }, payee: $.to, "
            + "payer: $.from, purpose: \"$.text[*]\""
        let (run, _, statements) = try await Self.run(Self.transactions(entry: entry), at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        let booked = try #require(statements.first?.transactions)
        #expect(
            booked.map(\.counterparty) == ["Greenleaf", "Aldershaw"]
                || booked.map(\.counterparty) == ["Aldershaw", "Greenleaf"])
        #expect(booked.contains { $0.purpose == "Ref 7 Tea" }, "\(booked.map(\.purpose))")
    }
}

private final class Box: @unchecked Sendable {
    var bytes: [UInt8] = []
}
