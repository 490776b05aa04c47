/// Keeps a few small secrets at rest: Keychain on Apple systems, an encrypted vault here.
///
/// An implementation gives a secret out only while a user verification holds, and never writes one in the clear.
public protocol SecretStore: Sendable {
    /// The secret of that name, or nil when there is none. Throws when the store is locked or damaged.
    func secret(named name: String) async throws -> Secret?

    /// Stores durably before it returns; replaces a secret of the same name.
    func store(_ secret: Secret, named name: String) async throws

    func remove(named name: String) async throws
}
