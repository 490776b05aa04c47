import BankScript
import Clocks
import Encodings
import Foundation
import Languages
import Messages
import Storage
import TestSupport
import Testing
import WebServing

@testable import ApprovalPage
@testable import Phone
@testable import PhoneStore

/// The check of translations: a language that fails it is not offered.
@Suite("The sentences of the approval page")
struct PageTextTests {
    private static let book = PageResources.sentences

    @Test("every language has each sentence, with the same places, markup and commands", arguments: Language.allCases)
    func whole(language: Language) {
        #expect(Self.book.faults(of: language) == [])
        #expect(Self.book.offered.contains(language))
    }

    @Test("no key is missing, and none is unused")
    func keys() throws {
        var used = Set<String>()
        for bytes in PageResources.templates.values {
            used.formUnion(Sentences.keys(in: String(decoding: bytes, as: UTF8.self)))
        }
        used.formUnion(Sentences.keys(in: SharedPageFiles.calls + SharedPageFiles.worker))
        let folder = Repository.file("Sources/Phone/ApprovalPage")
        for file in try Self.files(in: folder) {
            switch file.pathExtension {
            case "swift":
                let text = try String(contentsOf: file, encoding: .utf8)
                used.formUnion(text.matches(of: /"([a-z-]+\.[a-z_.-]+)"/).map { String($0.1) }.filter(Self.isOfBook))
            case "js", "html", "webmanifest":
                used.formUnion(Sentences.keys(in: try String(contentsOf: file, encoding: .utf8)))
            default: break
            }
        }
        // Those whose last part is the name of a case.
        used.formUnion(PageViews.Place.allCases.map { "place.\($0.rawValue)" })
        used.formUnion(FailureReason.allCases.map { "failure.\($0.rawValue)" })
        used.formUnion(AuditSeverity.allCases.map { "severity.\($0.rawValue)" })
        used.formUnion(["statement", "documents"].map { "card.account-\($0)" })
        used.formUnion(["username", "password", "pin"].map { "credential.\($0)" })
        used.formUnion((1...12).compactMap { MonthYear(month: $0, year: 2026) }.map { "month.\(Self.english($0))" })
        used.formUnion(Self.book.keys.filter { $0.hasPrefix("event.") })
        #expect(used.subtracting(Self.book.keys).sorted() == [], "missing")
        #expect(Self.book.keys.subtracting(used).sorted() == [], "unused")
    }

    @Test("no sentence stands in a template itself", arguments: PageResources.templates.keys.sorted())
    func templates(name: String) throws {
        let words = TemplateWords.standing(in: PageTemplates.text(try #require(PageResources.templates[name])))
        // Names, which are the same everywhere, and the form of a code.
        let names: Set = ["Countersign", "Mac", "Android", "Windows", "Firefox", "ABCD-EFGH-IJKL-MNOP"]
        #expect(words.subtracting(names).sorted() == [])
    }

    @Test(
        "no sentence stands in a script itself, and no words of a browser's own error are shown",
        arguments: PageResources.scripts.map(\.0))
    func scripts(name: String) throws {
        let bytes = try #require(PageResources.scripts.first { $0.0 == name }?.1)
        let script = String(decoding: bytes, as: UTF8.self)
        let literals = script.matches(of: /"([^"\n]*)"/).map { String($0.1) }
        #expect(literals.filter { $0.contains(/[A-Za-z] [a-z]/) } == [])
        #expect(!script.contains("error.message") && !script.contains("new Error("))
    }

    private static let areas = Set(book.keys.map { $0.prefix { $0 != "." } })

    /// Returns whether a literal is a key of this book, or would be one: file names and the like are not.
    private static func isOfBook(_ literal: String) -> Bool {
        areas.contains(literal.prefix { $0 != "." })
            && ![".js", ".css", ".html", ".png", ".webmanifest"].contains { literal.hasSuffix($0) }
            && literal != "page.mustache"
    }

    private static func english(_ period: MonthYear) -> String {
        PageText.month(period).lowercased().prefix { $0 != " " }.description
    }

    private static func files(in folder: URL) throws -> [URL] {
        let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return all.compactMap { $0 as? URL }
    }

    // MARK: Words that the terminal has, too

    @Test("an event of the log is the same sentence at the terminal")
    func events() {
        let members: [[String: JSONValue]] = [
            [:],
            [
                "bank_id": "default", "name": "Mine", "agent": "books", "message": "it was late", "file": "a.pdf",
                "error_message": "no button", "means": "passkey and passphrase", "issuer": "Meridian", "to": "add",
                "from": "Pot", "origins": "https://bank.example", "browser": "Firefox on Linux", "plugins": "one",
                "folder": "/sync",
            ],
        ]
        let types = Self.book.keys.filter { $0.hasPrefix("event.") }.map { String($0.dropFirst(6)) }
        #expect(types.count > 60)
        for type in types.sorted() {
            for details in members {
                let event = AuditEvent(type, details: .object(details))
                let shown = EventWords.of(event) { "bank \($0)" }
                let printed = AuditSentence.words(event) { "bank \($0)" }
                // The page has a link to the document, and not the name that the inbox gave it.
                let isNamed = type == "request.completed" && printed == shown + ": a.pdf"
                #expect(shown == printed || isNamed, "\(type)")
            }
        }
        for kind in AuditKind.allCases {
            let event = AuditEvent(kind.rawValue)
            let hasSentence = AuditSentence.words(event) { $0 } != kind.rawValue
            #expect(hasSentence == Self.book.keys.contains("event.\(kind.rawValue)"), "\(kind.rawValue)")
        }
    }

    @Test("a check of the log is the same sentence at the terminal")
    func verifications() throws {
        let checkpoint = try #require(AuditCheckpoint("17:" + String(repeating: "a", count: 64)))
        #expect(
            EventWords.of(.intact(count: 3, last: checkpoint)) + "; checkpoint \(checkpoint)"
                == AuditVerification.intact(count: 3, last: checkpoint).description)
        for verification in [
            AuditVerification.broken(at: 4), .truncated(after: 5), .unexplainedStart(after: 6), .rewritten(before: 7),
            .checkpointPruned(id: 8, through: 9),
        ] { #expect(EventWords.of(verification) == verification.description) }
    }

    @Test("a hold is the same sentence at the terminal", arguments: [nil] + FailureReason.allCases.map { $0 })
    func holds(reason: FailureReason?) {
        let hold = SignInHold(id: "1", bankID: "default", reason: reason, since: Date(timeIntervalSince1970: 1e9))
        #expect(HoldWords.of(hold, bankName: "Meridian") == "Meridian \(hold.words)")
    }

    @Test("a consent that ends is the same sentence at the terminal", arguments: [-1, 0.5, 5, 30], [true, false])
    func consents(days: Double, needsOwner: Bool) {
        let now = Date(timeIntervalSince1970: 1e9)
        let consent = StoredConsent(
            bankID: "default", endsAt: now.addingTimeInterval(days * 86_400), needsOwner: needsOwner)
        #expect(
            HoldWords.renewal(of: consent, at: now, bankName: "Meridian")
                == consent.offer(at: now, bankName: "Meridian"))
        #expect(HoldWords.state(of: consent, at: now) == consent.state(at: now))
    }

