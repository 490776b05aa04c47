/// A way to tell the owner what waits for them, such as a messenger. A channel tells, and changes no request.
///
/// The broker keeps a queue before each channel, tries again after failures, limits the announcements of an hour, and
/// remembers the channel's message about a request. A channel that fails or hangs holds up neither a request nor another
/// channel.
public protocol OwnerChannel: Sendable {
    /// Sends a message.
    ///
    /// - Returns: the channel's own id of the message, by which ``replace(_:with:)`` can change it; nil when it cannot.
    /// - Throws: ``OwnerChannelError``, or any other error, which is tried again as if the channel could not be reached.
    func send(_ message: OwnerMessage) async throws -> String?

    /// Changes the text of an earlier message, so that it no longer asks for what was decided. By default this does nothing.
    func replace(_ id: String, with message: OwnerMessage) async throws

    /// Asks the service whether the settings are right, without a message to the owner: for `broker check` and `doctor`.
    ///
    /// - Returns: words about what was found, such as “the topic can be written”.
    /// - Throws: an error whose words say what is wrong and what to do.
    func check() async throws -> String

    /// The messages of an hour that one agent or one phone may cause, of each kind: requests, offers, ends and consents. Beyond
    /// them the owner gets one digest of requests and offers, and one of ends. The default is 12.
    var announcementsPerHour: Int { get }

    /// The pauses between the tries of a message, and the limits of a call.
    var pauses: OwnerChannelPauses { get }

    /// Returns false for messages that the owner does not want by this channel. The announcement of a request still says how
    /// the request ended. By default every message is wanted.
    func tells(_ kind: OwnerMessage.Kind) -> Bool
}

extension OwnerChannel {
    public func replace(_ id: String, with message: OwnerMessage) async throws {}
    public var announcementsPerHour: Int { 12 }
    public var pauses: OwnerChannelPauses { OwnerChannelPauses() }
    public func tells(_ kind: OwnerMessage.Kind) -> Bool { true }
}

/// A failure of a channel's service.
public struct OwnerChannelError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The service cannot be reached now; the message is tried again.
        case unreachable
        /// The service wants to be left alone for so long; the message is tried again then.
        case tooMany(after: Duration)
        /// Trying again is useless.
        case refused
    }

    public let kind: Kind
    /// Tells a person what is wrong. It is logged, so it must hold no secret.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
