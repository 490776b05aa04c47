import AttestedKeys
import Encodings
import Foundation
import Machine
import Secrets

/// The calls of the key service.
package enum KeyServiceMethod: String, Sendable, CaseIterable {
    /// Tells the public key under which the API seals.
    case publicKey = "public_key"
    /// Makes a data key, where the API cannot make one itself.
    case generate = "generate_data_key"
    /// Gives out the nonce for one opening.
    case challenge
    /// Opens a data key for an attested process.
    case open = "open_data_key"
}

/// Calls the key service on its socket.
package struct KeyServiceClient: Sendable {
    private let socket: ProcessSocketClient

    /// - Parameter user: the user who runs the key service.
    package init(_ file: URL, servedBy user: UInt32, limits: ProcessSocketClient.Limits = .init()) {
        socket = ProcessSocketClient(file, servedBy: [user], limits: limits)
    }

    package init(_ places: AssistantPlaces) {
        self.init(places.keyServiceSocket, servedBy: places.keyServiceUser)
    }

    package func isServed() async -> Bool { await socket.isServed() }

    /// Returns the active key.
    ///
    /// - Throws: `ProcessSocketError`.
    package func sealingKey() async throws -> SealingKey {
        let answer = try await socket.call(KeyServiceMethod.publicKey.rawValue)
        guard let id = answer["token_key_id"]?.stringValue, let version = answer["token_version"]?.intValue else {
            throw ProcessSocketError.malformed("the key service's active key lacks a part")
        }
        let reference = KeyReference(tokenKeyID: id, tokenVersion: version)
        if answer["generates_data_keys"] == true { return .generating(reference) }
        guard let bytes = Base64URL.decode(answer["public_key"]), bytes.count == 32 else {
            throw ProcessSocketError.malformed("the key service's public key does not have 32 bytes")
        }
        return .shared(MasterPublicKey(reference: reference, bytes: bytes))
    }

    /// Makes the data key for a token of a connector.
    ///
    /// - Throws: `ProcessSocketError`.
    package func prepareSealing(of user: UUID, _ connector: UUID, under key: SealingKey) async throws -> PreparedSealing
    {
        let binding = TokenBinding(userID: user, connectorID: connector, key: key.reference)
        switch key {
        case .shared(let key): return PreparedSealing(binding, try key.makeDataKey(binding))
        case .generating: return PreparedSealing(binding, try await generateDataKey(binding))
        }
    }

    private func generateDataKey(_ binding: TokenBinding) async throws -> GeneratedDataKey {
        let answer = try await socket.call(KeyServiceMethod.generate.rawValue, .object(binding.members))
        guard var plain = Base64URL.decode(answer["data_key"]), plain.count == 32,
            let wrapped = Base64URL.decode(answer["wrapped_data_key"])
        else { throw ProcessSocketError.malformed("the key service's data key lacks a part") }
        defer { plain.wipe() }
        return GeneratedDataKey(dataKey: Secret(bytes: plain), wrapped: wrapped)
    }

    /// Returns the nonce for one opening, and the kind of key to which the answer will be encrypted.
    package func challenge() async throws -> (nonce: [UInt8], recipient: RecipientKind) {
        let answer = try await socket.call(KeyServiceMethod.challenge.rawValue)
        guard let nonce = Base64URL.decode(answer["nonce"]), nonce.count == 32 else {
            throw ProcessSocketError.malformed("the key service's nonce does not have 32 bytes")
        }
        guard let recipient = RecipientKind(rawValue: answer["recipient"]?.stringValue ?? "") else {
            throw ProcessSocketError.malformed("the key service answers to a key of an unknown kind")
        }
        return (nonce, recipient)
    }

    /// Opens a data key.
    ///
    /// - Returns: the data key, encrypted to the key in the evidence.
    /// - Throws: `ProcessSocketError`; `refused` with an ``OpeningRefusal`` as its code.
    package func open(_ request: OpeningRequest) async throws -> [UInt8] {
        let answer = try await socket.call(KeyServiceMethod.open.rawValue, request.json)
        guard let sealed = Base64URL.decode(answer["data_key"]) else {
            throw ProcessSocketError.malformed("the key service's answer has no data key")
        }
        return sealed
    }
}

extension TokenBinding {
    /// The params that say which token it is.
    fileprivate var members: [String: JSONValue] {
        [
            "user_id": .string(userID.uuidString.lowercased()),
            "connector_id": .string(connectorID.uuidString.lowercased()),
            "token_key_id": .string(key.tokenKeyID), "token_version": .number(Double(key.tokenVersion)),
        ]
    }

    /// Reads the params of a call.
    package init(_ call: ProcessCall) throws(ProcessRefusal) {
        guard let id = call.params["token_key_id"]?.stringValue, let version = call.params["token_version"]?.intValue
        else { throw ProcessRefusal("INVALID_FIELD", "the call lacks “token_key_id” or “token_version”") }
        self.init(
            userID: try call.id("user_id"), connectorID: try call.id("connector_id"),
            key: KeyReference(tokenKeyID: id, tokenVersion: version))
    }
}

extension OpeningRequest {
    package var json: JSONValue {
        .object(
            binding.members.merging([
                "wrapped_data_key": .string(Base64URL.encode(wrappedDataKey)),
                "evidence": .string(Base64URL.encode(evidence)), "nonce": .string(Base64URL.encode(nonce)),
            ]) { $1 })
    }

    /// Reads the params of a call.
    package init(_ call: ProcessCall) throws(ProcessRefusal) {
        let params = call.params
        guard let wrapped = Base64URL.decode(params["wrapped_data_key"]),
            let evidence = Base64URL.decode(params["evidence"]), let nonce = Base64URL.decode(params["nonce"])
        else { throw ProcessRefusal("INVALID_FIELD", "the call lacks a part, or a part is not Base64URL") }
        self.init(wrappedDataKey: wrapped, binding: try TokenBinding(call), evidence: evidence, nonce: nonce)
    }
}
