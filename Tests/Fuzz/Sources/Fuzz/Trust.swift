import Foundation

@testable import Clocks
@testable import DeviceTrust
@testable import Encodings
@testable import Messages
@testable import Secrets

private let now = Date(timeIntervalSince1970: 1_780_000_000)
private let code = PairingCode(session: 17, code: "ABCDEFGH")!
private let identity = AgreementPrivateKey()
private let key = VaultDeviceKey()

/// Reads the content of a pairing's QR code, or a code that a person types.
func fuzzPairingText(_ input: [UInt8]) {
    if let payload = try? PairingPayload(Secret(bytes: input)) {
        let uri = payload.uri.revealed()
        for (text, form) in [(payload.uri, "URI"), (payload.json, "JSON")] where text.count <= PairingPayload.longest {
            guard let again = try? PairingPayload(text) else {
                fatalError("broken: a payload that was read is read again as \(form): \(text.revealed())")
            }
            promise(again.uri.revealed() == uri, "a payload says the same as \(form): \(uri)")
        }
        promise(
            payload.certificate == nil || payload.endpoint.hasPrefix("https://"), "a certificate is that of an address")
    }
    let text = String(decoding: input, as: UTF8.self)
    if let code = PairingCode(text) {
        let written = code.written.revealed()
        promise(PairingCode(written)?.written.revealed() == written, "a code is read as it is written: \(written)")
        promise(code.code.count == PairingCode.length, "a code has its length")
    }
    if let name = DeviceName.checked(text) { promise(DeviceName.checked(name) == name, "a name stays a name") }
    for broker in AvahiListing.brokers(in: text) {
        promise((1...65_535).contains(broker.announcement.port), "a broker has a port")
        promise(DeviceName.checked(broker.announcement.name) != nil, "what is shown can be seen")
    }
}

/// Feeds arbitrary messages to each step of a pairing.
func fuzzPairingMessage(_ input: [UInt8]) {
    guard let json = try? JSONReader.read(input) else { return }
    if let hello = try? PairingHello(json: json) {
        promise((try? PairingHello(json: hello.json)) == hello, "a hello that is written and read is the same")
    }
    if let offer = try? PairingOffer(json: json) {
        promise((try? PairingOffer(json: offer.json)) == offer, "an offer that is written and read is the same")
    }
    if let claim = try? PairingClaim(json: json) {
        promise((try? PairingClaim(json: claim.json))?.json == claim.json, "a claim is the same, written and read")
    }
    let phone = try! PhonePairing(name: "Telephone", key: key)
    let attempt = try! BrokerPairing(
        begin: phone.begin, code: code, id: ServerID(), identity: identity, certificate: nil,
        createdAt: Timestamp(now), expiresAt: Timestamp(now + 300))
    promise((try? attempt.claim(json)) == nil, "a claim needs the code")
    _ = try? BrokerPairing(
        begin: json, code: code, id: ServerID(), identity: identity, certificate: nil, createdAt: Timestamp(now),
        expiresAt: Timestamp(now + 300))
    let secret = Secret("a secret that phone and broker have in common")
    promise((try? PhoneRotation(deviceID: DeviceID(), secret: secret).credentials(answer: json)) == nil, "nor rotates")
    if let rotation = try? BrokerRotation(message: json, deviceID: DeviceID(), secret: secret) {
        promise(rotation.credentials.token.count > 32, "new credentials are whole")
    }
    checkApproval(json)
}

private func checkApproval(_ json: JSONValue) {
    if let approval = try? SignedApproval(json: json) {
        promise((try? SignedApproval(json: approval.json)) == approval, "an approval is the same, written and read")
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(now),
            approvalExpiresAt: Timestamp(now + 300))
        let verified = try? approval.verified(
            envelope: envelope, device: approval.deviceID, key: key.publicKey, server: ServerID())
        promise(verified == nil, "a signature needs the key")
    }
    if let (requirement, approvals) = try? Requirement.read(json) {
        let again = try? Requirement.read(requirement.json(approvals: approvals))
        promise(again?.requirement == requirement && again?.approvals == approvals, "a requirement stays itself")
        promise(requirement.merged(with: requirement) == requirement, "a requirement is as strict as itself")
    }
}

/// Reads a policy file.
func fuzzPolicy(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let policy: ApprovalPolicy
    do {
        policy = try ApprovalPolicy(yaml: text)
    } catch {
        promise(!error.problems.isEmpty && !error.description.isEmpty, "an invalid policy has a problem")
        return
    }
    let period = MonthYear(month: 6, year: 2023)!
    let needs = policy.requirement(bankID: "default", period: period)
    promise(needs.devices >= 1 && needs.devices <= Requirement.mostDevices, "devices can be had")
    promise(needs.devices == 1 || needs.factors.contains(.deviceSignature), "devices are told apart by signatures")
    // An additional rule never lowers the requirement.
    for index in policy.rules.indices {
        var fewer = policy
        fewer.rules.remove(at: index)
        let less = fewer.requirement(bankID: "default", period: period)
        promise(less.factors.isSubset(of: needs.factors) && less.devices <= needs.devices, "rules add up")
    }
}
