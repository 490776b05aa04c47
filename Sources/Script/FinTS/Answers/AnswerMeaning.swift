/// A code of an answer as a person reads it: a sentence, an outcome, and one action.
///
/// The codes are those of *FinTS 3.0, Rückmeldungscodes* (list of 2019-07-22, with the entries P17 to P25 of the list of
/// changes up to 2023-03-27) and of *FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN* (2020-07-10), chapter B, which
/// adds those about PIN and TAN. Banks may add others: the first digit gives the class (0 done, 1 and 3 notice, 9 error),
/// and the second the subject.
package struct AnswerMeaning: Sendable, Hashable {
    package let code: String
    /// Without a full stop at its end.
    package let sentence: String
    /// The failure that the code stands for; nil for a code that ends nothing.
    package let failure: FinTSFailure.Kind?
    /// One sentence in the imperative; empty for a code that asks for nothing.
    package let action: String

    private init(_ code: String, _ sentence: String, _ failure: FinTSFailure.Kind? = nil, _ action: String = "") {
        self.code = code
        self.sentence = sentence
        self.failure = failure
        self.action = action
    }

    /// Returns the meaning of a code; that of its class for a code that the list does not have.
    package static func of(_ code: String) -> AnswerMeaning {
        if let known = byCode[code] { return known }
        switch code.utf8.first {
        case UInt8(ascii: "0"): return AnswerMeaning(code, "The bank did what it was asked")
        case UInt8(ascii: "9"):
            return switch code.utf8.dropFirst().first {
            case UInt8(ascii: "1"):
                AnswerMeaning(code, "The bank could not read a part of the message", .garbled, report)
            case UInt8(ascii: "3"), UInt8(ascii: "9"):
                // A code about signatures, or of the bank's own: it may mean the PIN, so it is taken for that.
                AnswerMeaning(code, "The bank did not accept the sign-in", .wrongPIN, checkPIN)
            default: AnswerMeaning(code, "The bank refused the request", .refused, askBank)
            }
        default: return AnswerMeaning(code, "The bank gives a notice")
        }
    }

    /// True for the codes after which nothing more may be sent with this PIN.
    package var endsSignIn: Bool { failure == .wrongPIN || failure == .locked }

    private static let checkPIN = "Check login and PIN at the bank's own page before you try again."
    private static let unlock = "Unlock the access at the bank's own page, or ask the bank."
    private static let askBank = "Ask the bank, and name the code."
    private static let report = "Report it with a masked recording; nothing was sent twice."
    private static let later = "Try again later."
    private static let again = "Ask for the documents again, and give a new TAN."

    package static let all: [AnswerMeaning] = [
        AnswerMeaning("0010", "The bank received the message"),
        AnswerMeaning("0020", "The bank did what it was asked"),
        AnswerMeaning("0021", "The request was changed and released"),
        AnswerMeaning("0030", "The bank received the request, and wants it released with a second factor"),
        AnswerMeaning("0100", "The dialog has ended"),
        AnswerMeaning("0900", "The TAN is right"),
        AnswerMeaning("0901", "The PIN is right"),
        AnswerMeaning("3010", "There is nothing for what was asked", .nothingFound, "Ask for another period."),
        AnswerMeaning("3040", "There is more than fits into one message"),
        AnswerMeaning("3050", "The parameters that were kept are out of date; the answer has the new ones"),
        AnswerMeaning("3060", "A part of the answer has notices"),
        AnswerMeaning("3061", "The security procedure is allowed for a limited time only"),
        AnswerMeaning("3072", "The bank has new data for the user"),
        AnswerMeaning("3075", "The bank wants strong authentication"),
        AnswerMeaning("3076", "No strong authentication is needed this time"),
        AnswerMeaning("3078", "The program's registration is unknown, and allowed for a limited time only"),
        AnswerMeaning("3079", "The bank asks to tell the program's maker"),
        AnswerMeaning("3081", "New parameters apply from the next sign-in"),
        AnswerMeaning("3920", "The bank lists the TAN methods of the user"),
        AnswerMeaning("3931", "The PIN is blocked", .locked, unlock),
        AnswerMeaning("3938", "The access is blocked for now", .locked, unlock),
        AnswerMeaning("3955", "The release happens on another device"),
        AnswerMeaning("3956", "The release on the other device is still missing"),
        AnswerMeaning("9000", "The bank cannot tell whether it did what it was asked", .refused, askBank),
        AnswerMeaning("9010", "The bank refused the message", .refused, askBank),
        AnswerMeaning("9030", "The bank refused the request", .refused, askBank),
        AnswerMeaning("9040", "The sign-in has not the rights that the request needs", .refused, askBank),
        AnswerMeaning("9050", "A part of the message has errors", .refused, askBank),
        AnswerMeaning(
            "9075", "The bank ended the dialog, because strong authentication is missing",
            .strongAuthenticationRequired,
            "Choose a TAN method: countersign phone banks change BANK."),
        AnswerMeaning(
            "9078", "The bank ended the dialog, because the program is not registered", .productRefused,
            "Set the product registration number; the guide to FinTS says how to get one."),
        AnswerMeaning("9110", "The bank does not know the form of a segment", .garbled, report),
        AnswerMeaning("9120", "A part of the message was not expected", .garbled, report),
        AnswerMeaning("9130", "A part of the message has a character that is not allowed", .garbled, report),
        AnswerMeaning("9140", "A part of the message breaks the syntax", .garbled, report),
        AnswerMeaning("9150", "A part of the message is not allowed here", .garbled, report),
        AnswerMeaning("9160", "A part of the message is missing", .garbled, report),
        AnswerMeaning("9170", "A part of the message is too long", .garbled, report),
        AnswerMeaning("9180", "A part of the message is of the wrong type", .garbled, report),
        AnswerMeaning("9185", "The bank does not support this version of FinTS", .notOffered, askBank),
        AnswerMeaning("9210", "The request does not fit", .refused, askBank),
        AnswerMeaning("9340", "The bank did not accept the signature, which is the PIN here", .wrongPIN, checkPIN),
        AnswerMeaning("9361", "The bank does not allow this security procedure any more", .notOffered, askBank),
        AnswerMeaning("9380", "The security procedure is blocked", .locked, unlock),
        AnswerMeaning(
            "9391", "The bank does not know this installation any more", .strongAuthenticationRequired,
            "Ask for the documents again; this program then signs on anew."),
        AnswerMeaning("9800", "The bank ended the dialog", .refused, later),
        AnswerMeaning("9910", "The bank did not accept the PIN", .wrongPIN, checkPIN),
        AnswerMeaning("9930", "The PIN is blocked", .locked, unlock),
        AnswerMeaning("9931", "The user is blocked, because the PIN was wrong too often", .locked, unlock),
        AnswerMeaning("9933", "The access is blocked", .locked, unlock),
        AnswerMeaning("9941", "The bank did not accept the TAN", .wrongTAN, again),
        AnswerMeaning("9942", "The PIN is wrong", .wrongPIN, checkPIN),
        AnswerMeaning("9943", "The TAN was used before, or its time is over", .tanExpired, again),
        AnswerMeaning("9997", "The bank is under maintenance", .maintenance, later),
    ]

    fileprivate static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}

extension AnswerMeaning {
    /// True for a code of the list, false for one whose class alone is known.
    package static func isKnown(_ code: String) -> Bool { byCode[code] != nil }
}
