import WebServing

/// The limits on the broker's load (specification, section 15).
public struct BrokerLimits: Sendable {
    public var rates = Rates()
    package var timeouts = Timeouts()
    /// The number of open connections; one address may have half of them. Near the limit the oldest silent connection
    /// is closed. Only when none is silent do more wait to be accepted.
    package var connections = 512
    /// The requests of one agent that may wait for a decision at a time.
    package var undecidedPerAgent = 10
    /// The polls of one agent that may wait for a change at a time.
    package var waitingPollsPerAgent = 8
    /// The polls of one device that may wait for something new at a time.
    package var waitingPollsPerDevice = 4
    /// The names, that is, the `agent_request_id`s, that one agent may give one request that waits.
    package var namesPerRequest = 64

    /// The offers of one agent that may wait for the owner at a time.
    package var waitingOffersPerAgent = 20

    package init() {}

    /// The request rates. Each bucket holds two seconds' worth.
    public struct Rates: Sendable {
        public var perTokenAndSecond = 100.0
        public var perSecond = 200.0
        package var wrongTokensPerMinute = 60.0
        /// The pairing calls of all devices together, at once and then per second: enough for 128 devices at a time.
        package var pairingBurst = 512.0
        package var pairingPerSecond = 20.0
        /// The malformed questions for a proof, at once and then per second. Questions that name a token of this broker
        /// do not count; those that name another token count as wrong tokens.
        package var proofBurst = 512.0
        package var proofsPerSecond = 100.0

        package init() {}
    }

    /// The times after which a connection is closed.
    package typealias Timeouts = ConnectionTimeouts
}
