/// A channel with the name under which the broker remembers its messages and logs its failures.
package struct NamedChannel: Sendable {
    package let name: String
    package let channel: any OwnerChannel

    /// - Parameter name: of small letters, digits and hyphens. It must stay the same over restarts.
    package init(_ name: String, _ channel: any OwnerChannel) {
        self.name = name
        self.channel = channel
    }
}
