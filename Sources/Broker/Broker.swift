// Broker: store, state machine, APIs.
