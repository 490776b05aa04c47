import Broker
import Clocks
import Foundation
import KeyVault
import Messages
import Secrets
import Signer
import TestServers
import Testing

@testable import Phone

/// A test for each line of the specification's section 17, “Testing and Verification”, with its name and in its order.
/// Broker, phone and bank are real; waits are a hundredth of the specification's.
@Suite("Specification, section 17", .timeLimit(.minutes(4)))
struct Section17Tests {
    @Suite("Functional tests", .timeLimit(.minutes(4)))
    struct Functional {
        @Test("setup credentials on iPhone")
        func setup() async throws {
            try await BothSides.with { both in
                let opened = try await both.phoneHome.vault.open(passphrase: BothSides.passphrase)
                let vault = CredentialVault(opened, store: both.phone.store)
                #expect(try await vault.holdsCredentials(forBank: "default"))
                await #expect(throws: VaultError.self) {
                    try await both.phoneHome.vault.open(passphrase: Secret("not the passphrase"))
                }
                for file in BothSides.files(below: both.phoneHome.folder) {
                    let data = try Data(contentsOf: file)
                    #expect(data.range(of: Data(BothSides.credentials["password"]!.utf8)) == nil)
                }
            }
        }

        @Test("create request from broker")
        func create() async throws {
            try await BothSides.running { both in
                let asked = try await both.agent.requestStatement(month: 1, year: 2026)
                #expect(asked.status == .pendingApproval)
                #expect(try await both.status(asked.id) == .pendingApproval)
            }
        }

