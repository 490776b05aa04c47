import Clocks
import Encodings
import Testing

@testable import Messages

private func month(_ text: String) -> MonthYear { MonthYear(text)! }
private func alias(_ text: String) -> AccountAlias { AccountAlias(text)! }

@Suite("The documents of a request")
struct DocumentPlaceTests {
    @Test(
        "a kind has a media type and an ending",
        arguments: [
            (DocumentKind.pdf, "application/pdf", "pdf"), (.csv, "text/csv", "csv"), (.ofx, "application/x-ofx", "ofx"),
            (.camt, "application/xml", "xml"), (.mt940, "text/plain", "sta"), (.qif, "application/x-qif", "qif"),
            (.xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
            (.html, "text/html", "html"), (.json, "application/json", "json"),
        ])
    func kinds(kind: DocumentKind, type: String, ending: String) {
        #expect(kind.mediaType == type)
        #expect(kind.fileExtension == ending)
    }

    @Test(
        "an alias is a name, and never a number of an account",
        arguments: [
            ("a", true), (String(repeating: "a", count: 40), true), ("Girokonto 1234", true), ("a._- b", true),
            ("1", true), ("Ünïcode", true), ("", false), (String(repeating: "a", count: 41), false), (" a", false),
            ("a ", false), ("-a", false), (".a", false), ("a12345", false), ("1 2 3 4 5", false), ("a/b", false),
            ("a\nb", false), ("a\u{202E}b", false),
        ])
    func aliases(text: String, isOne: Bool) {
        #expect((AccountAlias(text) != nil) == isOne)
    }

    @Test(
        "an agent's name has an own look",
        arguments: [
            ("a", true), ("z", true), ("0", true), ("9", true), ("a.b-c_d", true),
            (String(repeating: "a", count: 40), true), ("", false), (String(repeating: "a", count: 41), false),
            ("A", false), ("-a", false), (".a", false), ("_a", false), ("a b", false), ("aB", false), ("a`", false),
            ("a{", false), ("a/", false), ("a:", false), ("ä", false),
        ])
    func agents(text: String, isOne: Bool) {
        #expect((AgentName(text) != nil) == isOne)
    }

    @Test("names are random: no two alike, every digit somewhere, and the first block is what a person compares")
    func random() {
        let nonces = (0..<1000).map { _ in Nonce().description }
        #expect(Set(nonces).count == 1000)
        // 16,000 bytes leave out one of 256 with a probability below 1 in 10 to the 24.
        let bytes = Set(nonces.flatMap { Base16.decode($0) ?? [] })
        #expect(bytes.count == 256)
        #expect(nonces.allSatisfy { Nonce($0) != nil })
        for place in 0..<32 {
            let digits = Set(nonces.map { $0[$0.index($0.startIndex, offsetBy: place)] })
            #expect(digits.count > 8, "place \(place)")
        }
        #expect(RequestID("0f0e0d0c-0b0a-4900-8807-060504030201")?.short == "0f0e0d0c")
        #expect(OfferID("1f0e0d0c-0b0a-4900-8807-060504030201")?.short == "1f0e0d0c")
        #expect(OfferID("1F0E0D0C-0B0A-4900-8807-060504030201") == nil)
        #expect(OfferID() != OfferID())
    }

    @Test("places are fetched by account, then by month and day, then by kind")
    func order() {
        let places = [
            DocumentPlace(period: month("2026-02")),
            DocumentPlace(account: alias("A"), period: month("2026-01"), kind: .csv),
            DocumentPlace(account: alias("A"), period: month("2026-01"), kind: .pdf),
            DocumentPlace(account: alias("A"), period: month("2026-01"), kind: .csv, days: 2...10),
            DocumentPlace(account: alias("A"), period: month("2026-01"), kind: .csv, days: 2...30),
            DocumentPlace(account: alias("A"), period: month("2026-01"), kind: .csv, days: 3...5),
            DocumentPlace(account: alias("A"), period: month("2026-02")),
            DocumentPlace(account: alias("B"), period: month("2026-01")),
        ]
        #expect(places.shuffled().sorted() == places)
        for (index, place) in places.enumerated() {
            for other in places[index...] { #expect(!(other < place)) }
        }
    }

    @Test("a part of January comes before the whole of it when it ends earlier, and behind it when it begins later")
    func partsInOrder() {
        let whole = DocumentPlace(period: month("2026-01"), kind: .csv)
        #expect(DocumentPlace(period: month("2026-01"), kind: .csv, days: 1...30) < whole)
        #expect(whole < DocumentPlace(period: month("2026-01"), kind: .csv, days: 2...31))
    }

    @Test(
        "a place in words, and the days that a month does not have",
        arguments: [
            (DocumentPlace(period: month("2026-02")), "2026-02 pdf"),
            (DocumentPlace(account: alias("A"), period: month("2026-02"), kind: .csv), "A 2026-02 csv"),
            (
                DocumentPlace(account: alias("A"), period: month("2026-02"), kind: .csv, days: 5...31),
                "A 2026-02-05 to 2026-02-28 csv"
            ),
            (DocumentPlace(period: month("2026-02"), days: 1...28), "2026-02 pdf"),
            (DocumentPlace(period: month("2026-02"), days: 1...9), "2026-02-01 to 2026-02-09 pdf"),
        ])
    func words(place: DocumentPlace, words: String) {
        #expect(place.description == words)
        #expect(DocumentPlace(json: place.json) == place)
    }

    @Test(
        "a place reads its own form only",
        arguments: [
            ["kind": "pdf"], ["period": "2026-01"], ["kind": "exe", "period": "2026-01"],
            ["kind": "pdf", "period": "2026-01", "more": 1], ["kind": "pdf", "period": "2026-01", "account": "123456"],
            ["kind": "pdf", "period": "2026-01", "account": 1], 1,
            ["kind": "pdf", "period": "2026-01", "from": "2026-01-20", "to": "2026-02-10"],
            ["kind": "pdf", "period": "2026-01", "from": "2025-12-05", "to": "2026-01-10"],
        ] as [JSONValue])
    func noPlace(json: JSONValue) {
        #expect(DocumentPlace(json: json) == nil)
    }

    @Test("a whole month has a first and a last day, and an envelope's month can be set")
    func ends() {
        let place = DocumentPlace(period: month("2026-02"))
        #expect(place.firstDay == "2026-02-01" && place.lastDay == "2026-02-28")
        let time = Timestamp("2026-01-31T09:00:00.000Z")!
        var envelope = RequestEnvelope(
            bankID: "default", period: month("2026-02"), issuedAt: time, approvalExpiresAt: time)
        #expect(envelope.period == month("2026-02"))
        envelope.period = month("2026-03")
        #expect(envelope.subject == .statement(month("2026-03")))
    }

    @Test("an envelope names the agent only when it is another than the first", arguments: [nil, "books"])
    func client(name: String?) throws {
        let time = Timestamp("2026-01-31T09:00:00.000Z")!
        var envelope = RequestEnvelope(
            bankID: "default", period: month("2026-02"), issuedAt: time, approvalExpiresAt: time)
        envelope.client = name.flatMap { AgentName($0) }
        #expect(envelope.members["client"]?.stringValue == name)
        #expect(try RequestEnvelope(MessageFields(.object(envelope.members), what: "the envelope")) == envelope)
    }

    @Test("what is not an object is refused by its name")
    func noParameters() {
        let error = #expect(throws: MessageError.self) { try RequestSubject(type: "statement", parameters: 1) }
        #expect(error?.message.contains("“params”") == true)
    }

    @Test("a place of a single day reads back")
    func oneDay() {
        let place = DocumentPlace(period: month("2026-01"), days: 31...31)
        #expect(place.span == "2026-01-31 to 2026-01-31" && DocumentPlace(json: place.json) == place)
    }
}

@Suite("A selection of documents")
struct DocumentSelectionTests {
    private static let year = month("2025-01").through(month("2025-12"))

    @Test("has 1 to 120 documents, each once, in order")
    func bounds() throws {
        let most = try #require(DocumentSelection(accounts: someAliases(10), periods: Self.year))
        #expect(most.count == 120 && most.exceptions.isEmpty && most.places == most.places.sorted())
        #expect(DocumentSelection(accounts: someAliases(11), periods: Self.year) == nil)
        #expect(DocumentSelection(accounts: someAliases(120), periods: [month("2025-01")])?.count == 120)
        #expect(DocumentSelection(accounts: someAliases(121), periods: [month("2025-01")]) == nil)
        #expect(DocumentSelection(periods: month("2010-01").through(month("2019-12")))?.count == 120)
        #expect(DocumentSelection(periods: month("2010-01").through(month("2020-01"))) == nil)
        let subject = RequestSubject.documents(
            try #require(DocumentSelection(periods: month("2010-01").through(month("2019-12")))))
        #expect(try RequestSubject(type: "documents", parameters: subject.parameters) == subject)
        #expect(DocumentSelection(periods: []) == nil)
        #expect(DocumentSelection(periods: Self.year, kinds: []) == nil)
        let once = DocumentSelection(periods: [month("2025-01"), month("2025-01")], kinds: [.pdf, .pdf])
        #expect(once?.count == 1)
        #expect(DocumentSelection(periods: [month("2025-01")], kinds: Array(repeating: .pdf, count: 120))?.count == 1)
        #expect(DocumentSelection(periods: [month("2025-01")], kinds: Array(repeating: .pdf, count: 121)) == nil)
        #expect(DocumentSelection(periods: Array(repeating: month("2025-01"), count: 120))?.count == 1)
        #expect(DocumentSelection(periods: Array(repeating: month("2025-01"), count: 121)) == nil)
        let alias = someAliases(1)[0]
        for (count, documents) in [(120, 1), (121, nil)] {
            let accounts = Array(repeating: alias, count: count)
            #expect(DocumentSelection(accounts: accounts, periods: [month("2025-01")])?.count == documents)
        }
    }

    @Test("has days of its first and last month only, in order")
    func days() throws {
        let january = [month("2025-01")]
        #expect(DocumentSelection(periods: january, firstDay: 5, lastDay: 5)?.range == "2025-01-05 to 2025-01-05")
        #expect(DocumentSelection(periods: january, firstDay: 6, lastDay: 5) == nil)
        #expect(DocumentSelection(periods: january, lastDay: 1)?.range == "2025-01-01 to 2025-01-01")
        #expect(DocumentSelection(periods: january, lastDay: 0) == nil)
        #expect(DocumentSelection(periods: january, firstDay: 31)?.range == "2025-01-31 to 2025-01-31")
        let two = try #require(
            DocumentSelection(periods: [month("2025-01"), month("2025-02")], firstDay: 20, lastDay: 10))
        #expect(two.range == "2025-01-20 to 2025-02-10" && two.firstDay == 20 && two.lastDay == 10 && two.hasDays)
        #expect(DocumentSelection(two.places) == two)
        #expect(
            DocumentSelection(periods: january, firstDay: 2).flatMap { DocumentSelection($0.places) }?.firstDay == 2)
        let middle = DocumentPlace(period: month("2025-02"), days: 2...20)
        let around = [DocumentPlace(period: month("2025-01")), DocumentPlace(period: month("2025-03"))]
        #expect(DocumentSelection(around + [middle]) == nil, "days in between are left out")
        let whole = try #require(DocumentSelection(periods: january))
        #expect(whole.range == "2025-01" && whole.firstDay == nil && whole.lastDay == nil && !whole.hasDays)
        #expect(DocumentSelection(periods: Self.year)?.range == "2025-01 to 2025-12")
    }

    @Test("knows what of its table is left out, and names accounts everywhere or nowhere")
    func exceptions() throws {
        let all = try #require(
            DocumentSelection(accounts: someAliases(2), periods: [month("2025-01"), month("2025-02")]))
        let fewer = try #require(DocumentSelection(all.places.filter { $0 != all.places[1] }))
        #expect(fewer.count == 3 && fewer.exceptions == [all.places[1]])
        let subject = RequestSubject.documents(fewer)
        #expect(try RequestSubject(type: "documents", parameters: subject.parameters) == subject)
        let unnamed = DocumentPlace(period: month("2025-01"))
        #expect(DocumentSelection(all.places + [unnamed]) == nil)
        #expect(DocumentSelection([unnamed])?.accounts.isEmpty == true)
    }

