import ApprovalPage
import Foundation
import Messages
import Phone
import PhoneStore
import Storage
import TestParties
import Testing

@Suite("A writer of the synced folder exchanges a statement", .timeLimit(.minutes(3)))
struct ForgedStatementTests {
    @Test("the page shows only the bytes that this phone delivered")
    func forged() async throws {
        try await TestPhone.with { phone in
            let id = Messages.RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                let store = try PhoneDatabase(phone.home)
                try await phone.until(server) { try await store.request(id)?.status == .completed }
                let path = "/requests/\(id)/statement"
                #expect(try await browser.get(path).status == 200)
                let name = try #require(phone.inboxFiles().first { $0.hasSuffix(".pdf") })
                let file = phone.inbox.appending(path: name)
                let genuine = try Data(contentsOf: file)

                try Data("%PDF-1.4 FORGED".utf8).write(to: file)
                #expect(try await browser.get(path).status == 404, "another document")
                let audit = try await store.audit.records(AuditFilter(type: "statement.changed"))
                #expect(audit.first?.event.severity == .critical)

                try FileManager.default.removeItem(at: file)
                let elsewhere = phone.home.folder.appending(path: "private.pdf")
                try genuine.write(to: elsewhere)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
                #expect(try await browser.get(path).status == 404, "a link, even to the same bytes")

                try FileManager.default.removeItem(at: file)
                #expect(FileManager.default.createFile(atPath: file.path, contents: Data("%PDF".utf8)))
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 10 << 30)
                try handle.close()
                #expect(try await browser.get(path).status == 404, "ten gigabytes")

                try genuine.write(to: file)
                #expect(try await browser.get(path).status == 200)
            }
        }
    }
}
