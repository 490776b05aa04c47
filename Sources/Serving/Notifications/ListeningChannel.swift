import Logging

/// A channel to which people can write. What they write is not authenticated, so it decides nothing.
package protocol ListeningChannel: OwnerChannel {
    /// Answers what people write, until the task is cancelled or the service rejects the channel.
    func listen(_ desk: ChannelDesk) async

    /// Ends the channel's connections. No other call follows.
    func close() async
}

/// The broker's side of a channel that listens.
package struct ChannelDesk: Sendable {
    let requests: any AnnouncedRequests
    let language: OwnerLanguage
    let logger: Logger
    /// Puts an answer to the owner into the channel's queue, behind what was said before.
    let answer: @Sendable (_ text: String) -> Void
}
