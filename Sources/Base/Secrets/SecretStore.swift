/// A store for a few small secrets at rest, such as the phone's encrypted vault.
///
/// An implementation returns a secret only while a user verification holds, and never writes one unencrypted.
package protocol SecretStore: Sendable {
    /// Returns the secret with that name, or nil when the store has no such secret. Throws when the store is locked or
    /// damaged.
    func secret(named name: String) async throws -> Secret?

    /// Stores a secret durably before returning, replacing one with the same name.
    func store(_ secret: Secret, named name: String) async throws

    func remove(named name: String) async throws
}
