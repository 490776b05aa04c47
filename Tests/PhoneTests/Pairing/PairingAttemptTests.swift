import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import TestParties
import TestServers
import Testing

@testable import Phone

@Suite("A phone that is paired")
struct PairingAttemptTests {
    enum Way: CaseIterable, Sendable {
        case uri, json, code
    }

    private static func invitation(_ way: Way, to phone: TestPhone) async throws -> PairingInvitation {
        let payload = await phone.broker.pairing.payload(at: phone.url)
        return switch way {
        case .uri: try PairingInvitation(scanned: payload.uri)
        case .json: try PairingInvitation(scanned: payload.json)
        case .code: try PairingInvitation(code: payload.code, at: phone.url.absoluteString)
        }
    }

    @Test(
        "becomes a device of the broker, keeps its bank and pins the certificate", arguments: Way.allCases,
        [false, true])
    func paired(way: Way, tls: Bool) async throws {
        let certificate = tls ? try LoopbackCertificate() : nil
        try await TestPhone.with(certificate: certificate) { phone in
            await phone.broker.pairing {
                $0.certificate = certificate?.fingerprint
                $0.delays = 2
            }
            let attempt = try await PairingAttempt.begin(
                try await Self.invitation(way, to: phone), name: "Ada’s phone", clock: phone.clock)
            #expect(await phone.broker.pairing.claimed?.words == attempt.words)
            #expect(await phone.broker.pairing.claimed?.hello.name == "Ada’s phone")
            let paired = try await attempt.finish()
            #expect(paired.bankIDs == ["default"])
            let device = try #require(await phone.broker.pairing.device)
            #expect(device.id == paired.device.deviceID && device.key == paired.deviceKey.publicKey)
            #expect(device.credentials.token.isEqual(to: paired.credentials.token))

            try await PhoneSetup(
                home: phone.home, connection: try paired.connection(inbox: phone.inbox.path), bankID: "default",
                credentials: nil, deviceKey: paired.deviceKey
            ).apply(passphrase: TestPhone.passphrase)
            let stored = try await phone.storedConnection()
            #expect(stored.pairing?.deviceID == device.id)
            #expect(stored.pairing?.server.id == (await phone.broker.pairing.id))
            #expect(stored.trust == (certificate.map { .pinned($0.fingerprint) } ?? .authorities))
            let contents = try await HomeContents(of: phone.home, bankID: "default", with: phone.verification)
            #expect(contents.holdsCredentials && contents.inbox?.path == phone.inbox.path)
            #expect(try await phone.auditTypes("warning").contains("device.paired"))

            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("can be new; a manual setup afterwards removes the pairing")
    func fresh() async throws {
        try await TestPhone.with { phone in
            let home = PhoneHome(phone.home.folder.appending(path: "../fresh"), scrypt: .cheapForTests)
            try await phone.pair(in: home)
            #expect(try await phone.storedConnection(in: home).pairing != nil)
            #expect(
                try await HomeContents(of: home, bankID: "default", with: phone.verification).holdsCredentials)
            let setup = PhoneSetup(
                home: home, connection: try phone.connection(), bankID: "default",
                credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")])
            try await setup.apply(passphrase: TestPhone.passphrase)
            let secrets = try await home.vault.open(passphrase: TestPhone.passphrase)
            #expect(try await PhoneConnection(from: secrets).pairing == nil)
            await #expect(throws: PhoneError.self) {
                try await PhoneConnection.withDeviceKey(in: secrets, of: DeviceKeyMakers()) { $0.publicKey }
            }
            secrets.close()
        }
    }

    @Test("is paired even if the answer to the confirmation gets lost")
    func lostAnswer() async throws {
        try await TestPhone.with { phone in
            await phone.broker.pairing { $0.lost = ["finish": 1] }
            let paired = try await phone.pair()
            #expect(await phone.broker.pairing.device?.id == paired.device.deviceID)
        }
    }

    // MARK: Refusals

    /// Tries to pair, and expects a message of one line and an unchanged home.
    private func refused(
        _ phone: TestPhone, _ invitation: PairingInvitation
    ) async throws -> (code: String, message: String) {
        let before = try phone.files()
        var seen = ("", "")
        do {
            try await phone.pair(invitation)
            Issue.record("a pairing that must not be was made")
        } catch let error as TrustError {
            seen = (error.code.rawValue, error.message)
        } catch let error as PhoneError {
            seen = ("\(error.brokerCode?.rawValue ?? (error.code == .pinMismatch ? "pin" : "phone"))", error.message)
        }
        #expect(try phone.files() == before)
        #expect(!seen.1.isEmpty && !seen.1.contains("\n") && seen.1.count < 400, "\(seen)")
        let code = await phone.broker.pairing.code.code.revealed()
        #expect(!seen.1.contains(code))
        return seen
    }

    @Test(
        "explains a failure in one line and writes nothing", arguments: ["wrong code", "no", "over", "other broker"])
    func refusals(why: String) async throws {
        try await TestPhone.with { phone in
            var invitation = try await Self.invitation(.code, to: phone)
            let expected: String
            switch why {
            case "wrong code":
                let other = try #require(PairingCode(session: 17, code: "0000-0000"))
                invitation = try PairingInvitation(code: other, at: phone.url.absoluteString)
                expected = "PAIRING_WRONG_CODE"
            case "no":
                await phone.broker.pairing { $0.person = .saysNo }
                expected = "PAIRING_DENIED"
            case "over":
                try await phone.pair()
                expected = "PAIRING_OVER"
            default:
                invitation = try PairingInvitation(code: invitation.code, at: "http://127.0.0.1:1")
                expected = "phone"
            }
            #expect(try await refused(phone, invitation).code == expected)
        }
    }

    @Test(
        "names differing clocks as the reason",
        arguments: [(300.0, "expired"), (86_400, "expired"), (-300, "notYetValid"), (-86_400, "notYetValid")],
        [Way.uri, .code])
    func clocks(difference: (seconds: TimeInterval, code: String), way: Way) async throws {
        try await TestPhone.with { phone in
            let invitation = try await Self.invitation(way, to: phone)
            phone.clock.advance(by: difference.seconds)
            let seen = try await refused(phone, invitation)
            #expect(seen.code == difference.code)
            #expect(seen.message.contains("clocks"))
        }
    }

    @Test("waits only as long as the pairing lasts")
    func nobodyAnswers() async throws {
        try await TestPhone.with { phone in
            await phone.broker.pairing { $0.person = .saysNothing }
            let invitation = try await Self.invitation(.code, to: phone)
            let attempt = try await PairingAttempt.begin(invitation, name: "x", clock: phone.clock)
            let error = await #expect(throws: PhoneError.self) {
                try await attempt.finish { left in if left <= 300 { phone.clock.advance(by: 100) } }
            }
            #expect(error?.code == .expired)
        }
    }

