import Phone
import Terminal

extension HouseholdFile {
    /// True for a phone whose broker is that of another household of this machine.
    var isBrokerOnThisMachine: Bool {
        guard broker == nil, let address = phone?.brokerAddress else { return false }
        return PhoneConnection.isOnThisMachine(address)
    }
}
