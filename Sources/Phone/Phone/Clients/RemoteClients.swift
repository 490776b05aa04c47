import CurlClient
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Storage

/// The programs elsewhere that ask to become agents, and those that this phone's owner has allowed, as the broker has them.
struct RemoteClients: Sendable {
    let home: PhoneHome
    let store: PhoneDatabase
    let broker: BrokerConnection
    let services: PhoneServices

    /// - Throws: ``PhoneError``.
    func list() async throws(PhoneError) -> ClientList {
        try await broker.call { (client) async throws(PhoneError) in try await client.clients() }
    }

    /// Allows a program that waits. The vault is opened for this, also on a phone without a key to sign with: a session of a
    /// browser alone allows nothing.
    ///
    /// - Parameter number: as the person read it in the browser that the program opened.
    /// - Throws: ``PhoneError``; `VaultError` when the person could not be verified.
    func allow(
        _ waiting: WaitingClient, number: String, as agent: AgentName, limits: ClientLimits,
        with verification: any UserVerification
    ) async throws {
        let secrets = try await home.open(verification, reason: "Allow the program “\(agent)” to ask for documents")
        defer { secrets.close() }
        let permission = ClientPermission(
            for: waiting, number: number, agent: agent, limits: limits,
            verifiedBy: RequirementCheck.factors(of: [verification]), at: services.clock.now)
        var body = permission.unsigned
        if let pairing = broker.settings.pairing {
            body = try await PhoneConnection.withDeviceKey(in: secrets, of: services.deviceKeys) { key in
                try await permission.signed(for: pairing.server.id, by: pairing.deviceID, with: key)
            }
        }
        let signed = body
        try await broker.call { (client) async throws(PhoneError) in
            try await client.post(signed, toClient: waiting.id.description, "allow")
        }
        try await store.audit.record(
            AuditEvent(
                .clientAllowed, severity: .warning,
                details: [
                    "agent": .string(agent.description), "client": .string(ReportText.cleaned(waiting.clientID)),
                ],
                time: services.clock.now))
    }

    func deny(_ waiting: RequestID) async throws {
        try await broker.call { (client) async throws(PhoneError) in
            try await client.post([:], toClient: waiting.description, "deny")
        }
        try await store.audit.record(AuditEvent(.clientDenied, time: services.clock.now))
    }

    /// Takes an allowed program its rights away, at once.
    func remove(_ agent: AgentName) async throws {
        try await broker.call { (client) async throws(PhoneError) in
            try await client.post([:], toClient: agent.description, "remove")
        }
        try await store.audit.record(
            AuditEvent(
                .clientRemoved, severity: .warning, details: ["agent": .string(agent.description)],
                time: services.clock.now))
    }
}

extension PhoneBrokerClient {
    fileprivate func clients() async throws(PhoneError) -> ClientList {
        let response = try await send("GET", "/phone/clients")
        let limits = JSONLimits(depth: 8, size: Self.largestList)
        guard let list = ClientList(json: try json(of: response, limits: limits)) else {
            throw PhoneError(.brokerMalformed, "the broker's list of programs cannot be read; update the broker")
        }
        return list
    }

    fileprivate func post(_ body: JSONValue, toClient name: String, _ action: String) async throws(PhoneError) {
        _ = try await send("POST", "/phone/clients/\(name)/\(action)", body: body)
    }
}
