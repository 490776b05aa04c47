/// The pauses and limits with which the broker calls a channel.
public struct OwnerChannelPauses: Sendable {
    /// The tries of one message.
    public var attempts = 6
    /// The pause after the first failure. It doubles with each failure that follows.
    public var firstPause: Duration = .seconds(2)
    public var longestPause: Duration = .seconds(300)
    /// The time that one call of the channel may take.
    public var call: Duration = .seconds(30)
    /// The time between two looks for requests that the hour's limit held back.
    public var digestLook: Duration = .seconds(60)

    public init() {}
}
