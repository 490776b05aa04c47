import Messages
import Secrets

/// Why the phone could not do what it was asked to. The message says what to do, and holds no secret.
public struct PhoneError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case homeUnusable, homeBusy, notSetUp, storeDamaged, unknownRequest, notPending, expired, scriptChanged
            case brokerUnreachable, brokerRefused, brokerConflict, brokerMalformed, unverifiable
            case invalidSetting, pinMismatch, factorMissing, pairingRefused
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        public static let homeUnusable = Code(.homeUnusable)
        /// Another process has this home.
        public static let homeBusy = Code(.homeBusy)
        public static let notSetUp = Code(.notSetUp)
        public static let storeDamaged = Code(.storeDamaged)
        public static let unknownRequest = Code(.unknownRequest)
        /// Decided already, here or elsewhere.
        public static let notPending = Code(.notPending)
        public static let expired = Code(.expired)
        /// The script is not the one whose digest was shown.
        public static let scriptChanged = Code(.scriptChanged)
        /// Certain that the broker has heard nothing.
        public static let brokerUnreachable = Code(.brokerUnreachable)
        /// Token, rate or input refused.
        public static let brokerRefused = Code(.brokerRefused)
        /// The broker's state machine does not allow it.
        public static let brokerConflict = Code(.brokerConflict)
        /// What answered is no broker, or lies.
        public static let brokerMalformed = Code(.brokerMalformed)
        /// Who answers shows another certificate than the broker's; nothing was sent.
        public static let pinMismatch = Code(.pinMismatch)
        /// The approval needs more than was shown.
        public static let factorMissing = Code(.factorMissing)
        /// No device came of the pairing.
        public static let pairingRefused = Code(.pairingRefused)
        public static let unverifiable = Code(.unverifiable)
        public static let invalidSetting = Code(.invalidSetting)
    }

    public let code: Code
    public let message: String
    /// The status and the error code that the broker answered with, where it did.
    let status: Int?
    let brokerCode: ErrorCode?
    /// Where the request stands at the broker, when that is why it refuses.
    let requestStatus: RequestStatus?

    init(
        _ code: Code, _ message: String, status: Int? = nil, brokerCode: ErrorCode? = nil,
        requestStatus: RequestStatus? = nil
    ) {
        self.code = code
        self.message = Redactor.redact(message)
        self.status = status
        self.brokerCode = brokerCode
        self.requestStatus = requestStatus
    }

    public var description: String { message }
}
