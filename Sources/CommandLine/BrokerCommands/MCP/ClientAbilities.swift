import Encodings

/// The abilities that a client declares with a request of the stateless version, as far as this server uses them.
struct ClientAbilities: Sendable, Hashable {
    /// It follows tasks (`io.modelcontextprotocol/tasks`).
    var followsTasks = false
    /// A person is there, to whom it can show an address (`elicitation.url`).
    var opensAddresses = false

    static let none = ClientAbilities()

    private init() {}

    init(_ params: JSONValue) {
        let capabilities = params["_meta"]?["io.modelcontextprotocol/clientCapabilities"]
        followsTasks = capabilities?["extensions"]?[RequestTasks.name]?.objectValue != nil
        opensAddresses = capabilities?["elicitation"]?["url"]?.objectValue != nil
    }
}
