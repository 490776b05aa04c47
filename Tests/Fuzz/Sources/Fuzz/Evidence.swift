import Crypto
import Foundation
import Synchronization

@testable import AttestedKeys
@testable import Encodings

private let now = Date(timeIntervalSince1970: 1_780_000_000)
private let key = P256.Signing.PrivateKey()
private let other = P256.Signing.PrivateKey()
private let other384 = P384.Signing.PrivateKey()

/// Reads CBOR, writes it again, and compares its length with that of a second reader.
func fuzzCBOR(_ input: [UInt8]) {
    guard let (item, rest) = try? CBOR.prefix(of: input) else {
        promise((try? CBOR(input)) == nil, "bytes without an item at their start are not one item")
        return
    }
    let length = input.count - rest.count
    let bytes = Array(input.prefix(length))
    promise(Array(input.dropFirst(length)) == rest, "the rest follows the item")
    promise((try? CBOR(bytes)) == item, "an item is read alone as before others")
    promise(itemEnd(of: bytes, from: 0) == length, "a second reader finds the same end")
    promise((try? CBOR(bytes + [0])) == nil, "nothing may follow an item")
    for end in stride(from: 0, to: length, by: max(1, length / 32)) {
        promise((try? CBOR(Array(bytes.prefix(end)))) == nil, "an item that is cut off is refused")
    }
    let encoded = item.encoded
    promise(encoded.count == length, "shortest forms have one length")
    promise((try? CBOR(encoded))?.encoded == encoded, "an item that is written and read is the same")
}

/// Returns the end of an item by its heads alone (RFC 8949, section 3); nil when it is cut off.
private func itemEnd(of bytes: [UInt8], from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    let width = [24: 1, 25: 2, 26: 4, 27: 8][Int(bytes[start] & 0x1F)] ?? 0
    var place = start + 1 + width
    guard place <= bytes.count else { return nil }
    let argument = bytes[(start + 1)..<place].reduce(width == 0 ? UInt64(bytes[start] & 0x1F) : 0) {
        $0 << 8 | UInt64($1)
    }
    switch bytes[start] >> 5 {
    case 2, 3: return argument <= UInt64(bytes.count - place) ? place + Int(argument) : nil
    case 4, 5:
        for _ in 0..<(argument * UInt64(bytes[start] >> 5 == 4 ? 1 : 2)) {
            guard let end = itemEnd(of: bytes, from: place) else { return nil }
            place = end
        }
        return place
    default: return place
    }
}

/// Examines evidence, signed and not, and reads attestation documents, sealed tokens and key policies.
func fuzzEvidence(_ input: [UInt8]) {
    if let message = try? COSESign1(input) {
        promise(!message.isValid(for: key.publicKey), "a signature needs the key")
        promise(!message.isValid(for: other384.publicKey), "whichever curve it is on")
        let again = try? COSESign1(message.encoded)
        promise(again?.payload == message.payload && again?.encoded == message.encoded, "a message stays the same")
        promise((try? COSESign1([0xD2] + message.encoded))?.encoded == message.encoded, "with its tag too")
    }
    checkClaims(input)
    if let document = try? NitroDocument(input) { checkDocument(document, payload: input) }
    if let token = try? SealedToken(input) {
        promise((try? SealedToken(token.bytes)) == token, "a sealed token stays the same")
    }
    if let json = try? JSONReader.read(input), let policy = try? KeyPolicy(json) {
        promise((try? KeyPolicy(policy.json)) == policy, "a policy stays the same")
        promise((0...3600).contains(policy.evidenceMaxAge), "evidence ages")
    }
}

private func checkClaims(_ payload: [UInt8]) {
    guard let message = try? COSESign1(signing: payload, with: key) else { fatalError("broken: bytes can be signed") }
    let examined = SoftwareEvidenceVerifier(key: key.publicKey).examine(message.encoded, at: now)
    let strange = SoftwareEvidenceVerifier(key: other.publicKey).examine(message.encoded, at: now)
    promise((examined.flaw == nil) == (examined.claims != nil), "signed claims are believed")
    promise(strange.flaw != nil && strange.claims == examined.claims, "and another's claims are read, not believed")
}

private func checkDocument(_ document: NitroDocument, payload: [UInt8]) {
    promise(document.registers[0] != nil && document.registers.keys.allSatisfy { (0...31).contains($0) }, "registers")
    promise(document.issuers.allSatisfy { (1...1024).contains($0.count) }, "certificates have a length")
    guard let root = document.issuers.first, let message = try? COSESign1(signing: payload, with: key) else { return }
    // The document's own root is pinned, so that its certificates are read.
    let verifier = NitroEvidenceVerifier(rootDigest: Base16.encode(SHA256.hash(data: root)))
    let evidence = message.encoded
    let examined = waiting { await verifier.examine(evidence, at: now) }
    promise(examined.flaw != nil, "a document that its certificate did not sign proves nothing")
    promise(examined.claims?.nonce == (document.nonce ?? []), "its claims are read")
}

private final class Place<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// Runs an async function to its end while this thread waits.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let place = Place<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let value = await body()
        place.value.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = place.value.withLock({ $0 }) else { fatalError("broken: a function that has ended has a value") }
    return value
}
