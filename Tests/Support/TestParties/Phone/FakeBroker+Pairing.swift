import Clocks
import DeviceTrust
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import Secrets
import Signer

/// The broker's half of pairing, signed approvals and rotation, with the lies that a test wants.
package struct FakePairing {
    package struct Device {
        package let id: DeviceID
        package let key: DevicePublicKey
        package var credentials: DeviceCredentials
        /// The agreed credentials, not used yet.
        package var next: DeviceCredentials?
    }

    package enum Person { case saysYes, saysNo, saysNothing }

    package var id = ServerID()
    package var identity = AgreementPrivateKey()
    package var code = PairingCode(session: 17)
    package var certificate: CertificateFingerprint?
    package var created = Timestamp(Date(timeIntervalSince1970: 1_800_000_000))
    package var life: TimeInterval = 300
    package var person = Person.saysYes
    /// The number of finish messages that are answered with 202 first.
    package var delays = 0
    /// The number of answers that get lost, by step.
    package var lost: [String: Int] = [:]
    /// Changes the answer to a step.
    package var tampering: @Sendable (String, JSONValue) -> JSONValue = { $1 }
    package var attempt: BrokerPairing?
    package var claimed: ClaimedPairing?
    package var device: Device?
    /// Every body that a pairing's route received.
    package var heard: [String] = []
    package var requirement: JSONValue?
    package var isApproved = false
    package var answer: (HTTPResponse.Status, JSONValue)?
    package var approvals: [ApprovalSummary] = []
    package var asksForRotation = false
    package var rotations = 0

    package init() {}

    package var expires: Timestamp { Timestamp(created.date.addingTimeInterval(life)) }

    package func payload(at endpoint: URL) -> PairingPayload {
        PairingPayload(
            server: ServerIdentity(id: id, publicKey: identity.publicKey), code: code,
            endpoint: endpoint.absoluteString, certificate: certificate, createdAt: created, expiresAt: expires)
    }
}

extension FakeBroker {
    package func pairing(_ change: @Sendable (inout FakePairing) -> Void) { change(&pairing) }

    package enum Caller { case anyPhone, device }

    package func caller(_ request: Request) -> Caller? {
        let token = request.headers[.authorization].map { Secret(String($0.dropFirst("Bearer ".count))) }
        guard let token else { return nil }
        if token.revealed() == Self.token { return .anyPhone }
        if let next = pairing.device?.next, next.token.isEqual(to: token) {
            pairing.device?.credentials = next
            pairing.device?.next = nil
        }
        return pairing.device?.credentials.token.isEqual(to: token) == true ? .device : nil
    }

    // MARK: Pairing

    package func pair(_ request: Request, step: String) async throws -> Response {
        let buffer = try await request.body.collect(upTo: 1 << 16)
        pairing.heard.append(String(buffer: buffer))
        let body = try JSONReader.read(Data(buffer.readableBytesView))
        do {
            let (status, answer) = try stepped(step, body)
            if let count = pairing.lost[step], count > 0 {
                pairing.lost[step] = count - 1
                return Self.response(["error_code": "LOST"], .internalServerError)
            }
            return Self.response(pairing.tampering(step, answer), status)
        } catch let error as TrustError {
            let code = error.code == .wrongCode ? "PAIRING_WRONG_CODE" : "PAIRING_REFUSED"
            return Self.response(["error_code": .string(code), "error_message": .string(error.message)], .forbidden)
        }
    }

    private func stepped(_ step: String, _ body: JSONValue) throws -> (HTTPResponse.Status, JSONValue) {
        switch step {
        case "begin":
            let attempt = try BrokerPairing(
                begin: body, code: pairing.code, id: pairing.id, identity: pairing.identity,
                certificate: pairing.certificate, createdAt: pairing.created, expiresAt: pairing.expires)
            pairing.attempt = attempt
            return (.ok, attempt.offer.json)
        case "claim":
            guard let attempt = pairing.attempt else { return (.conflict, ["error_code": "PAIRING_ATTEMPT_UNKNOWN"]) }
            let claimed = try attempt.claim(body)
            pairing.claimed = claimed
            return (.ok, claimed.answer)
        default:
            guard pairing.device == nil else { return (.gone, ["error_code": "PAIRING_OVER"]) }
            guard let claimed = pairing.claimed else { return (.gone, ["error_code": "PAIRING_OVER"]) }
            try claimed.checkFinish(body)
            return finished(claimed)
        }
    }

