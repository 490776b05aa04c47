/// The times after which a server closes a connection whose client is slow.
public struct ConnectionTimeouts: Sendable, Hashable {
    /// From the connection's beginning to the end of the first request's head, the TLS handshake included.
    public var head: Duration = .seconds(10)
    /// From a request's head to the end of its body.
    public var body: Duration = .seconds(15)
    /// From an answer to the end of the next request's head.
    public var idle: Duration = .seconds(75)

    public init() {}
}
