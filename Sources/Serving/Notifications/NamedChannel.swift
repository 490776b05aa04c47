/// A channel with the name under which the broker remembers its messages and logs its failures.
public struct NamedChannel: Sendable {
    public let name: String
    public let channel: any OwnerChannel

    /// - Parameter name: of small letters, digits and hyphens. It must stay the same over restarts.
    public init(_ name: String, _ channel: any OwnerChannel) {
        self.name = name
        self.channel = channel
    }
}
