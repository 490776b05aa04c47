import Authenticator
import PhoneStore
import QRCode

/// The reason why a picture or a text gives no token, for the person.
enum TokenWords {
    static func of(_ error: any Error) -> String {
        let message = ReportText.cleaned("\(error)")
        switch error {
        case let error as QRCodeError: return told(message, error.code)
        case let error as OTPAuthError: return told(message, error.code)
        case is TokenError: return RefusalWords.told(message, "codes.damaged")
        default: return RefusalWords.told(message, "codes.other-text")
        }
    }

    private static func told(_ message: String, _ code: QRCodeError.Code) -> String {
        switch code {
        case .nothingFound: RefusalWords.told(message, "codes.no-symbol", isWhole: true)
        case .unsupportedPicture, .tooLarge: RefusalWords.told(message, "codes.no-picture", isWhole: true)
        default: RefusalWords.told(message, "codes.no-picture")
        }
    }

    private static func told(_ message: String, _ code: OTPAuthError.Code) -> String {
        switch code {
        case .notOTPAuth: RefusalWords.told(message, "codes.other-text", isWhole: true)
        case .unsupportedType: RefusalWords.told(message, "codes.other-kind", isWhole: true)
        default: RefusalWords.told(message, "codes.damaged")
        }
    }
}
