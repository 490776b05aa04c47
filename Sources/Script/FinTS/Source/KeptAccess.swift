import Encodings
import Secrets

/// The part of a user's access that the bank gave or the person chose: system id, TAN method and medium.
struct KeptAccess: Equatable {
    /// The login that they belong to.
    var user: String
    var systemID: String
    var securityFunction: String
    var medium: String?

    /// Returns nil before the bank has given a system id and the person has a method.
    init?(_ access: Visit.Access) {
        guard let systemID = access.systemID, let function = access.securityFunction else { return nil }
        user = access.user
        self.systemID = systemID
        securityFunction = function
        medium = access.medium
    }

    /// Reads what ``sealed`` wrote; nil for anything else.
    init?(_ sealed: Secret) {
        guard let members = (try? JSONReader.read(sealed.revealed()))?.objectValue,
            let user = members["user"]?.stringValue, let systemID = members["systemID"]?.stringValue,
            let function = members["method"]?.stringValue
        else { return nil }
        self.user = user
        self.systemID = systemID
        securityFunction = function
        medium = members["medium"]?.stringValue
    }

    /// The access as a text to keep: a secret, because the system id can stand in for a second factor.
    var sealed: Secret {
        let json = JSONValue.object(
            [
                "user": .string(user), "systemID": .string(systemID), "method": .string(securityFunction),
                "medium": medium.map(JSONValue.string),
            ].compactMapValues(\.self))
        return Secret(json.compactText())
    }
}
