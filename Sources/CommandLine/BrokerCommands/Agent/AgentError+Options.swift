import BrokerClient

extension AgentError {
    private static let options = [
        "bank_id": "--bank", "from": "--from", "to": "--to", "account": "--account", "accounts": "--account",
        "kinds": "--kinds", "reason": "--reason", "agent_request_id": "--agent-request-id",
    ]

    /// The error in the words of a command line, whose options have other names than the fields of the broker's interface.
    var inOptions: AgentError {
        guard code == "INVALID_FIELD" else { return self }
        var error = self
        for (field, option) in Self.options {
            error.message = error.message.replacing("“\(field)”", with: option)
        }
        // A month may be typed without an option.
        let future = "“month” is in the future: "
        if error.message.hasPrefix(future) {
            error.message =
                error.message.dropFirst(future.count) + "; the newest that can be asked for is this-month"
        }
        return error
    }
}
