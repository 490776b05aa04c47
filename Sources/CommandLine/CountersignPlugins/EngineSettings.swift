import Foundation

/// The settings of a command that an engine follows.
public struct EngineSettings: Sendable {
    /// A PEM file with an additional certificate authority, such as a mock bank's.
    public var certificateAuthority: URL?
    /// True when the person wants to see the engine's window.
    public var isHeaded: Bool
    /// True when the engine may use this machine's network although other users of the machine could then take it over.
    public var sharesNetwork: Bool

    public init(certificateAuthority: URL? = nil, isHeaded: Bool = false, sharesNetwork: Bool = false) {
        self.certificateAuthority = certificateAuthority
        self.isHeaded = isHeaded
        self.sharesNetwork = sharesNetwork
    }
}
