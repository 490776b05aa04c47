import Encodings
import Secrets

/// The part of a visit that a later one needs again: system id, TAN method and medium, and the parameters that the bank sent.
struct KeptAccess: Equatable {
    /// The login that they belong to.
    var user: String
    /// The bank code that they belong to; nil in a form from before it was kept.
    var bankCode: String?
    var systemID: String
    var securityFunction: String
    var medium: String?
    /// The address of the server that sent the parameters.
    var address: String?
    /// ``KnownParameters`` as a text.
    var parameters: String?

    /// Returns nil before the bank has given a system id and the person has a method.
    init?(_ access: Visit.Access, _ known: KnownParameters, from address: String) {
        guard let systemID = access.systemID, let function = access.securityFunction else { return nil }
        user = access.user
        bankCode = access.bankCode
        self.systemID = systemID
        securityFunction = function
        medium = access.medium
        self.address = address
        parameters = known.text
    }

    /// Reads what ``sealed`` wrote; nil for anything else.
    init?(_ sealed: Secret) {
        guard let members = (try? JSONReader.read(sealed.revealed()))?.objectValue,
            let user = members["user"]?.stringValue, let systemID = members["systemID"]?.stringValue,
            let function = members["method"]?.stringValue
        else { return nil }
        self.user = user
        bankCode = members["bankCode"]?.stringValue
        self.systemID = systemID
        securityFunction = function
        medium = members["medium"]?.stringValue
        address = members["address"]?.stringValue
        parameters = members["parameters"]?.stringValue
    }

    /// True for the login at the bank that these belong to.
    func isOf(_ access: Visit.Access) -> Bool {
        user == access.user && (bankCode ?? access.bankCode) == access.bankCode
    }

    /// Returns the parameters, if they are readable and this server sent them; nil otherwise, and then the bank is asked.
    func known(at address: String) -> KnownParameters? {
        guard self.address == address else { return nil }
        return parameters.flatMap(KnownParameters.init)
    }

    /// The same without the parameters.
    var withoutParameters: KeptAccess {
        var less = self
        (less.address, less.parameters) = (nil, nil)
        return less
    }

    /// The access as a text to keep: a secret, because the system id can stand in for a second factor.
    var sealed: Secret {
        let json = JSONValue.object(
            [
                "user": .string(user), "bankCode": bankCode.map(JSONValue.string), "systemID": .string(systemID),
                "method": .string(securityFunction), "medium": medium.map(JSONValue.string),
                "address": address.map(JSONValue.string), "parameters": parameters.map(JSONValue.string),
            ].compactMapValues(\.self))
        return Secret(json.compactText())
    }
}
