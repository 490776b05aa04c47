/// A named behaviour of the mock bank's FinTS server.
package enum FinTSScenario: String, Sendable, Hashable, CaseIterable {
    case happy
    case decoupled
    case decoupledUnanswered = "decoupled-unanswered"
    case decoupledRefused = "decoupled-refused"
    case photoTAN = "photo-tan"
    case flicker
    case severalMethods = "several-methods"
    case noSecondFactor = "no-second-factor"
    case tanForStatements = "tan-for-statements"
    case wrongPIN = "wrong-pin"
    case unnamedRefusal = "unnamed-refusal"
    case locked
    case userLocked = "user-locked"
    case wrongTAN = "wrong-tan"
    case noPDF = "no-pdf-job"
    case onlyMT940 = "only-mt940"
    case severalStatements = "several-statements"
    case manyPages = "many-pages"
    case endlessPages = "endless-pages"
    case newParameters = "new-parameters"
    case newForms = "new-forms"
    case forgotten = "installation-forgotten"
    case noAnonymous = "anonymous-refused"
    case unknownProduct = "unknown-product"
    case maintenance
    case garbage
    case cutConnection = "cut-connection"
    case wrongDialog = "wrong-dialog"
    case wrongNumber = "wrong-message-number"
    case otherBank = "other-bank-code"
    case otherAccount = "other-account"

    /// The bank's behaviour in one line.
    package var summary: String {
        switch self {
        case .happy: "everything works, with a TAN to type"
        case .decoupled: "the customer approves in the bank's app"
        case .decoupledUnanswered: "the approval in the bank's app never comes"
        case .decoupledRefused: "the customer refuses in the bank's app"
        case .photoTAN: "a picture carries the question"
        case .flicker: "a code for a reader that looks at flickering bars carries the question"
        case .severalMethods: "the customer has two TAN methods, and two media for one of them"
        case .noSecondFactor: "no second factor is wanted this time"
        case .tanForStatements: "the bank asks for a TAN with each job"
        case .wrongPIN: "every PIN is wrong"
        case .unnamedRefusal: "every PIN is wrong, and the bank does not say that it is the PIN"
        case .locked: "the bank has locked the access"
        case .userLocked: "the customer is blocked"
        case .wrongTAN: "every TAN is wrong"
        case .noPDF: "PDF statements are not offered"
        case .onlyMT940: "the bank offers MT940 alone"
        case .severalStatements: "each month has two PDF statements, one of them for the first 15 days"
        case .manyPages: "each answer comes in many parts"
        case .endlessPages: "the parts of an answer never end"
        case .newParameters: "the bank's parameters change with each dialog"
        case .newForms: "a sign-in in the form of older parameters is refused"
        case .forgotten: "a program that was known before has to sign on anew"
        case .noAnonymous: "nothing is told without signing in"
        case .unknownProduct: "the product registration number is not known"
        case .maintenance: "the bank is under maintenance"
        case .garbage: "the answers are not FinTS"
        case .cutConnection: "the connection ends in the middle of an answer"
        case .wrongDialog: "the second answer is of another dialog"
        case .wrongNumber: "the second answer has another number"
        case .otherBank: "the server belongs to another bank code"
        case .otherAccount: "bookings of another account are sent"
        }
    }
}