    // MARK: In other languages

    @Test(
        "months and days are written as the language writes them",
        arguments: [
            (Language.english, "October 2026", "1 October 2026", "3–7 October 2026"),
            (.german, "Oktober 2026", "1. Oktober 2026", "3.–7. Oktober 2026"),
            (.french, "octobre 2026", "1er octobre 2026", "3–7 octobre 2026"),
            (.spanish, "octubre de 2026", "1 de octubre de 2026", "3–7 de octubre de 2026"),
        ])
    func dates(language: Language, month: String, day: String, days: String) throws {
        let period = try #require(MonthYear("2026-10"))
        let place = DocumentPlace(account: nil, period: period, kind: .pdf, days: 3...7)
        PageText.$sentences.withValue(Self.book[language]) {
            #expect(PageText.month(period) == month)
            #expect(PageText.day(1, of: period) == day)
            #expect(PageViews.words(place) == days)
        }
    }

    @Test("every value that our own scripts send has words")
    func outflows() throws {
        let folder = Repository.file("BankScripts")
        var items = Set<String>()
        for file in try Self.files(in: folder) where file.pathExtension == "yaml" {
            guard let text = try? String(contentsOf: file, encoding: .utf8),
                let script = try? BankScript(yaml: text, file: file.lastPathComponent)
            else { continue }
            items.formUnion(ScriptDisclosure(script).outflows.map(\.item))
        }
        #expect(items.count > 3)
        #expect(items.filter { !RequestWords.knows($0) } == [])
        PageText.$sentences.withValue(Self.book[.german]) {
            #expect(
                RequestWords.outflow("https://bank.example: the username, characters of the password, a one-time code")
                    == "https://bank.example: Benutzername, einzelne Zeichen von: Passwort, ein Einmalcode")
            #expect(
                RequestWords.outflow("https://bank.example: the captured token, something else")
                    == "https://bank.example: im Lauf erfasst: token, something else")
            #expect(
                RequestWords.outflow("https://bank.example: the cookies of this device")
                    == "https://bank.example: die Cookies dieses Geräts")
        }
    }

    @Test("a failed run says its reason in the language, and keeps the message as it is")
    func failures() {
        PageText.$sentences.withValue(Self.book[.german]) {
            for code in ErrorCode.phoneReports + [.otherDevice] {
                for reason in [nil] + FailureReason.allCases.map(Optional.some) {
                    #expect(FailureWords.sentence(code, reason).hasSuffix("."), "\(code)")
                }
            }
            #expect(FailureWords.sentence(.bankLoginFailed, nil) == "Die Bank hat die Anmeldung nicht angenommen.")
        }
    }

    @Test("refusals are the phone's own message in English, and in another language say what it means")
    func refusals() {
        let error = PhoneError(.brokerUnreachable, "the broker at localhost does not answer")
        #expect(RefusalWords.of(error) == error.message)
        PageText.$sentences.withValue(Self.book[.french]) {
            #expect(
                RefusalWords.of(error)
                    == "Le broker est injoignable. En anglais\u{A0}: the broker at localhost does not answer")
        }
        // A person meets these with their own passkey.
        for code in [WebAuthnError.Code.missingExtension, .userNotPresent, .userNotVerified, .wrongChallenge] {
            let words = PageText.$sentences.withValue(Self.book[.german]) { RefusalWords.of(WebAuthnError(code, "no")) }
            #expect(words.hasSuffix(".") && !words.contains("Auf Englisch"), "\(code)")
        }
        // A hold has several reasons, and the bank may have refused nothing.
        let held = PhoneError(.onHold, "Meridian may have refused these credentials, and another try can lock it")
        PageText.$sentences.withValue(Self.book[.german]) {
            #expect(RefusalWords.of(held).hasSuffix("Auf Englisch: \(held.message)"))
            #expect(!RefusalWords.of(held).contains("abgelehnt"))
            #expect(!FailureWords.sentence(.bankOnHold, nil).contains("abgelehnt"))
        }
    }
}
