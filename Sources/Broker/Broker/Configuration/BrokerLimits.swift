import WebServing

/// The limits on the broker's load (specification, section 15).
public struct BrokerLimits: Sendable {
    public var rates = Rates()
    public var timeouts = Timeouts()
    /// The number of open connections; one address may have half of them. Near the limit the oldest silent connection
    /// is closed. Only when none is silent do more wait to be accepted.
    public var connections = 512
    /// The requests of one agent that may wait for a decision at a time.
    public var undecidedPerAgent = 10
    /// The polls of one agent that may wait for a change at a time.
    public var waitingPollsPerAgent = 8
    /// The polls of one device that may wait for something new at a time.
    public var waitingPollsPerDevice = 4
    /// The names, that is, the `agent_request_id`s, that one agent may give one request that waits.
    public var namesPerRequest = 64

    /// The offers of one agent that may wait for the owner at a time.
    public var waitingOffersPerAgent = 20

    public init() {}

    /// The request rates. Each bucket holds two seconds' worth.
    public struct Rates: Sendable {
        public var perTokenAndSecond = 100.0
        public var perSecond = 200.0
        public var wrongTokensPerMinute = 60.0
        /// The pairing calls of all devices together, at once and then per second: enough for 128 devices at a time.
        public var pairingBurst = 512.0
        public var pairingPerSecond = 20.0
        /// The malformed questions for a proof, at once and then per second. Questions that name a token of this broker
        /// do not count; those that name another token count as wrong tokens.
        public var proofBurst = 512.0
        public var proofsPerSecond = 100.0

        public init() {}
    }

    /// The times after which a connection is closed.
    public typealias Timeouts = ConnectionTimeouts
}
