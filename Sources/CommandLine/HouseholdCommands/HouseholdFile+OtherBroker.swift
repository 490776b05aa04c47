import Terminal

extension HouseholdFile {
    /// True for a phone whose broker is that of another household of this machine.
    var isBrokerOnThisMachine: Bool {
        guard broker == nil, let address = phone?.brokerAddress else { return false }
        if address.hasPrefix("unix:") { return true }
        guard let scheme = address.firstRange(of: "://") else { return false }
        let rest = address[scheme.upperBound...]
        return ["localhost", "127.0.0.1", "[::1]"].contains { host in
            rest == host || rest.hasPrefix(host + ":") || rest.hasPrefix(host + "/")
        }
    }
}
