import Clocks
import Foundation
import Languages
import Messages
import TestSupport
import Testing

@testable import Broker
@testable import Notifications

/// The check of translations: a language that fails it is not offered.
@Suite("The sentences of messages to the owner")
struct OwnerTextTests {
    private static let book = OwnerText.book
    private static let time = Timestamp(Date(timeIntervalSince1970: 1_770_080_645.678))

    @Test("every language has each sentence, with the same places", arguments: Language.allCases)
    func whole(language: Language) {
        #expect(Self.book.faults(of: language) == [])
        #expect(Self.book.offered.contains(language))
        #expect(OwnerLanguage.language(of: language.tag) == language)
    }

    @Test("no key is missing, and none is unused")
    func keys() throws {
        var used = Set<String>()
        let areas = Set(Self.book.keys.map { $0.prefix { $0 != "." } })
        let folder = Repository.file("Sources/Serving/Notifications")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            used.formUnion(
                text.matches(of: /"([a-z]+\.[a-z_-]+)"/).map { String($0.1) }
                    .filter { areas.contains($0.prefix { $0 != "." }) })
        }
        // Those whose last part is the name of a value.
        for noun in ["statement", "documents"] { used.formUnion(["request.\(noun)", "request.\(noun)-named"]) }
        for noun in ["statement", "documents", "unknown"] {
            used.insert("answer.\(noun)")
            used.formUnion(["completed", "denied", "expired", "failed"].map { "end.\(noun)-\($0)" })
        }
        used.formUnion(["last-week", "last-day", "ended"].map { "consent.\($0)" })
        used.formUnion(Self.book.keys.filter { $0.hasPrefix("reason.") })
        #expect(used.subtracting(Self.book.keys).sorted() == [], "missing")
        #expect(Self.book.keys.subtracting(used).sorted() == [], "unused")
    }

    @Test("a failed run has a reason for each code of a phone's report, in English the one that agents get")
    func reasons() {
        for code in ErrorCode.phoneReports + [.deviceRemoved, .manifestVerificationFailed, .otherDevice] {
            #expect(OwnerText.english.reason(of: code) == RunFailureWords.sentence(for: code), "\(code)")
        }
        #expect(OwnerText.english.reason(of: nil) == "the run failed")
        let codes = Set(
            (ErrorCode.phoneReports + [.deviceRemoved, .manifestVerificationFailed]).map { $0.rawValue.lowercased() })
        let keys = Self.book.keys.filter { $0.hasPrefix("reason.") }.map { String($0.dropFirst(7)) }
        #expect(Set(keys).subtracting(codes) == ["any"])
    }

    // MARK: English as before

    private static func subjects() throws -> [RequestSubject] {
        let months = try ["2025-01", "2025-02", "2025-03"].map { try #require(MonthYear($0)) }
        let accounts = try ["Savings", "Joint"].map { try #require(AccountAlias($0)) }
        return [
            .statement(months[0]),
            .documents(try #require(DocumentSelection(periods: [months[1]]))),
            .documents(try #require(DocumentSelection(periods: months, kinds: [.csv, .pdf]))),
            .documents(try #require(DocumentSelection(accounts: accounts, periods: months, kinds: [.camt]))),
            .documents(try #require(DocumentSelection(periods: months, kinds: [.csv], firstDay: 3, lastDay: 7))),
            .documents(try #require(DocumentSelection(periods: [months[0]], kinds: [.csv], firstDay: 3))),
        ]
    }

    @Test("what a message is about is in English what it is everywhere else")
    func subjects() throws {
        for subject in try Self.subjects() { #expect(OwnerText.english.words(of: subject) == subject.words) }
        for milliseconds in 0..<1000 {
            let time = Timestamp(Date(timeIntervalSince1970: 1_770_080_645 + Double(milliseconds) / 1000))
            #expect(OwnerText.english.time(time) == time.description)
        }
        let kinds: [DocumentKind] = [.csv, .pdf]
        let offer = DocumentOffer(
            bankID: "north",
            DocumentsRequest(
                from: try #require(MonthYear("2025-10")), to: try #require(MonthYear("2025-12")), kinds: kinds,
                accounts: [try #require(AccountAlias("Savings"))], bankID: "north"),
            agent: try #require(AgentName("books")), createdAt: Self.time, expiresAt: Self.time)
        #expect(OwnerText.english.words(of: offer) == offer.words)
        #expect(
            OwnerMessage(offering: offer).text
                == "Countersign: an agent (“books”) offers the documents of 2025-10 to 2025-12, Savings, csv and pdf, for when "
                + "you have time. Open the approval page of your phone to see it, until 2026-02-03T01:04:05.678Z. Nothing is "
                + "fetched before you approve.")
    }

    @Test("every message is in English what it was before it had other languages")
    func english() throws {
        let id = try #require(RequestID("123e4567-e89b-42d3-a456-426614174000"))
        let month = try #require(MonthYear("2026-02"))
        var envelope = RequestEnvelope(
            bankID: "default", period: month, issuedAt: Self.time, approvalExpiresAt: Self.time)
        #expect(
            OwnerMessage(asking: envelope).text
                == "Countersign: an agent asks for the statement of 2026-02 (request \(envelope.requestID)). Open the approval "
                + "page of your phone to decide, until 2026-02-03T01:04:05.678Z.")
        envelope.client = AgentName("books")
        envelope.reason = AgentReason("for {{id}}")
        #expect(
            OwnerMessage(asking: envelope).text
                == "Countersign: the agent “books” asks for the statement of 2026-02 (request \(envelope.requestID)). Its reason, "
                + "in its own words: “for {{id}}”. Open the approval page of your phone to decide, until "
                + "2026-02-03T01:04:05.678Z.")
        #expect(
            OwnerMessage(completed: id).text == "Countersign: request \(id) is complete. (For information only.)")
        #expect(
            OwnerMessage(heldBack: 3, waiting: 2).text
                == "Countersign: more requests that came in the last hour: 3. Waiting for you now: 2. If you did not expect them, "
                + "stop the agent: countersign agent remove NAME, or a new BROKER_API_TOKEN.")
        for (outcome, words) in [
            (RequestEnd.Outcome.completed, "is complete"), (.denied, "was denied"),
            (.expired, "was not approved in time"),
            (.failed(code: .bankLoginFailed), "failed: the bank did not accept the sign-in"),
            (
                .failed(code: .manifestVerificationFailed),
                "failed: the delivery was refused, because it could not be verified"
            ), (.failed(code: .deviceRemoved), "failed: a device that had approved it was removed"),
        ] {
            for subject in try [nil] + Self.subjects().map(Optional.some) {
                let end = RequestEnd(id: id, subject: subject, outcome: outcome, message: nil, phone: "default")
                let what = subject.map { "the \($0.noun) of \($0.words)" } ?? "a request"
                // What the broker found is not on the phone's page.
                let step =
                    outcome == .failed(code: .bankLoginFailed) ? " The page of your phone says what to do." : ""
                #expect(OwnerMessage(end).text == "Countersign: \(what) \(words) (request \(id)).\(step)")
            }
        }
    }

    // MARK: Other languages

    @Test(
        "dates are written as the language writes them",
        arguments: [
            (
                Language.german, "Februar 2026", "3. Februar 2026, 01:04 UTC",
                "3. Januar 2025 bis 7. März 2025, csv, 3 Dokumente"
            ),
            (
                .french, "février 2026", "3 février 2026, 01:04 UTC",
                "du 3 janvier 2025 au 7 mars 2025, csv, 3 documents"
            ),
            (
                .spanish, "febrero de 2026", "3 de febrero de 2026, 01:04 UTC",
                "del 3 de enero de 2025 al 7 de marzo de 2025, csv, 3 documentos"
            ),
        ])
    func dates(language: Language, month: String, time: String, days: String) throws {
        let text = OwnerText(language)
        #expect(text.words(of: .statement(try #require(MonthYear("2026-02")))) == month)
        #expect(text.time(Self.time) == time)
        #expect(text.words(of: try Self.subjects()[4]) == days)
    }

    @Test(
        "a request is announced in the language",
        arguments: [
            (
                Language.german,
                "Countersign: Der Agent „books“ fragt den Kontoauszug für Februar 2026 an (Anfrage ID). Sein Grund, in seinen "
                    + "eigenen Worten: „for the books“. Öffnen Sie zum Entscheiden die Freigabeseite Ihres Telefons, bis "
                    + "3. Februar 2026, 01:04 UTC."
            ),
            (
                .french,
                "Countersign\u{A0}: l\u{2019}agent «\u{A0}books\u{A0}» demande le relevé pour février 2026 (demande ID). Son motif, dans ses "
                    + "propres mots\u{A0}: «\u{A0}for the books\u{A0}». Ouvrez la page d\u{2019}approbation de votre téléphone pour "
                    + "décider, jusqu\u{2019}au 3 février 2026, 01:04 UTC."
            ),
            (
                .spanish,
                "Countersign: el agente «books» pide el extracto de febrero de 2026 (solicitud ID). Su motivo, con sus propias "
                    + "palabras: «for the books». Abra la página de aprobación de su teléfono para decidir, hasta el "
                    + "3 de febrero de 2026, 01:04 UTC."
            ),
        ])
    func request(language: Language, words: String) throws {
        var envelope = RequestEnvelope(
            bankID: "default", period: try #require(MonthYear("2026-02")), issuedAt: Self.time,
            approvalExpiresAt: Self.time)
        envelope.client = AgentName("books")
        envelope.reason = AgentReason("for the books")
        let message = OwnerMessage(asking: envelope, in: OwnerText(language))
        #expect(message.text.replacing(envelope.requestID.description, with: "ID") == words)
    }

    @Test("a consent that ends names no bank, and the day in the language")
    func consents() {
        let end = Date(timeIntervalSince1970: 1_770_080_645)
        let consent = BankConsent(endsAt: end, endedAt: nil, needsOwner: true)
        for (seconds, english, german) in [
            (-500_000.0, "ends on 2026-02-03, within a week.", "endet am 3. Februar 2026, innerhalb einer Woche."),
            (-80_000, "ends on 2026-02-03, within a day.", "endet am 3. Februar 2026, innerhalb eines Tages."),
            (5, "ended on 2026-02-03.", "endete am 3. Februar 2026."),
        ] {
            let now = end.addingTimeInterval(seconds)
            let message = OwnerMessage(ending: consent, at: now)
            #expect(message.kind == .consent && message.text.contains("your consent at a bank \(english)"))
            #expect(message.text.hasSuffix("under Banks it names the bank, and renews the consent."))
            #expect(
                OwnerMessage(ending: consent, at: now, in: OwnerText(.german)).text
                    .contains("Ihre Einwilligung bei einer Bank \(german)"))
        }
    }

    @Test("the first of a month is an ordinal number in French")
    func firstOfMonth() throws {
        let text = OwnerText(.french)
        #expect(text.time(Timestamp(Date(timeIntervalSince1970: 1_769_904_000))) == "1er février 2026, 00:00 UTC")
    }
}
