import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import Signer
import TestParties
import Testing

@testable import Broker

@Suite("Pairing", .timeLimit(.minutes(4)))
struct PairingTests {
    @Test("gives the device a token and a secret that both sides derive and neither sends")
    func whole() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair("Anna's telephone")
            #expect(phone.credentials.token.revealed().hasPrefix("cs1."))
            #expect(try await phone.pending().isEmpty)
            let nonce = Nonce()
            let checked = try await phone.send(
                "POST", "/phone/check",
                [
                    "nonce": .string(nonce.description),
                    "signature": .string(SecretProof.signature(by: .phone, of: nonce, with: try phone.secret)),
                ])
            #expect(checked.status == 200)
            let proof = try #require(checked.json["signature"]?.stringValue)
            #expect(SecretProof.isValid(proof, by: .broker, of: nonce, with: try phone.secret))
            let devices = try await stage.administration().devices.devices()
            #expect(devices.map(\.name) == ["Anna's telephone"])
            #expect(devices.first?.id == phone.id && devices.first?.publicKey == phone.key.publicKey)
            #expect(devices.first?.lastSeenAt != nil)
            #expect(
                try await stage.audited()
                    == [
                        "broker.started", "pairing.opened", "pairing.claimed", "pairing.confirmed", "pairing.done",
                        "device.paired", "device.connected",
                    ])
        }
    }

    @Test("pairs nothing before the person confirms, and nothing after a denial")
    func yesAndNo() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: "By the owner")
            let claim = try await stage.claim(open)
            let token = claim.credentials.token.revealed()
            async let finished = stage.pairingCall(open.session.session, "finish", claim.finish)
            #expect(try await stage.send("GET", "/phone/requests/pending", as: .token(token)).status == 401)
            #expect(try await broker.devices.devices().isEmpty)
            #expect(try await broker.pairings.confirm(open.session))
            #expect(try await finished.json["status"] == "DONE")
            #expect(try await broker.devices.devices().map(\.name) == ["By the owner"])
            // A phone that missed the answer asks again.
            let again = try await stage.pairingCall(open.session.session, "finish", claim.finish)
            #expect(again.status == 200 && again.json["status"] == "DONE")
            #expect(try await broker.devices.devices().count == 1)

            let second = try await broker.openPairing(life: .seconds(60), name: nil)
            let refused = try await stage.claim(second)
            try await broker.pairings.end(second.session, because: .denied)
            let answer = try await stage.pairingCall(second.session.session, "finish", refused.finish)
            #expect(answer.status == 403 && answer.json["error_code"] == "PAIRING_DENIED")
            #expect(try await broker.devices.devices().count == 1)
            #expect(try await !broker.pairings.confirm(second.session), "a no stays a no")
        }
    }

    @Test("expires by the wall clock or by the monotonic clock", arguments: [true, false])
    func expiry(setsWallBack: Bool) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            let claimed = try await broker.openPairing(life: .seconds(60), name: nil)
            let claim = try await stage.claim(claimed)
            let early = try PhonePairing(name: "Early", key: VaultDeviceKey())
            let begun = try await stage.pairingCall(open.session.session, "begin", early.begin)
            let late = try await early.claim(
                begun.json, code: open.payload.code, payload: nil, connection: .plain, at: stage.clock.now)
            stage.clock.advance(by: 61)
            if setsWallBack { stage.clock.setWall(by: -86_400) }
            for (session, step, message) in [
                (open, "begin", early.begin), (open, "claim", late.message), (claimed, "finish", claim.finish),
            ] {
                let answer = try await stage.pairingCall(session.session.session, step, message)
                #expect(answer.status == 410 && answer.json["error_code"] == "PAIRING_OVER", "\(step): \(answer.json)")
            }
            #expect(try await !broker.pairings.confirm(claimed.session))
            #expect(try await broker.pairings.current(open.session).reason == .expired)
            #expect(try await broker.devices.devices().isEmpty)
        }
    }

    @Test("lasts at most five minutes")
    func longest() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let open = try await stage.administration().openPairing(life: .seconds(3600), name: nil)
            #expect(open.payload.expiresAt.date.timeIntervalSince(open.payload.createdAt.date) == 300)
        }
    }

    @Test("ends after five wrong codes; the right one is too late then")
    func wrongCodes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            let session = open.session.session
            let patient = try PhonePairing(name: "Patient", key: VaultDeviceKey())
            let offer = try await stage.pairingCall(session, "begin", patient.begin).json
            let right = try await patient.claim(
                offer, code: open.payload.code, payload: nil, connection: .plain, at: stage.clock.now)
            for attempt in 1...5 {
                let phone = try PhonePairing(name: "Guesser", key: VaultDeviceKey())
                let offer = try await stage.pairingCall(session, "begin", phone.begin).json
                let code = try #require(PairingCode(session: session, code: "0000000\(attempt)"))
                let claim = try await phone.claim(
                    offer, code: code, payload: nil, connection: .plain, at: stage.clock.now)
                let answer = try await stage.pairingCall(session, "claim", claim.message)
                #expect(answer.status == 403 && answer.json["error_code"] == "PAIRING_WRONG_CODE")
                let replayed = try await stage.pairingCall(session, "claim", claim.message)
                #expect([409, 410].contains(replayed.status), "an attempt is used once: \(replayed.json)")
            }
            let late = try await stage.pairingCall(session, "claim", right.message)
            #expect(late.status == 410 && late.json["error_code"] == "PAIRING_OVER")
            #expect(try await broker.pairings.current(open.session).reason == .wrongTries)
            let audited = try await stage.audited()
            #expect(audited.filter { $0 == "pairing.wrong_code" }.count == 5)
            #expect(try await broker.devices.devices().isEmpty)
        }
    }

    @Test("of 120 wrong codes at once, five are checked")
    func wrongCodesAtOnce() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let open = try await stage.administration().openPairing(life: .seconds(60), name: nil)
            let session = open.session.session
            var claims: [JSONValue] = []
            for attempt in 0..<120 {
                let phone = try PhonePairing(name: "Guesser", key: VaultDeviceKey())
                let offer = try await stage.pairingCall(session, "begin", phone.begin).json
                let code = try #require(PairingCode(session: session, code: "00000\(200 + attempt)"))
                claims.append(
                    try await phone.claim(
                        offer, code: code, payload: nil, connection: .plain, at: stage.clock.now
                    ).message)
            }
            let answers = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
                for claim in claims {
                    group.addTask { try await stage.pairingCall(session, "claim", claim).json["error_code"] }
                }
                return try await group.reduce(into: [JSONValue?]()) { $0.append($1) }
            }
            #expect(answers.filter { $0 == "PAIRING_WRONG_CODE" }.count == 5)
            #expect(answers.filter { $0 == "PAIRING_OVER" }.count == 115)
            let audited = try await stage.audited()
            #expect(audited.filter { $0 == "pairing.wrong_code" }.count == 5, "\(audited)")
        }
    }

    @Test("accepts the right code after four wrong ones")
    func fourWrongCodes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let open = try await stage.administration().openPairing(life: .seconds(60), name: nil)
            let session = open.session.session
            for attempt in 1...4 {
                let phone = try PhonePairing(name: "Guesser", key: VaultDeviceKey())
                let offer = try await stage.pairingCall(session, "begin", phone.begin).json
                let code = try #require(PairingCode(session: session, code: "0000000\(attempt)"))
                let claim = try await phone.claim(
                    offer, code: code, payload: nil, connection: .plain, at: stage.clock.now)
                #expect(try await stage.pairingCall(session, "claim", claim.message).status == 403)
            }
            _ = try await stage.claim(open)
        }
    }

    @Test("lets one of a hundred racing devices win, and tells every other one")
    func race() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(120), name: nil)
            let session = open.session.session
            let url = stage.url
            let now = stage.clock.now
            let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let http = CurlSession()
                        func post(_ step: String, _ message: JSONValue) async throws -> HTTPResponse {
                            try await http.send(
                                HTTPRequest(
                                    "POST", "\(url)/pairing/\(session)/\(step)", headers: [],
                                    body: try message.canonicalBytes()))
                        }
                        let phone = try PhonePairing(name: "Racer \(index)", key: VaultDeviceKey())
                        let begun = try await post("begin", phone.begin)
                        var answer = begun
                        if begun.status == 200 {
                            let claim = try await phone.claim(
                                try JSONReader.read(begun.body), code: open.payload.code, payload: open.payload,
                                connection: .plain, at: now)
                            answer = try await post("claim", claim.message)
                        }
                        await http.close()
                        let json = try JSONReader.read(answer.body)
                        let word = json["error_code"]?.stringValue ?? json["status"]?.stringValue ?? ""
                        return (answer.status, word)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == (200, "CLAIMED") }.count == 1)
            #expect(answers.filter { $0 == (409, "PAIRING_CLAIMED") }.count == 99, "\(answers)")
        }
    }

    @Test(
        "answers 404 for an unknown or malformed session number", arguments: ["9998", "0", "10000", "x", "-1", "017"])
    func unknown(session: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
            let answer = try await stage.send("POST", "/pairing/\(session)/begin", as: .nobody, phone.begin)
            #expect(answer.status == 404 && answer.json["error_code"] == "PAIRING_NOT_FOUND")
        }
    }

    @Test("a restarted broker has ended the open sessions and recorded the reason")
    func restart() async throws {
        let stage = try BrokerStage()
        let kept = Kept()
        try await stage.run { stage in
            kept.open = try await stage.administration().openPairing(life: .seconds(60), name: nil)
        }
        try await stage.run { stage in
            let open = try #require(kept.open)
            let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
            let answer = try await stage.pairingCall(open.session.session, "begin", phone.begin)
            #expect(answer.status == 410 && answer.json["error_code"] == "PAIRING_OVER")
            #expect(try await stage.administration().pairings.current(open.session).reason == .restarted)
        }
    }

    @Test("has a rate limit of its own, which does not affect paired devices")
    func limit() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.pairingBurst = 3
        configuration.limits.rates.pairingPerSecond = 0.01
        try await stage.run(configuration) { stage in
            let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
            for _ in 0..<3 { #expect(try await stage.pairingCall(17, "begin", phone.begin).status == 404) }
            let slowed = try await stage.send("POST", "/pairing/17/begin", as: .nobody, phone.begin)
            #expect(slowed.status == 429 && slowed.head.header("retry-after") != nil)
            #expect(try await stage.send("GET", "/phone/requests/pending", as: .phone).status == 200)
        }
    }

    private final class Kept: @unchecked Sendable {
        var open: OpenPairing?
    }
}
