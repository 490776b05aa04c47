import Clocks
import Crypto
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("Documents on the approval page", .timeLimit(.minutes(3)))
struct DocumentsPageTests {
    /// Serves the page of a phone that keeps copies, and lets it fetch one statement.
    private static func withStatement(
        keepsCopies: Bool = true,
        _ body:
            @escaping @Sendable (TestPhone, PageBrowser, PageServer, Messages.RequestID, String) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                if keepsCopies {
                    let answer = try await browser.post("/documents/copies", form: ["csrf": csrf, "keep": "yes"])
                    #expect(answer.status == 303)
                }
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
                try await body(phone, browser, server, id, csrf)
            }
        }
    }

    private static func copies(of phone: TestPhone) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: phone.home.documents, includingPropertiesForKeys: nil)) ?? []
    }

    @Test("a document opens from the phone's own copy, encrypted, after the broker has taken the file")
    func opens() async throws {
        try await Self.withStatement { phone, browser, server, id, _ in
            for name in phone.inboxFiles() { try FileManager.default.removeItem(at: phone.inbox.appending(path: name)) }
            let list = try await browser.page("/documents")
            #expect(list.contains("Meridian Savings, 2026") && list.contains("January 2026"))
            let path = "/documents/\(id)/statement"
            #expect(list.contains(browser.base + path))
            #expect(try await browser.page().contains(browser.base + path), "the card in the inbox leads there, too")
            let opened = try await browser.get(path)
            #expect(opened.header("Content-Type") == "application/pdf")
            #expect(Data(opened.body) == phone.engine.state.withLock { $0.pdf })
            let file = try #require(Self.copies(of: phone).first)
            let sealed = try Data(contentsOf: file)
            #expect(sealed.range(of: Data("statement".utf8)) == nil && sealed.count > 40)
            #expect(try await browser.get("/documents/\(id)/other").status == 404)
            #expect(try await browser.get("/documents/\(Messages.RequestID())/statement").status == 404)
            withExtendedLifetime(server) {}
        }
    }

    @Test(
        "only a PDF opens in the browser; a bank's HTML and other files are saved", arguments: DocumentKind.allCases)
    func kinds(_ kind: DocumentKind) async throws {
        try await Self.withStatement { phone, browser, server, id, _ in
            let secrets = try await phone.verification.open(phone.vault, reason: "a test")
            let store = await server.state.store
            let bytes = Array("<script>alert(1)</script>".utf8)
            let file = phone.home.folder.appending(path: "document")
            try Data(bytes).write(to: file)
            try await DocumentCopies(of: phone.home, store: store, in: secrets).keep(file, as: "one", of: id)
            try await store.remember(
                ReceivedDocument(
                    requestID: id, name: "one", bankID: "default",
                    place: DocumentPlace(
                        account: AccountAlias("Savings"), period: MonthYear(month: 2, year: 2026)!, kind: kind),
                    sha256: Base16.encode(SHA256.hash(data: bytes)), receivedAt: Date(), isKept: true))
            #expect(try await browser.page("/documents").contains("Savings · \(kind.rawValue.uppercased()) · came"))
            let answer = try await browser.get("/documents/\(id)/one")
            #expect(answer.status == 200 && answer.body == bytes)
            let isShown = kind == .pdf
            #expect(answer.header("Content-Type") == (isShown ? "application/pdf" : "application/octet-stream"))
            #expect(
                answer.header("Content-Disposition")
                    == "\(isShown ? "inline" : "attachment"); filename=\"\(id)-one.\(kind.fileExtension)\"")
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
        }
    }

    @Test("a copy that was changed or exchanged is not shown, and the audit log says so")
    func changed() async throws {
        try await Self.withStatement { phone, browser, server, id, _ in
            let file = try #require(Self.copies(of: phone).first)
            let genuine = try Data(contentsOf: file)
            let path = "/documents/\(id)/statement"
            var changed = genuine
            changed[changed.count - 1] ^= 1
            try changed.write(to: file)
            #expect(try await browser.get(path).status == 404)
            // The vault's own key, and another document: the digest is the delivered one's.
            try genuine.write(to: file)
            let secrets = try await phone.verification.open(phone.vault, reason: "a test")
            let copies = try await DocumentCopies(of: phone.home, store: await server.state.store, in: secrets)
            let other = phone.home.folder.appending(path: "other.pdf")
            try Data("%PDF another".utf8).write(to: other)
            try copies.keep(other, as: "statement", of: id)
            #expect(try await browser.get(path).status == 404)
            let records = try await server.state.store.audit.records(AuditFilter(type: "copy.changed"))
            #expect(records.count == 2 && records.allSatisfy { $0.event.severity == .critical })
            try genuine.write(to: file)
            #expect(try await browser.get(path).status == 200)
        }
    }

    @Test("a phone keeps no copy unless its owner wants it")
    func none() async throws {
        try await Self.withStatement(keepsCopies: false) { phone, browser, _, id, _ in
            #expect(Self.copies(of: phone).isEmpty)
            let list = try await browser.page("/documents")
            #expect(list.contains("/requests/\(id)/statement"))
            #expect(
                list.contains("no copy is kept here; it opens from the inbox folder"), "the link says what it opens")
            let copy = try await browser.get("/documents/\(id)/statement")
            #expect(copy.status == 404)
        }
    }

    @Test("an owner who wants no copies any more has none")
    func deleted() async throws {
        try await Self.withStatement { phone, browser, _, id, csrf in
            #expect(Self.copies(of: phone).count == 1)
            for keep in ["", "maybe"] {
                let answer = try await browser.post("/documents/copies", form: ["csrf": csrf, "keep": keep])
                #expect(answer.status == 400)
            }
            #expect(try await !browser.page("/documents?changed=1").contains("Copies deleted"), "nothing was yet")
            let answer = try await browser.post("/documents/copies", form: ["csrf": csrf, "keep": "no"])
            let told = try ToldPlace(answer, in: browser)
            #expect(answer.status == 303 && told.path == "/documents?changed=\(told.number)")
            #expect(Self.copies(of: phone).isEmpty)
            let page = try await browser.page(told.path)
            #expect(page.contains("Copies deleted from this phone: 1. What your assistant got is not touched."))
            #expect(page.contains("<a href=\"\(browser.base)/\">Back to the inbox</a>"))
            for query in ["deleted=5", "changed=\(told.number + 1)", "changed=", "changed=%3Cb%3E"] {
                #expect(try await !browser.page("/documents?\(query)").contains("Copies deleted"), "\(query)")
            }
            let elsewhere = try await browser.page("/banks?changed=\(told.number)")
            #expect(!elsewhere.contains("class=\"notice good\""), "of another place")
            let copy = try await browser.get("/documents/\(id)/statement")
            #expect(copy.status == 404)
        }
    }

    @Test("a new passphrase gives the copies a new key, also after an interruption", arguments: [false, true])
    func newKey(isInterrupted: Bool) async throws {
        try await TestPhone.with { phone in
            let store = try PhoneDatabase(phone.home)
            let id = RequestID()
            let document = phone.home.folder.appending(path: "document.pdf")
            let bytes = Array("%PDF a document".utf8)
            try Data(bytes).write(to: document)
            let secrets = try await phone.verification.open(phone.vault, reason: "a test")
            let before = try await DocumentCopies(of: phone.home, store: store, in: secrets)
            try before.keep(document, as: "first", of: id)
            try before.keep(document, as: "second", of: id)
            if isInterrupted {
                // A phone that stopped has both keys, and encrypted the second copy under the new one.
                let next = SymmetricKey(size: .bits256)
                try await secrets.store(next.withUnsafeBytes { Secret(bytes: $0) }, named: DocumentCopies.nextEntry)
                let name = "\(id)-second.sealed"
                let sealed = try SealedBytes.seal(bytes, under: next, binding: Array(name.utf8))
                try Data(sealed).write(to: phone.home.documents.appending(path: name))
            }
            secrets.close()
            _ = try await phone.home.changePassphrase(
                from: phone.verification, to: Secret("another long passphrase"))
            let reopened = try await PassphraseVerification(Secret("another long passphrase"))
                .open(phone.vault, reason: "a test")
            let after = try await DocumentCopies(of: phone.home, store: store, in: reopened)
            #expect(try await !reopened.holds(DocumentCopies.nextEntry))
            for file in Self.copies(of: phone) {
                let version = VersionedKey.version(of: try Array(Data(contentsOf: file)))
                #expect(version == 2, "\(file.lastPathComponent) names its new key")
            }
            for name in ["first", "second"] {
                let received = ReceivedDocument(
                    requestID: id, name: name, bankID: "default",
                    place: DocumentPlace(period: MonthYear(month: 1, year: 2026)!),
                    sha256: Base16.encode(SHA256.hash(data: bytes)), receivedAt: Date(), isKept: true)
                #expect(try after.bytes(of: received) == bytes, "\(name)")
                #expect(Self.code { () throws(PhoneError) in try before.bytes(of: received) } == .storeDamaged)
            }
        }
    }

    /// Returns the code of the error; nil for none.
    private static func code<Value>(_ body: () throws(PhoneError) -> Value) -> PhoneError.Code? {
        do {
            _ = try body()
            return nil
        } catch { return error.code }
    }
}
