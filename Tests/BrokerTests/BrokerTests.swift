// Tests of Broker.
