/// The times after which a server closes a connection whose client is slow.
package struct ConnectionTimeouts: Sendable, Hashable {
    /// From the connection's beginning to the end of the first request's head, the TLS handshake included.
    package var head: Duration = .seconds(10)
    /// From a request's head to the end of its body.
    package var body: Duration = .seconds(15)
    /// From an answer to the end of the next request's head.
    package var idle: Duration = .seconds(75)

    package init() {}
}
