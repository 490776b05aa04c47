/// A named behaviour of the mock bank. Each one can also be opened in a browser.
public enum Scenario: String, Sendable, Hashable, CaseIterable {
    case happy

    case wrongPassword = "wrong-password"
    case accountLocked = "account-locked"
    case passwordExpired = "password-expired"
    case termsToAccept = "terms-to-accept"
    case extraIdentification = "extra-identification"
    case advertisement
    case loginElsewhere = "login-on-another-host"
    case cookiesRequired = "cookies-required"

    case wrongCode = "wrong-code"
    case codeTimeout = "code-timeout"
    case codeInPicture = "code-in-a-picture"
    case choiceOfMethods = "choice-of-methods"
    case push
    case pushUnanswered = "push-unanswered"

    case monthMissing = "month-missing"
    case monthOnPageThree = "month-on-page-three"
    case renamedLink = "renamed-link"
    case changedLayout = "changed-layout"
    case statementOnRequest = "statement-on-request"
    case pdfByForm = "pdf-by-form"
    case pdfBehindJSON = "pdf-behind-json"

    case maintenance
    case sessionExpired = "session-expired"
    case sessionExpiredAtDownload = "session-expired-at-download"
    case slowPages = "slow-pages"
    case serverErrorOnce = "500-then-fine"

    case truncatedPDF = "truncated-pdf"
    case htmlInsteadOfPDF = "html-instead-of-pdf"
    case hugePDF = "huge-pdf"

    case foreignRedirect = "foreign-redirect"
    case mixedContent = "mixed-content"
    case oddEncoding = "odd-encoding"
    case javascriptWall = "javascript-wall"
    case jsonBank = "json-bank"

    /// The bank's behaviour in one line.
    public var summary: String {
        switch self {
        case .happy: "everything as it should be"
        case .wrongPassword: "no password is right"
        case .accountLocked: "signing in ends on a page that says the account is locked"
        case .passwordExpired: "a new password has to be chosen before anything else"
        case .termsToAccept: "new terms have to be accepted before anything else"
        case .extraIdentification: "a security question comes after the code"
        case .advertisement: "an offer stands between sign-in and overview"
        case .loginElsewhere: "the sign-in page has moved to another host (127.0.0.1)"
        case .cookiesRequired: "the sign-in page first tries whether cookies come back"
        case .wrongCode: "no one-time code is right"
        case .codeTimeout: "the one-time code never comes"
        case .codeInPicture: "the code stands in a picture, another one each time"
        case .choiceOfMethods: "the customer says first how the code is to come"
        case .push: "sign-in is approved in the bank’s app instead of with a code"
        case .pushUnanswered: "the approval in the bank’s app never comes"
        case .monthMissing: "November is in no year’s archive"
        case .monthOnPageThree: "the archive has three rows a page; May is on the third"
        case .renamedLink: "“Statements” is called “Post & documents”"
        case .changedLayout: "the archive is cards instead of a table, with other words"
        case .statementOnRequest: "a statement is made when it is asked for, and ready a little later"
        case .pdfByForm: "a form makes the PDF for the month that is chosen in it"
        case .pdfBehindJSON: "only a JSON call says where the PDF is"
        case .maintenance: "every page is a maintenance page (503)"
        case .sessionExpired: "the session ends on the third page inside"
        case .sessionExpiredAtDownload: "the session ends when a document is asked for"
        case .slowPages: "every answer takes half a second"
        case .serverErrorOnce: "each page answers 500 the first time, then as it should"
        case .truncatedPDF: "the PDF breaks off in the middle"
        case .htmlInsteadOfPDF: "a page comes where the PDF should"
        case .hugePDF: "the PDF has 65 MiB"
        case .foreignRedirect: "signing in leads to another company’s site"
        case .mixedContent: "the secure archive links its PDFs over plain HTTP (with --tls)"
        case .oddEncoding: "windows-1252 pages that call themselves iso-8859-1, with non-breaking spaces"
        case .javascriptWall: "pages are empty until their script has run"
        case .jsonBank: "no forms at all: an app that speaks JSON"
        }
    }

    /// Whether the scenario works only over TLS.
    public var needsTLS: Bool { self == .mixedContent }
}
