import Encodings
import Foundation
import Messages
import Phone
import PhoneStore
import Secrets
import TestParties
import TestSupport
import Testing

@testable import ApprovalPage

/// The approval page against soft-webauthn, an independent authenticator in Python.
@Suite("Against soft-webauthn", .timeLimit(.minutes(10)))
struct SoftWebAuthnPeerTests {
    @Test(
        "it registers, signs in and approves; every answer with one bit changed is refused",
        .needsPeers)
    func everyBit() async throws {
        try await TestPhone.with { phone in
            let id = Messages.RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving(unlocked: true) { browser, server in
                try await phone.until(server) { try await server.state.store.request(id) != nil }
                var doors: [JSONValue] = []
                for _ in 0..<2 {
                    let code = try await PhoneDatabase(phone.home).makeTerminalCode(for: .openPage, lifetime: 600)
                    doors.append(.string(code.text.revealed()))
                }
                var codes: [JSONValue] = []
                for _ in 0..<20 {
                    let code = try await PhoneDatabase(phone.home).makeTerminalCode(for: .addPasskey, lifetime: 600)
                    codes.append(.string(code.text.revealed()))
                }
                let task: JSONValue = [
                    "origin": .string(browser.origin), "passphrase": .string(TestPhone.passphrase.revealed()),
                    "request": .string(id.description), "script": .string(TestPhone.script.digest.hex),
                    "open_codes": .array(doors), "passkey_codes": .array(codes),
                ]
                let result = try JSONReader.read(try await Self.run(task.canonicalBytes()))
                #expect(result["registered"] == 200 && result["signed_in"] == 200 && result["approved"] == 200)
                #expect((result["refused"]?.intValue ?? 0) > 3000)
                // With attestation “none”, no authority vouches for the authenticator's model, and the page does not
                // depend on it: the 16 bytes behind the counter of the attested data (WebAuthn, section 6.5.2).
                let accepted = result["accepted"]?.arrayValue ?? []
                for place in accepted { #expect(place.arrayValue?.first == "attestationObject", "\(place)") }
                #expect(accepted.count == 8)
                try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
            }
        }
    }

    private static func run(_ input: [UInt8]) async throws -> Data {
        try await Peers.run(script: "soft_passkey.py", input: Data(input)).output
    }
}
