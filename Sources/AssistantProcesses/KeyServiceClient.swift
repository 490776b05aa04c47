import AttestedKeys
import Encodings
import Foundation
import JSON
import ProcessSockets
import Secrets

/// The calls of the key service.
package enum KeyServiceMethod: String, Sendable, CaseIterable {
    /// Tells the public key under which the API seals.
    case publicKey = "public_key"
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
    package func publicKey() async throws -> MasterPublicKey {
        let answer = try await socket.call(KeyServiceMethod.publicKey.rawValue)
        guard let id = answer["token_key_id"]?.stringValue, let version = answer["token_version"]?.intValue,
            let bytes = Base64URL.decode(answer["public_key"]), bytes.count == 32
        else { throw ProcessSocketError.malformed("the key service's public key lacks a part") }
        return MasterPublicKey(reference: KeyReference(tokenKeyID: id, tokenVersion: version), bytes: bytes)
    }

    /// Returns the nonce for one opening.
    package func challenge() async throws -> [UInt8] {
        let answer = try await socket.call(KeyServiceMethod.challenge.rawValue)
        guard let nonce = Base64URL.decode(answer["nonce"]), nonce.count == 32 else {
            throw ProcessSocketError.malformed("the key service's nonce does not have 32 bytes")
        }
        return nonce
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

extension OpeningRequest {
    package var json: JSONValue {
        [
            "user_id": .string(binding.userID.uuidString.lowercased()),
            "connector_id": .string(binding.connectorID.uuidString.lowercased()),
            "token_key_id": .string(binding.key.tokenKeyID), "token_version": .number(Double(binding.key.tokenVersion)),
            "wrapped_data_key": .string(Base64URL.encode(wrappedDataKey)),
            "evidence": .string(Base64URL.encode(evidence)), "nonce": .string(Base64URL.encode(nonce)),
        ]
    }

    /// Reads the params of a call.
    package init(_ call: ProcessCall) throws(ProcessRefusal) {
        let params = call.params
        guard let id = params["token_key_id"]?.stringValue, let version = params["token_version"]?.intValue,
            let wrapped = Base64URL.decode(params["wrapped_data_key"]),
            let evidence = Base64URL.decode(params["evidence"]), let nonce = Base64URL.decode(params["nonce"])
        else { throw ProcessRefusal("INVALID_FIELD", "the call lacks a part, or a part is not Base64URL") }
        self.init(
            wrappedDataKey: wrapped,
            binding: TokenBinding(
                userID: try call.id("user_id"), connectorID: try call.id("connector_id"),
                key: KeyReference(tokenKeyID: id, tokenVersion: version)),
            evidence: evidence, nonce: nonce)
    }
}
