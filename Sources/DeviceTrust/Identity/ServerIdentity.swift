/// Who a broker is: a name that stays, and the key that it proves it with.
public struct ServerIdentity: Sendable, Hashable {
    public let id: ServerID
    public let publicKey: AgreementPublicKey

    public init(id: ServerID, publicKey: AgreementPublicKey) {
        self.id = id
        self.publicKey = publicKey
    }
}
