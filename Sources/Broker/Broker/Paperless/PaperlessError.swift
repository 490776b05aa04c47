import Secrets

/// A failed step of filing with paperless-ngx. The text never contains the token.
package struct PaperlessError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The same may succeed later: the server or the network failed, or the owner has to change a setting.
        case passing
        /// The document itself was refused, and would be again.
        case refused
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = Redactor.redact(description)
    }

    /// A failure that may pass.
    package init(passing description: String) { self.init(.passing, description) }

    /// A failure that stays.
    package init(refusal description: String) { self.init(.refused, description) }
}
