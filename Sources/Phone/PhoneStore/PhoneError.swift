import Encodings
import Foundation
import Messages
import Secrets

/// An error of the phone. The message says what to do next and contains no secret.
package struct PhoneError: Error, Sendable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind {
            case homeUnusable, homeBusy, notSetUp, storeDamaged, unknownRequest, notPending, expired, scriptChanged
            case brokerUnreachable, brokerRefused, brokerConflict, brokerMalformed, unverifiable
            case invalidSetting, fileChanged, pinMismatch, factorMissing, pairingRefused, onHold, deviceKeyUnusable
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        package static let homeUnusable = Code(.homeUnusable)
        /// Another process holds this home.
        package static let homeBusy = Code(.homeBusy)
        package static let notSetUp = Code(.notSetUp)
        package static let storeDamaged = Code(.storeDamaged)
        package static let unknownRequest = Code(.unknownRequest)
        /// The request is already decided, here or elsewhere.
        package static let notPending = Code(.notPending)
        package static let expired = Code(.expired)
        /// The script differs from the one that was shown.
        package static let scriptChanged = Code(.scriptChanged)
        /// The broker cannot have received anything.
        package static let brokerUnreachable = Code(.brokerUnreachable)
        /// The broker refused the token, the rate or the input.
        package static let brokerRefused = Code(.brokerRefused)
        /// The broker's state machine does not allow the call.
        package static let brokerConflict = Code(.brokerConflict)
        /// The answer is not a broker's, or it contradicts itself.
        package static let brokerMalformed = Code(.brokerMalformed)
        /// The server shows another certificate than the pinned one; nothing was sent.
        package static let pinMismatch = Code(.pinMismatch)
        /// The approval needs factors that were not shown.
        package static let factorMissing = Code(.factorMissing)
        /// The bank refused the stored credentials before, and the person has not confirmed another try.
        package static let onHold = Code(.onHold)
        /// The pairing failed.
        package static let pairingRefused = Code(.pairingRefused)
        package static let unverifiable = Code(.unverifiable)
        package static let invalidSetting = Code(.invalidSetting)
        /// A file that the vault vouches for was changed by something else.
        package static let fileChanged = Code(.fileChanged)
        /// The device key is away, is another one, or does not sign.
        package static let deviceKeyUnusable = Code(.deviceKeyUnusable)
    }

    package let code: Code
    package let message: String
    /// The HTTP status and the error code of the broker's answer, if there was one.
    package let status: Int?
    package let brokerCode: ErrorCode?
    /// The request's state at the broker, if that is the reason for the refusal.
    package let requestStatus: RequestStatus?
    /// The approval that counts at the broker, if its answer names one; see ``DecisionBody/id``.
    package let decisionID: Nonce?

    package init(
        _ code: Code, _ message: String, status: Int? = nil, brokerCode: ErrorCode? = nil,
        requestStatus: RequestStatus? = nil, decisionID: Nonce? = nil
    ) {
        self.code = code
        self.message = Redactor.redact(message)
        self.status = status
        self.brokerCode = brokerCode
        self.requestStatus = requestStatus
        self.decisionID = decisionID
    }

    package var description: String { message }
}

/// The form of a foreign text that is safe to show, store and send on.
package enum ReportText {
    /// Removes secrets, control characters and formatting characters (a right-to-left override can make a name read as
    /// another), folds white space, and shortens the text to `limit` characters.
    package static func cleaned(_ text: String, limit: Int = 300) -> String {
        let bounded = text.count > 4 * limit ? String(text.prefix(4 * limit)) : text
        let folded = spaced(Redactor.redact(bounded)).trimmingCharacters(in: .whitespaces)
        return folded.count > limit ? folded.prefix(limit - 1) + "…" : folded
    }

    /// Returns the text with one space for each run of white space and of characters without a shape. The joiners of an emoji
    /// that is made of several stay.
    private static func spaced(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var spaced = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            if !isShapeless(scalar) || scalars.joinsEmoji(at: index) {
                spaced.append(scalar)
            } else if spaced.last != " " {
                spaced.append(" ")
            }
        }
        return String(spaced)
    }

    private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
