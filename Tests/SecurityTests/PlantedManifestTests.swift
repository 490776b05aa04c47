import Clocks
import Foundation
import Messages
import Signer
import TestParties
import TestSupport
import Testing

@testable import Inbox
@testable import Phone

/// Someone who can write to the synced folder, and adds manifests of their own.
@Suite("A manifest that another program planted in the synced folder")
struct PlantedManifestTests {
    private static let period = MonthYear(month: 1, year: 2026)!

    private func plant(_ id: RequestID, in inbox: URL, signedBy secret: String?) throws {
        let manifest = CompletionManifest(
            requestID: id, filename: "\(id)-jan-2026.pdf", sha256: String(repeating: "0", count: 64), bytes: 4,
            completedAt: Timestamp(Date(timeIntervalSince1970: 1_800_000_000)))
        let bytes = try secret.map { try manifest.signed(with: SharedSecret(.init($0))).bytes } ?? Array("{}".utf8)
        try Data(bytes).write(to: inbox.appending(path: "\(id)-jan-2026.manifest.json"))
        try Data("%PDF-1.4 FORGED".utf8).write(to: inbox.appending(path: "\(id)-jan-2026.pdf"))
    }

    private static let otherSecret = "another secret of more than thirty-two bytes"

    @Test("does not make an interrupted run completed", arguments: [nil, otherSecret])
    func interrupted(signedBy secret: String?) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            do {
                let runner = try phone.runner()
                _ = try await runner.refresh()
                try await runner.store.interrupt(id, now: phone.clock.now)
            }
            try plant(id, in: phone.inbox, signedBy: secret)
            let runner = try phone.runner()
            try await runner.recover()
            #expect(try await runner.store.request(id)?.status == .failed)
        }
    }

    @Test("neither counts as a delivery nor stops one", arguments: [nil, otherSecret])
    func publication(signedBy secret: String?) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let id = RequestID()
        let own = try SharedSecret(.init("a shared secret of more than thirty-two bytes"))
        let publisher = InboxPublisher(folder: folder.url, secret: own)
        try plant(id, in: folder.url, signedBy: secret)
        #expect(publisher.committed(id) == nil)

        let pdf = folder.appending("source.pdf")
        try Data("%PDF-1.7 genuine".utf8).write(to: pdf)
        let now = Timestamp(Date(timeIntervalSince1970: 1_800_000_000))
        let delivery = try publisher.publish(pdf: pdf, for: id, period: Self.period, completedAt: now)
        #expect(publisher.committed(id) == "\(id)-jan-2026.pdf")
        #expect(try Data(contentsOf: delivery.pdf) == Data("%PDF-1.7 genuine".utf8))
        #expect(throws: PublishError.self, "an own delivery is never replaced") {
            try publisher.publish(pdf: pdf, for: id, period: Self.period, completedAt: now)
        }
    }
}