    static let changes: [(step: String, member: String)] =
        [
            "version", "session", "attempt", "server_id", "server_pubkey", "server_ephemeral", "server_share",
            "server_nonce", "tls_sha256", "created_at", "expires_at",
        ].map { ("begin", $0) } + [("claim", "broker_proof"), ("claim", "status"), ("finish", "device_id")]

    @Test("rejects every answer with a changed, missing or doubled member", arguments: changes)
    func tampered(change: (step: String, member: String)) async throws {
        try await TestPhone.with { phone in
            let other = FakePairing()
            let lies: [String: JSONValue] = [
                "version": "3", "session": 18, "attempt": .string("\(Nonce())"), "server_id": .string("\(other.id)"),
                "server_pubkey": .string("\(other.identity.publicKey)"),
                "server_ephemeral": .string("\(other.identity.publicKey)"), "server_nonce": .string("\(Nonce())"),
                "server_share": "gjEJTnSZ3DFmD1uXEkP1jO4W4QHrxUaI6EN1BoitbEY",
                "tls_sha256": .string(String(repeating: "0", count: 64)), "created_at": "2027-01-15T08:00:01.000Z",
                "expires_at": "2027-01-15T08:04:59.000Z", "broker_proof": .string(String(repeating: "A", count: 43)),
                "device_id": .string("\(DeviceID())"),
            ]
            for lie in [lies[change.member], nil] {
                await phone.broker.pairing { pairing in
                    pairing = FakePairing()
                    pairing.tampering = { step, answer in
                        guard step == change.step, var members = answer.objectValue else { return answer }
                        members[change.member] = lie
                        return .object(members)
                    }
                }
                _ = try await refused(phone, try await Self.invitation(.code, to: phone))
                #expect(await phone.broker.pairing.device == nil || change.step == "finish")
            }
        }
    }

