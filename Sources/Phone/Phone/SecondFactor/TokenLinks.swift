import Authenticator
import Foundation
import PhoneStore
import Secrets
import Storage

/// The links between banks and the tokens that answer them. The person makes each link once.
///
/// The vault holds the links that count. The store keeps a copy of the token's issuer, so that a request can be shown
/// with it before the vault is open. It does not keep the account, which may be the username at the bank.
package struct TokenLinks: Sendable {
    private let secrets: any SecretStore
    private let store: PhoneDatabase

    package init(_ secrets: any SecretStore, store: PhoneDatabase) {
        self.secrets = secrets
        self.store = store
    }

    /// Links a token to a bank, and replaces the bank's earlier link.
    package func link(_ token: Token, toBank bankID: String) async throws {
        try await write(token.id.uuidString, Self.link(bankID))
        try await store.remember(
            LinkedToken(bankID: bankID, tokenID: token.id, issuer: token.issuer))
        try await store.audit.record(
            AuditEvent(
                .totpLinked,
                details: [
                    "bank_id": .string(bankID), "issuer": .string(token.issuer),
                ]))
    }

    package func unlink(bank bankID: String) async throws {
        try await secrets.remove(named: Self.link(bankID))
        try await store.forgetLinkedToken(ofBank: bankID)
        try await store.audit.record(AuditEvent(.totpUnlinked, details: ["bank_id": .string(bankID)]))
    }

    /// Removes the links of a deleted token.
    package func unlink(token id: UUID) async throws {
        for link in try await store.linkedTokens() where link.tokenID == id { try await unlink(bank: link.bankID) }
    }

    func tokenID(forBank bankID: String) async throws -> UUID? {
        try await read(Self.link(bankID)).flatMap(UUID.init(uuidString:))
    }

    // MARK: Codes that were sent

    /// Returns the time step of the last code given out for a token. RFC 6238, section 5.2, allows each code only once.
    func lastStep(ofToken id: UUID) async throws -> UInt64? {
        try await read(Self.step(id)).flatMap(UInt64.init)
    }

    func remember(step: UInt64, ofToken id: UUID) async throws {
        try await write(String(step), Self.step(id))
    }

    /// These values are not secret: while one lives, the redactor would remove it from every message.
    private func read(_ name: String) async throws -> String? {
        let value = try await secrets.secret(named: name)
        defer { value?.wipe() }
        return value?.revealed()
    }

    private func write(_ text: String, _ name: String) async throws {
        let value = Secret(text)
        defer { value.wipe() }
        try await secrets.store(value, named: name)
    }

    private static func link(_ bankID: String) -> String { "totp/link/\(bankID)" }
    private static func step(_ id: UUID) -> String { "totp/last-step/\(id.uuidString)" }
}
