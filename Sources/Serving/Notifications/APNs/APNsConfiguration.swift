import Crypto
import Foundation
import Secrets

/// The two services of Apple's, each with device tokens of its own.
package enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    case sandbox
    case production

    /// Apple's address of the service.
    var address: String {
        switch self {
        case .sandbox: "https://api.sandbox.push.apple.com"
        case .production: "https://api.push.apple.com"
        }
    }
}

/// A developer team's access to Apple Push Notification service.
package struct APNsConfiguration: Sendable {
    /// The app's bundle id.
    package let topic: String
    /// The address that takes the place of both of Apple's.
    package var address: String?
    /// Tells whose token it is that a sender shows: the team and its key.
    package var signer: String { "apns \(teamID) \(keyID)" }
    let teamID: String
    let keyID: String
    let key: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - key: the contents of the `.p8` file that Apple gives out (PEM).
    ///   - teamID: ten characters.
    ///   - keyID: ten characters.
    /// - Throws: ``APNsError``.
    package init(key: Secret, keyID: String, teamID: String, topic: String) throws(APNsError) {
        for (name, text) in [("APNS_KEY_ID", keyID), ("APNS_TEAM_ID", teamID)] {
            guard text.wholeMatch(of: /[A-Za-z0-9]{1,32}/) != nil else {
                throw APNsError("\(name) must be letters and digits, such as ABC123DEFG")
            }
        }
        guard topic.wholeMatch(of: /[A-Za-z0-9.-]{1,155}/) != nil else {
            throw APNsError("APNS_TOPIC must be the app's bundle id, such as com.example.app")
        }
        guard let signing = try? P256.Signing.PrivateKey(pemRepresentation: key.revealed()) else {
            throw APNsError("APNS_KEY_FILE must hold the key that Apple gives out for APNs, a .p8 file")
        }
        self.key = signing
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
    }
}

/// Settings for Apple's service that cannot be used, with the reason.
package struct APNsError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
