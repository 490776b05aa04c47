import Secrets

/// The data key for a token that has yet to come. With it, sealing needs no key service any more.
package struct PreparedSealing: Sendable {
    package let binding: TokenBinding
    private let made: GeneratedDataKey

    package init(_ binding: TokenBinding, _ made: GeneratedDataKey) {
        self.binding = binding
        self.made = made
    }

    package func seal(_ token: Secret) throws -> SealedToken { try SealedToken.seal(token, binding, under: made) }

    /// Wipes the data key, which must not outlive the sealing.
    package func wipe() { made.dataKey.wipe() }
}
