import Clocks
import DeviceTrust
import Foundation
import Phone
import Secrets
import Terminal
import Testing

@testable import HouseholdCommands

@Suite("The line for the phone's machine")
struct PairingLineTests {
    private static func payload(_ endpoint: String, from created: Date = Date()) throws -> PairingPayload {
        PairingPayload(
            server: ServerIdentity(id: ServerID(), publicKey: AgreementPrivateKey().publicKey),
            code: try #require(PairingCode(session: 17, code: "ABCD-EFGH")), endpoint: endpoint, certificate: nil,
            createdAt: Timestamp(created), expiresAt: Timestamp(created.addingTimeInterval(300)))
    }

    @Test(
        "is read as it was written, alone, quoted, or with the whole command",
        arguments: [
            "https://broker.home:8765", "http://127.0.0.1:8765", "https://[fd00::1]:8765", "https://broker.example",
        ])
    func roundTrip(endpoint: String) async throws {
        let command = PairingLine.command(for: try Self.payload(endpoint)).revealed()
        #expect(command.hasPrefix("countersign up --phone-only ") && command.contains(endpoint))
        #expect(!command.contains("[") || command.contains("'"), "a shell reads brackets as a pattern")
        let line = try #require(command.split(separator: " ").last).filter { $0 != "'" }
        for text in [command, String(line), "  '\(line)'\n", line.lowercased()] {
            let read = try await PairingLine(Secret(text))
            #expect(read.invitation.endpoint.absoluteString == endpoint)
            #expect(read.invitation.code.session == 17 && read.invitation.code.code.isEqual(to: Secret("ABCDEFGH")))
        }
    }

    @Test("may be the QR code's URI, which tells whether its time is over")
    func uri() async throws {
        let now = Date()
        let line = try await PairingLine(try Self.payload("https://broker.home:8765", from: now).uri)
        #expect(line.invitation.endpoint.absoluteString == "https://broker.home:8765")
        try line.checkTime(at: now)
        #expect(abs(try #require(line.end).timeIntervalSince(now) - 300) < 1)
        #expect(throws: TrustError.self) { try line.checkTime(at: now.addingTimeInterval(301)) }
    }

    @Test(
        "is refused when it is not one, without quoting it",
        arguments: [
            "", "17-ABCD-EFGH", "https://broker.home:8765", "17-ABCD@https://broker.home:8765",
            "17-ABCD-EFGH@broker.home", "17-ABCD-EFGH@http://broker.home:8765", "17-ABCD-EFGH@https://a@b",
            "17-ABCD-EFGH@ftp://broker.home", "countersign://pair?v=9",
        ])
    func refused(text: String) async {
        do {
            _ = try await PairingLine(Secret(text))
            Issue.record("“\(text)” was accepted")
        } catch {
            #expect(!"\(error)".contains("EFGH") || "\(error)".contains("such as 17-ABCD-EFGH"), "\(error)")
        }
    }
}
