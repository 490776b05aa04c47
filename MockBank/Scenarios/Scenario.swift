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
    case samlSignIn = "saml-sign-in"
    case formPost = "oidc-form-post"
    case renamedButton = "renamed-button"
    case cookiesRequired = "cookies-required"

    case wrongCode = "wrong-code"
    case codeTimeout = "code-timeout"
    case codeInPicture = "code-in-a-picture"
    case knownDevice = "known-device"
    case choiceOfMethods = "choice-of-methods"
    case memorableWord = "memorable-word"
    case pinPad = "pin-pad"
    case push
    case pushUnanswered = "push-unanswered"

    case monthMissing = "month-missing"
    case monthOnPageThree = "month-on-page-three"
    case renamedLink = "renamed-link"
    case changedLayout = "changed-layout"
    case statementOnRequest = "statement-on-request"
    case pdfByForm = "pdf-by-form"
    case pdfBehindJSON = "pdf-behind-json"
    case everyKind = "every-kind"
    case yearAsZIP = "year-as-zip"
    case dayRanges = "day-ranges"
    case statementAsPage = "statement-as-page"
    case statementsTooOld = "statements-too-old"
    case webForms = "web-forms"
    case oldPortal = "old-portal"

    case maintenance
    case sessionExpired = "session-expired"
    case sessionExpiredAtDownload = "session-expired-at-download"
    case fiveDocuments = "five-documents-a-visit"
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
    case xsrfCookie = "angular-xsrf"
    case cursorList = "json-cursor"
    case jsonAccounts = "json-accounts"
    case singlePageApp = "single-page-app"
    case hostileApp = "hostile-app"

    case starling
    case starlingEndedToken = "starling-ended-token"
    case starlingNarrowToken = "starling-narrow-token"
    case starlingBusy = "starling-busy"
    case starlingMaintenance = "starling-maintenance"
    case up
    case upEndedToken = "up-ended-token"
    case upBusy = "up-busy"
    case upEndlessPages = "up-endless-pages"
    case interactiveBrokers = "interactive-brokers"
    case interactiveBrokersEndedToken = "interactive-brokers-ended-token"
    case interactiveBrokersBusy = "interactive-brokers-busy"
    case interactiveBrokersMaintenance = "interactive-brokers-maintenance"
    case monzo
    case monzoBusy = "monzo-busy"
    case monzoUnapproved = "monzo-unapproved"
    case monzoRevoked = "monzo-revoked"
    case enableBanking = "enable-banking"
    case enableBankingBusy = "enable-banking-busy"
    case enableBankingExpired = "enable-banking-expired"
    case enableBankingUnknownKey = "enable-banking-unknown-key"
    case enableBankingUnlistedAddress = "enable-banking-unlisted-address"
    case enableBankingCancelled = "enable-banking-cancelled"
    case simplefin
    case simplefinRevoked = "simplefin-revoked"
    case simplefinClaimed = "simplefin-claimed"
    case simplefinReauthenticate = "simplefin-reauthenticate"

    /// The bank's behaviour in one line.
    public var summary: String {
        switch self {
        case .happy: "everything works"
        case .wrongPassword: "every password is wrong"
        case .accountLocked: "signing in leads to a page that says the account is locked"
        case .passwordExpired: "the customer must choose a new password first"
        case .termsToAccept: "the customer must accept new terms first"
        case .extraIdentification: "a security question comes after the code"
        case .advertisement: "an offer appears between sign-in and overview"
        case .loginElsewhere: "the sign-in page has moved to another host (127.0.0.1)"
        case .samlSignIn: "another host signs the customer in and posts a SAML response to the bank"
        case .formPost: "another host signs the customer in and posts an OpenID Connect code to the bank"
        case .renamedButton: "“Sign in” is called “Log in”"
        case .cookiesRequired: "the sign-in page first checks that cookies come back"
        case .wrongCode: "every one-time code is wrong"
        case .codeTimeout: "the one-time code never arrives"
        case .codeInPicture: "a picture shows the code, a new one each time"
        case .knownDevice: "a code is asked of a device that the bank does not know; a cookie makes it known"
        case .choiceOfMethods: "the customer first chooses how to receive the code"
        case .memorableWord: "three characters of the memorable word instead of a code"
        case .pinPad: "the PIN is entered with keys that change places"
        case .push: "the customer approves sign-in in the bank's app instead of entering a code"
        case .pushUnanswered: "the approval in the bank's app never arrives"
        case .monthMissing: "the archive has no November in any year"
        case .monthOnPageThree: "the archive has three rows a page; May is on the third"
        case .renamedLink: "“Statements” is called “Post & documents”"
        case .changedLayout: "the archive is cards instead of a table, with other words"
        case .statementOnRequest: "a statement is made on request and ready a little later"
        case .pdfByForm: "a form makes the PDF for the chosen month"
        case .pdfBehindJSON: "only a JSON request returns the address of the PDF"
        case .everyKind: "each month has a PDF, data in every format and a ZIP; the savings account has gaps"
        case .yearAsZIP: "the archive offers one ZIP for each year; the savings account has gaps"
        case .dayRanges: "a form exports the bookings from one day to another as CSV"
        case .statementAsPage: "a statement is a page to print, and the bank offers no file"
        case .statementsTooOld: "a page says that documents older than a year have to be ordered at a branch"
        case .oldPortal: "an old portal in German: image buttons, a code without a label, a form in each row"
        case .webForms: "the archive is a form of ASP.NET, whose links call __doPostBack"
        case .maintenance: "every page is a maintenance page (503)"
        case .sessionExpired: "the session ends on the third page inside"
        case .sessionExpiredAtDownload: "the session ends when a document is requested"
        case .fiveDocuments: "the session ends after five documents"
        case .slowPages: "every response takes half a second"
        case .serverErrorOnce: "each page answers 500 the first time, then works"
        case .truncatedPDF: "the PDF is cut off in the middle"
        case .htmlInsteadOfPDF: "a page arrives instead of the PDF"
        case .hugePDF: "the PDF has 65 MiB"
        case .foreignRedirect: "signing in leads to the site of another company"
        case .mixedContent: "the secure archive links its PDFs over plain HTTP (with --tls)"
        case .oddEncoding: "windows-1252 pages that call themselves iso-8859-1, with non-breaking spaces"
        case .javascriptWall: "pages are empty until their script has run"
        case .jsonBank: "an app that uses JSON and has no forms"
        case .xsrfCookie: "an app whose requests repeat the cookie XSRF-TOKEN in a header, decoded"
        case .cursorList: "an app whose list comes in parts, each with the cursor of the next"
        case .jsonAccounts: "an app that lists its accounts, and whose archive asks for one and for days"
        case .singlePageApp: "one page with addresses of its own, a frame, a service worker and a list that scrolls"
        case .hostileApp: "the same, and its script tries to reach another host in every way that a page has"
        case .starling: "Starling's interface as published: a token, two accounts, a PDF and a CSV for each month"
        case .starlingEndedToken: "Starling's interface, which takes no token"
        case .starlingNarrowToken: "Starling's interface, and a token that may not read statements"
        case .starlingBusy: "Starling's interface, which answers 429 to each request first, then works"
        case .starlingMaintenance: "Starling's interface, which is closed for two hours"
        case .up: "Up's interface as published: a token, two accounts, and their bookings in pages"
        case .upEndedToken: "Up's interface, which takes no token"
        case .upBusy: "Up's interface, which answers 429 to each request first, then works"
        case .interactiveBrokers: "the Flex Web Service of Interactive Brokers: a token and a query, a report in XML"
        case .interactiveBrokersEndedToken: "the Flex Web Service, for a token that has ended"
        case .interactiveBrokersBusy: "the Flex Web Service, which was asked too often"
        case .interactiveBrokersMaintenance: "the Flex Web Service, which makes no report now"
        case .monzo: "Monzo's interface as published: OAuth 2.0, two accounts, and their bookings"
        case .monzoBusy: "Monzo's interface, which answers 429 to each request first, then works"
        case .monzoUnapproved: "Monzo's interface, for a token that was not approved in the app yet"
        case .monzoRevoked: "Monzo's interface, which takes no token"
        case .enableBanking: "Enable Banking's interface as published: a signed token, a session, and two accounts"
        case .enableBankingBusy:
            "Enable Banking's interface, which answers 429 to each request of data first, then works"
        case .enableBankingExpired: "Enable Banking's interface, whose session has expired"
        case .enableBankingUnknownKey: "Enable Banking's interface, which knows another key of the application"
        case .enableBankingUnlistedAddress:
            "Enable Banking's interface, which leads back to no address of the application"
        case .enableBankingCancelled: "Enable Banking's interface, at whose bank the customer says no"
        case .simplefin: "a SimpleFIN server: Basic authentication, two accounts, and their bookings"
        case .simplefinRevoked: "a SimpleFIN server whose access was revoked"
        case .simplefinClaimed: "a SimpleFIN server whose setup token was claimed already"
        case .simplefinReauthenticate: "a SimpleFIN server that says a connection needs attention"
        case .upEndlessPages: "Up's interface, whose second page leads back to itself"
        }
    }

    /// True for an app: an empty page, a script, and JSON.
    var isApp: Bool { [.jsonBank, .xsrfCookie, .cursorList, .jsonAccounts].contains(self) }

    /// True for an app whose addresses exist only in its script.
    var isSinglePage: Bool { self == .singlePageApp || self == .hostileApp }

    /// True for a provider's interface: JSON and files for a token, and no page.
    public var isInterface: Bool {
        isStarling || isUp || isSimpleFIN || isMonzo || isInteractiveBrokers || isEnableBanking
    }
    var isStarling: Bool { rawValue.hasPrefix("starling") }
    /// True for an interface that wants a name and a password instead of a token.
    public var isSimpleFIN: Bool { rawValue.hasPrefix("simplefin") }
    public var isInteractiveBrokers: Bool { rawValue.hasPrefix("interactive-brokers") }
    public var isEnableBanking: Bool { rawValue.hasPrefix("enable-banking") }
    public var isMonzo: Bool { rawValue.hasPrefix("monzo") }
    var isUp: Bool { self == .up || rawValue.hasPrefix("up-") }

    /// True if the customer signs in on another host of the bank.
    var signsInElsewhere: Bool { [.loginElsewhere, .samlSignIn, .formPost].contains(self) }

    /// True if the scenario works only over TLS.
    public var needsTLS: Bool { self == .mixedContent }
}
