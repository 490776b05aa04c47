/// The reasons for which Apple's service refuses a message ("Handling notification responses from APNs").
enum APNsReason: String, Sendable, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// The consequence of a refusal.
    enum Consequence: Sendable, Hashable {
        /// The device is not registered any more.
        case removeDevice
        /// This message is wrong, and would be refused again.
        case giveUp
        /// The team's key, its token or the topic is wrong: every message is refused until the operator mends it.
        case mendSettings
        /// A new provider token may be accepted.
        case renewToken
        /// This device gets too many messages.
        case slowDownDevice
        /// The service, or this sender as a whole, has to pause.
        case slowDown
        /// Another connection may be better.
        case tryAgain
    }

    var consequence: Consequence {
        switch self {
        case .badDeviceToken, .expiredToken, .unregistered: .removeDevice
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge, .deviceTokenNotForTopic:
            .giveUp
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
            .badEnvironmentKeyIDInToken, .forbidden, .invalidProviderToken, .missingProviderToken,
            .unrelatedKeyIDInToken:
            .mendSettings
        case .expiredProviderToken: .renewToken
        case .tooManyRequests: .slowDownDevice
        case .tooManyProviderTokenUpdates, .internalServerError, .serviceUnavailable: .slowDown
        case .idleTimeout, .shutdown: .tryAgain
        }
    }

    /// Returns the consequence of an answer whose reason is missing or new: that of its status.
    static func consequence(ofStatus status: Int) -> Consequence {
        switch status {
        case 410: .removeDevice
        case 403: .mendSettings
        case 429: .slowDownDevice
        case 500...: .slowDown
        default: .giveUp
        }
    }
}