        @Test("receive Telegram nudge")
        func nudge() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                try await both.until { await !both.telegram.sent.isEmpty }
                let message = try #require(await both.telegram.sent.first)
                #expect(message.text.contains(id.description) && message.text.contains("2026-01"))
            }
        }

        @Test("iPhone fetches pending signed request")
        func fetch() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                let review = try await both.phone.refresh()
                #expect(review.refused.isEmpty)
                #expect(review.pending.map(\.id) == [id])
                #expect(review.pending.first?.period == MonthYear(month: 1, year: 2026))
            }
        }

        @Test("Face ID required to approve")
        func verification() async throws {
            try await BothSides.running { both in
                let request = try await both.shown(try await both.ask())
                await #expect(throws: VaultError.self) {
                    try await both.phone.approve(request, with: PassphraseVerification(Secret("not the passphrase")))
                }
                #expect(try await both.status(request.id) == .pendingApproval)
                #expect(both.inboxNames().isEmpty)
            }
        }

        @Test("deny path transitions to DENIED")
        func deny() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                _ = try await both.shown(id)
                try await both.phone.deny(id)
                #expect(try await both.status(id) == .denied)
            }
        }

        @Test("approved path executes and writes PDF + manifest")
        func execute() async throws {
            // The broker waits long before it reads the inbox, so that the phone's files can be inspected.
            try await BothSides.running(
                { $0.timing.stability = .seconds(60) },
                { both in
                    let id = try await both.ask()
                    #expect(try await both.approve(id) == .completed(filename: "\(id)-jan-2026.pdf"))
                    #expect(both.inboxNames() == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf"])
                    let pdf = try Data(contentsOf: both.inbox.appending(path: "\(id)-jan-2026.pdf"))
                    #expect(pdf.starts(with: Data("%PDF-".utf8)))
                    #expect(try await both.status(id) == .executing)
                })
        }

        @Test("broker verifies and marks COMPLETED")
        func complete() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                _ = try await both.approve(id)
                try await both.until { try await both.status(id) == .completed }
                let path = try #require(try await both.agent.request(id).filePath)
                #expect(try Data(contentsOf: URL(filePath: path)).starts(with: Data("%PDF-".utf8)))
            }
        }
    }

    @Suite("Integrity/security tests", .timeLimit(.minutes(4)))
    struct Integrity {
        @Test("tampered envelope signature rejected")
        func envelope() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                try both.tamper(
                    "UPDATE pending_requests SET signed_envelope_json = replace(signed_envelope_json, '2026', '2025')",
                    [])
                let review = try await both.phone.refresh()
                #expect(review.pending.isEmpty)
                #expect(review.refused.count == 1)
                #expect(try await both.status(id) == .pendingApproval)
            }
        }

        @Test("replayed request nonce rejected")
        func replay() async throws {
            try await BothSides.running { both in
                let first = try await both.ask()
                _ = try await both.shown(first)
                try await both.phone.deny(first)
                // A malicious broker offers the denied envelope again.
                try both.tamper("UPDATE pending_requests SET status = 'PENDING_APPROVAL'", [])
                #expect(try await both.phone.refresh().pending.isEmpty)

                // And a new one, correctly signed, with the nonce of the first.
                let second = try await both.ask(month: 2)
                let secret = try SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
                let old = try #require(try await both.phone.store.request(first)).signedEnvelope()
                let nonce = try #require(old.json["nonce"]?.stringValue.flatMap { Nonce($0) })
                let forged = RequestEnvelope(
                    requestID: second, bankID: "default", period: MonthYear(month: 2, year: 2026)!,
                    issuedAt: Timestamp(both.clock.now),
                    approvalExpiresAt: Timestamp(both.clock.now.addingTimeInterval(200)), nonce: nonce)
                try both.tamper(
                    "UPDATE pending_requests SET signed_envelope_json = ? WHERE id = ?",
                    [forged.signed(with: secret).json.compactText(), second.description])
                let review = try await both.phone.refresh()
                #expect(review.pending.isEmpty)
                #expect(review.refused.contains { $0.reason == "replayed" }, "\(review.refused)")
            }
        }

        @Test("tampered manifest signature rejected")
        func manifest() async throws {
            try await refusedDelivery { both, id in
                let file = both.inbox.appending(path: "\(id)-jan-2026.manifest.json")
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacing("\"version\":\"1\"", with: "\"version\":\"1\",\"x\":1").utf8).write(to: file)
            }
        }

        @Test("manifest/PDF hash mismatch rejected")
        func digest() async throws {
            try await refusedDelivery { both, id in
                let file = both.inbox.appending(path: "\(id)-jan-2026.pdf")
                var data = try Data(contentsOf: file)
                data[data.count / 2] ^= 1
                try data.write(to: file)
            }
        }

        /// Delivers a statement, changes it before the broker reads it, and expects a refusal.
        private func refusedDelivery(
            _ change: @escaping @Sendable (BothSides, RequestID) throws -> Void
        ) async throws {
            try await BothSides.with { both in
                let asked = OneID()
                try await both.runBroker({ $0.timing.stability = .seconds(60) }) {
                    let id = try await both.ask()
                    asked.value = id
                    _ = try await both.approve(id)
                    try change(both, id)
                }
                try await both.runBroker {
                    try await both.until {
                        both.records.all.contains { $0.contains("MANIFEST_VERIFICATION_FAILED") }
                    }
                    let id = try #require(asked.value)
                    #expect(try await both.status(id) == .executing, "it changed no state")
                    #expect(both.inboxNames().isEmpty)
                }
                #expect(both.records.all.count { $0.contains("MANIFEST_VERIFICATION_FAILED") } == 1)
            }
        }

        @Test("credentials not present on broker filesystem")
        func filesystem() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                _ = try await both.approve(id)
                try await both.until { try await both.status(id) == .completed }
                let files = BothSides.files(below: both.brokerHome) + BothSides.files(below: both.inbox)
                #expect(files.contains { $0.lastPathComponent == "broker.sqlite" })
                #expect(files.contains { $0.pathExtension == "pdf" })
                for file in files {
                    // The broker removes a delivery from the inbox after storing it.
                    guard let data = try? Data(contentsOf: file) else {
                        #expect(!FileManager.default.fileExists(atPath: file.path), "\(file.path) cannot be read")
                        continue
                    }
                    for spelling in Spellings.ofCredentials {
                        #expect(data.range(of: Data(spelling.utf8)) == nil, "in \(file.lastPathComponent)")
                    }
                }
            }
        }

        @Test("credentials not present in logs")
        func logs() async throws {
            try await BothSides.running { both in
                let done = try await both.ask()
                _ = try await both.approve(done)
                try await both.until { try await both.status(done) == .completed }
                let denied = try await both.ask(month: 2)
                _ = try await both.shown(denied)
                try await both.phone.deny(denied)
                let audit = try await both.phone.store.audit.records().map { "\($0.json.compactText())" }
                #expect(both.records.all.contains { $0.contains("statement accepted") })
                for record in both.records.all + audit + (await both.telegram.sent.map(\.text)) {
                    for spelling in Spellings.ofCredentials { #expect(!record.contains(spelling), "\(record)") }
                    for token in ["agent-token", "phone-token", "a shared secret", FakeTelegram.token] {
                        #expect(!record.contains(token), "\(record)")
                    }
                }
            }
        }
    }

    @Suite("Reliability tests", .timeLimit(.minutes(4)))
    struct Reliability {
        @Test("missed fs.watch event recovered by reconcile loop")
        func missedEvent() async throws {
            try await BothSides.running { both in
                let id = try await both.ask()
                let request = try await both.shown(id)
                // The watch stays on the moved folder, so no event reports changes in its replacement.
                let gone = both.home.appending(path: "gone")
                try FileManager.default.moveItem(at: both.inbox, to: gone)
                try FileManager.default.createDirectory(at: both.inbox, withIntermediateDirectories: false)
                _ = try await both.phone.approve(request, with: PassphraseVerification(BothSides.passphrase))
                try await both.until { try await both.status(id) == .completed }
            }
        }

        @Test("broker restart preserves pending requests")
        func restart() async throws {
            try await BothSides.with { both in
                let asked = OneID()
                try await both.runBroker { asked.value = try await both.ask() }
                try await both.runBroker {
                    let id = try #require(asked.value)
                    #expect(try await both.status(id) == .pendingApproval)
                    _ = try await both.approve(id)
                    try await both.until { try await both.status(id) == .completed }
                }
            }
        }

        @Test("iCloud sync delays up to 30s handled", arguments: [".pdf", ".manifest.json"])
        func syncDelay(late: String) async throws {
            try await BothSides.with { both in
                let asked = OneID()
                try await both.runBroker({ $0.timing.stability = .seconds(60) }) {
                    let id = try await both.ask()
                    asked.value = id
                    _ = try await both.approve(id)
                }
                let id = try #require(asked.value)
                let file = both.inbox.appending(path: "\(id)-jan-2026\(late)")
                let aside = both.home.appending(path: "not-synced-yet")
                try FileManager.default.moveItem(at: file, to: aside)
                try await both.runBroker {
                    // A hundredth of 30 s: three rounds of the reconciliation find one file of two.
                    try await Task.sleep(for: .milliseconds(350))
                    #expect(try await both.status(id) == .executing)
                    try FileManager.default.moveItem(at: aside, to: file)
                    try await both.until { try await both.status(id) == .completed }
                }
                #expect(!both.records.all.contains { $0.contains("MANIFEST_VERIFICATION_FAILED") })
            }
        }

        @Test("execution timeout transitions to FAILED with EXECUTION_TIMEOUT")
        func executionTimeout() async throws {
            try await BothSides.running(
                { $0.timing.stability = .seconds(60) },
                { both in
                    let id = try await both.ask()
                    // The phone has delivered, and the delivery is stuck on its way.
                    _ = try await both.approve(id)
                    both.clock.advance(by: 601)
                    let ended = try await both.agent.request(id)
                    #expect(ended.status == .failed)
                    #expect(ended.errorCode == "EXECUTION_TIMEOUT")
                })
        }
    }
}

/// A request's id, which outlives a broker.
final class OneID: @unchecked Sendable {
    var value: RequestID?
}

/// The spellings that a credential can have in a file or a text.
private enum Spellings {
    static let ofCredentials = BothSides.credentials.values.flatMap { secret -> [String] in
        let bytes = Data(secret.utf8)
        let escaped = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        let base64 = bytes.base64EncodedString()
        return [
            secret, escaped, escaped.replacing("%20", with: "+"), base64, base64.replacing("=", with: ""),
            base64.replacing("+", with: "-").replacing("/", with: "_"),
            bytes.map { String(format: "%02x", $0) }.joined(),
        ]
    }
}