    private func finished(_ claimed: ClaimedPairing) -> (HTTPResponse.Status, JSONValue) {
        if pairing.delays > 0 || pairing.person == .saysNothing {
            pairing.delays -= 1
            return (.accepted, ["status": "CLAIMED"])
        }
        guard pairing.person == .saysYes else { return (.forbidden, ["error_code": "PAIRING_DENIED"]) }
        pairing.device = FakePairing.Device(
            id: claimed.hello.deviceID, key: claimed.hello.publicKey, credentials: claimed.credentials)
        return (
            .ok,
            ["status": "DONE", "device_id": .string("\(claimed.hello.deviceID)"), "bank_ids": ["default"]]
        )
    }

    // MARK: A device at work

    package func list(for caller: Caller) -> JSONValue {
        var answer: [String: JSONValue] = [:]
        answer["mark"] = mark.map { .string($0) }
        let device = caller == .device ? pairing.device : nil
        let secret = device.flatMap { try? SharedSecret($0.credentials.sharedSecret) }
        answer["requests"] = .array(
            envelopes.map { json in
                var entry: [String: JSONValue] = ["envelope": json]
                if let secret, let envelope = Self.envelope(json) {
                    entry["envelope"] = envelope.signed(with: secret).json
                }
                entry["requirement"] = pairing.requirement
                if pairing.isApproved { entry["approved"] = true }
                if !others.isEmpty { entry["also_asked_by"] = .array(others) }
                if !otherPhones.isEmpty { entry["also_on"] = .array(otherPhones) }
                return .object(entry)
            })
        if pairing.asksForRotation { answer["rotation_requested"] = true }
        return .object(answer)
    }

    package static func envelope(_ json: JSONValue) -> RequestEnvelope? {
        guard let issued = json["issued_at"]?.stringValue.flatMap({ Timestamp($0) }) else { return nil }
        return try? SignedEnvelope(json: json).verified(with: secret(), at: issued.date).envelope
    }

    package func decided(_ body: JSONValue, by caller: Caller?, on path: String) -> Response? {
        if let (status, answer) = pairing.answer { return Self.response(answer, status) }
        guard caller == .device, body["decision"] == "APPROVE", let device = pairing.device else { return nil }
        let envelope = envelopes.compactMap(Self.envelope).first { path.contains($0.requestID.description) }
        do {
            guard let envelope, let json = body["approval"] else { throw TrustError(.malformed, "no approval") }
            pairing.approvals.append(
                try SignedApproval(json: json).verified(
                    envelope: envelope, device: device.id, key: device.key, server: pairing.id))
            return nil
        } catch {
            return Self.response(
                ["error_code": "SIGNATURE_INVALID", "error_message": .string("\(error)")], .forbidden)
        }
    }

    package func rotate(_ request: Request) async throws -> Response {
        guard caller(request) == .device, let device = pairing.device else {
            return Self.response(["error_code": "UNAUTHORIZED"], .unauthorized)
        }
        let buffer = try await request.body.collect(upTo: 1 << 16)
        let rotation = try BrokerRotation(
            message: try JSONReader.read(Data(buffer.readableBytesView)), deviceID: device.id,
            secret: device.credentials.sharedSecret)
        pairing.device?.next = rotation.credentials
        pairing.rotations += 1
        if let count = pairing.lost["rotate"], count > 0 {
            pairing.lost["rotate"] = count - 1
            return Self.response(["error_code": "LOST"], .internalServerError)
        }
        pairing.asksForRotation = false
        return Self.response(pairing.tampering("rotate", rotation.answer))
    }
}