    @Test(
        "of an envelope has one form",
        arguments: [
            ["kinds": ["pdf"], "periods": 1], ["kinds": "pdf", "periods": ["2025-01"]],
            ["kinds": ["pdf"], "periods": ["2025-01", 1]], ["kinds": ["pdf", "csv"], "periods": ["2025-01"]],
            ["accounts": ["A", "A"], "kinds": ["pdf"], "periods": ["2025-01"]],
            ["accounts": [], "kinds": ["pdf"], "periods": ["2025-01"]],
            ["except": [], "kinds": ["pdf"], "periods": ["2025-01"]],
            ["except": [1], "kinds": ["csv", "pdf"], "periods": ["2025-01"]],
            ["kinds": ["pdf"], "periods": ["2025-01"], "more": []],
            ["kinds": ["pdf"], "periods": .array(Array(repeating: "2025-01", count: 121))],
        ] as [JSONValue])
    func oneForm(parameters: JSONValue) {
        let error = #expect(throws: MessageError.self) {
            try RequestSubject(type: "documents", parameters: parameters)
        }
        #expect(error?.code == .malformed)
    }

    @Test(
        "is described to a person",
        arguments: [
            (DocumentSelection(periods: [month("2025-01")]), "2025-01, 1 document"),
            (DocumentSelection(periods: year), "2025-01 to 2025-12, 12 documents"),
            (
                DocumentSelection(accounts: [alias("Savings"), alias("Current")], periods: year, kinds: [.pdf, .csv]),
                "2025-01 to 2025-12, Current and Savings, csv and pdf, 48 documents"
            ),
        ])
    func words(selection: DocumentSelection?, words: String) throws {
        let subject = RequestSubject.documents(try #require(selection))
        #expect(subject.words == words)
        #expect(subject.noun == "documents" && subject.count == selection?.count)
    }

    @Test("of a statement is its month")
    func statement() throws {
        let subject = try RequestSubject(type: "statement", parameters: ["month": 12, "year": 2025])
        #expect(subject == .statement(month("2025-12")) && subject.words == "2025-12" && subject.noun == "statement")
        #expect(subject.count == 1 && subject.periods == [month("2025-12")])
        #expect(subject.parameters == ["month": 12, "year": 2025])
        let wrong: [(String, JSONValue)] = [
            ("statement", ["month": 0, "year": 2025]), ("statement", ["month": 13, "year": 2025]),
            ("statement", ["month": 1]), ("statement", ["month": 1, "year": 2025, "day": 1]),
            ("transfer", ["month": 1, "year": 2025]), ("statement", 1),
        ]
        for (type, parameters) in wrong {
            #expect(throws: MessageError.self, "\(type) \(parameters)") {
                try RequestSubject(type: type, parameters: parameters)
            }
        }
    }

    @Test(
        "an end of a range is a month or a day, in one form",
        arguments: [
            ("2026-01", "2026-01"), ("2026-01-15", "2026-01-15"), ("2024-02-29", "2024-02-29"),
            ("2026-01-01", "2026-01-01"),
            ("2026-01-", nil), ("2026-01-1", nil), ("2026-01-32", nil), ("2026-01-00", nil), ("2026-02-29", nil),
            ("2026-01-+1", nil), ("2026-0115", nil), ("2026-01_15", nil), ("2026-01-015", nil), ("2026", nil),
            ("", nil),
        ])
    func rangeEnd(text: String, read: String?) {
        #expect(RangeEnd(text)?.description == read)
    }

    @Test("of a kind whose plug-in is gone are read where they were kept, and refused where they arrive")
    func goneKind() throws {
        let parameters: JSONValue = ["kinds": ["gone"], "periods": ["2026-01", "2026-02"]]
        let kept = try RequestSubject(kept: RequestEnvelope.documentsType, parameters: parameters)
        #expect(kept.count == 2 && kept.words == "2026-01 to 2026-02, gone, 2 documents")
        #expect(throws: MessageError.self) {
            try RequestSubject(type: RequestEnvelope.documentsType, parameters: parameters)
        }
    }
}
