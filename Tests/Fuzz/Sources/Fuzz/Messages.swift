import Foundation

@testable import Encodings
@testable import Messages
@testable import Secrets
@testable import Signer

private let secret = try! SharedSecret(Secret("a secret of the fuzzer, of 32 bytes and more"))
private let other = try! SharedSecret(Secret("another secret of the fuzzer's, just as long"))
private let now = Date(timeIntervalSince1970: 1_780_000_000)

/// Verifies arbitrary input as an envelope from a broker.
func fuzzEnvelope(_ input: [UInt8]) {
    guard let json = try? JSONReader.read(input) else { return }
    let came = SignedEnvelope(json: json)
    _ = came.claimedRequestID
    promise((try? came.verified(with: secret, at: now)) == nil, "a signature needs the secret")
    // The same claims with a valid signature, so that the fields are read.
    guard let signed = signed(json) else { return }
    let envelope = SignedEnvelope(json: signed)
    promise((try? envelope.verified(with: other, at: now)) == nil, "another secret's signature does not fit")
    guard let verified = try? envelope.verified(with: secret, at: now) else { return }
    let read = verified.envelope
    promise(read.approvalExpiresAt.date > now, "nothing that has expired is shown")
    promise(read.issuedAt.date <= now + SignedEnvelope.clockTolerance, "nothing of the future is shown")
    // Its canonical spelling is another envelope with the same meaning.
    let again = try? read.signed(with: secret).verified(with: secret, at: now)
    promise(again?.envelope == read, "an envelope that is signed and verified says the same")
    for changed in changes(of: signed) {
        promise(
            (try? SignedEnvelope(json: changed).verified(with: secret, at: now)) == nil, "a change voids the signature")
    }
}

/// Verifies arbitrary input as the manifest of a PDF.
func fuzzManifest(_ input: [UInt8]) {
    guard let json = try? JSONReader.read(input) else { return }
    promise((try? SignedManifest(json: json).verified(with: secret)) == nil, "a signature needs the secret")
    guard let signed = signed(json) else { return }
    let came = SignedManifest(json: signed)
    promise((try? came.verified(with: other)) == nil, "another secret's signature does not fit")
    guard let manifest = try? came.verified(with: secret).manifest else { return }
    promise(!manifest.filename.contains("/") && !manifest.filename.contains(".."), "a name leads out of no folder")
    promise(manifest.filename.hasSuffix(".pdf") && manifest.bytes >= 0, "a manifest is of a PDF")
    let again = manifest.signed(with: secret)
    promise((try? again.verified(with: secret))?.manifest == manifest, "a manifest says the same, signed again")
    promise((try? JSONReader.read(again.bytes)) == again.json, "the file's bytes are the manifest")
    for changed in changes(of: signed) {
        promise((try? SignedManifest(json: changed).verified(with: secret)) == nil, "a change voids the signature")
    }
}

private func signed(_ json: JSONValue) -> JSONValue? {
    guard case .object(let members) = json else { return nil }
    guard let signed = try? secret.signed(members) else { fatalError("broken: what was read can be signed") }
    return signed
}

/// Returns the objects with one member removed, and with one changed.
private func changes(of json: JSONValue) -> [JSONValue] {
    guard case .object(let members) = json else { return [] }
    return members.keys.sorted().prefix(12).flatMap { name in
        var without = members
        without[name] = nil
        var with = members
        with[name] = .string((members[name]?.stringValue ?? "") + "0")
        return [JSONValue.object(without), .object(with)]
    }
}
