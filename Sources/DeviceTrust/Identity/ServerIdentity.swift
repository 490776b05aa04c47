/// A broker's identity: its stable ID, and the key that proves it.
public struct ServerIdentity: Sendable, Hashable {
    public let id: ServerID
    public let publicKey: AgreementPublicKey

    public init(id: ServerID, publicKey: AgreementPublicKey) {
        self.id = id
        self.publicKey = publicKey
    }
}