    // MARK: A server in between

    @Test("sends nothing to a server without the scanned certificate", arguments: [Way.uri, .json])
    func otherCertificate(way: Way) async throws {
        let (real, other) = (try LoopbackCertificate(), try LoopbackCertificate())
        try await TestPhone.with(certificate: other) { phone in
            await phone.broker.pairing { $0.certificate = real.fingerprint }
            let invitation = try await Self.invitation(way, to: phone)
            let seen = try await refused(phone, invitation)
            #expect(seen.code == "pin")
            #expect(await phone.broker.pairing.heard.isEmpty)
        }
    }

    @Test("detects a relay with its own certificate, by the code alone")
    func forwarded() async throws {
        let (real, other) = (try LoopbackCertificate(), try LoopbackCertificate())
        try await TestPhone.with(certificate: other) { phone in
            // All answers are the real broker's, including its certificate's fingerprint.
            await phone.broker.pairing { $0.certificate = real.fingerprint }
            let seen = try await refused(phone, try await Self.invitation(.code, to: phone))
            #expect(seen.code == TrustError.Code.otherCertificate.rawValue)
            #expect(await phone.broker.pairing.heard.count == 1, "no claim was sent")
            await phone.broker.pairing { $0.certificate = nil }
            let silent = try await refused(phone, try await Self.invitation(.code, to: phone))
            #expect(silent.code == TrustError.Code.otherCertificate.rawValue)
        }
    }

    @Test("detects an impostor with its own keys", arguments: Way.allCases)
    func otherKey(way: Way) async throws {
        try await TestPhone.with { phone in
            let invitation = try await Self.invitation(way, to: phone)
            // The server in between has everything but the code and the broker's key.
            await phone.broker.pairing { pairing in
                pairing.identity = AgreementPrivateKey()
                pairing.code = PairingCode(session: 17)
            }
            let seen = try await refused(phone, invitation)
            #expect(seen.code == (way == .code ? "PAIRING_WRONG_CODE" : TrustError.Code.otherServer.rawValue))
            // It can claim that the code is right, but cannot prove it.
            await phone.broker.pairing { pairing in
                pairing.tampering = { step, answer in
                    step == "claim"
                        ? ["broker_proof": .string(String(repeating: "A", count: 43)), "status": "CLAIMED"] : answer
                }
            }
            #expect(await phone.broker.pairing.device == nil)
        }
    }

    // MARK: Secrets

    @Test("sends no code, token, secret or private key, and writes none in the clear")
    func canaries() async throws {
        try await TestPhone.with { phone in
            let paired = try await phone.pair()
            let code = await phone.broker.pairing.code
            let secrets = [
                code.code, paired.credentials.token, paired.credentials.rawSharedSecret, paired.deviceKey.reference,
            ]
            let spellings = secrets.flatMap { secret in
                secret.withUnsafeBytes { bytes in
                    let data = Data(bytes)
                    let base64 = data.base64EncodedString()
                    return [
                        data, Data(data.map { String(format: "%02x", $0) }.joined().utf8), Data(base64.utf8),
                        Data(
                            base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "").utf8),
                    ]
                }
            }
            let heard = await Data(phone.broker.pairing.heard.joined().utf8)
            let audit = try await PhoneDatabase(phone.home).audit.records().map { $0.json.compactText() }.joined()
            let places = try phone.files().merging(["what was sent": heard, "the audit": Data(audit.utf8)]) { $1 }
            #expect(places.count > 4)
            for (place, bytes) in places {
                for spelling in spellings { #expect(bytes.range(of: spelling) == nil, "\(place)") }
            }
        }
    }
}
