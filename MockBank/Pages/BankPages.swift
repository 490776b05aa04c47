import Mustache

/// Renders the bank's pages. The templates escape every value.
struct BankPages: Sendable {
    private let library: MustacheLibrary
    /// The text of the link to the archive.
    private let statementsLink: String
    private let signInButton: String
    private let onPage: (@Sendable (String, String) -> Void)?

    init(
        statementsLink: String = "Statements", signInButton: String = "Sign in",
        onPage: (@Sendable (String, String) -> Void)? = nil
    ) {
        self.statementsLink = statementsLink
        self.signInButton = signInButton
        self.onPage = onPage
        // The templates are part of this module: a syntax error in one fails the first test.
        library = MustacheLibrary(templates: PageResources.templates.mapValues { try! MustacheTemplate(string: $0) })
    }

    /// Renders a template. Sections whose value is nil are left out.
    private func render(_ name: String, title: String, _ given: [String: Any?] = [:]) -> String {
        var values = given.compactMapValues(\.self)
        values["title"] = title
        values["style"] = PageResources.style
        values["statementsLink"] = statementsLink
        let page = library.render(values, withTemplate: name) ?? ""
        onPage?(name, page)
        return page
    }

    func welcome() -> String { render("welcome", title: "Meridian Savings") }
    func goodbye() -> String { render("goodbye", title: "Signed out") }
    func notFound() -> String { render("notFound", title: "Page not found") }
    func app() -> String { render("app", title: "Online banking") }
    func singlePage(isHostile: Bool) -> String {
        render("singlePage", title: "Online banking", ["isHostile": isHostile])
    }
    func codeFrame() -> String { render("codeFrame", title: "One-time code") }

    func login(csrf: String, error: String?) -> String {
        render("login", title: "Sign in", ["csrf": csrf, "error": error, "button": signInButton])
    }

    /// - Parameters:
    ///   - length: the maximum number of characters in the field.
    ///   - picture: the address of the picture that shows the code, if there is one.
    func code(csrf: String, length: Int, error: String?, picture: String? = nil) -> String {
        render("code", title: "One-time code", ["csrf": csrf, "length": length, "error": error, "picture": picture])
    }

    func method(csrf: String, error: String?) -> String {
        render("method", title: "How shall we send your code?", ["csrf": csrf, "error": error])
    }

    /// - Parameter places: the positions to ask for, counted from 1; the last one by a list.
    func word(places: [Int], csrf: String, error: String?) -> String {
        let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
        let fields = places.map { place -> [String: Any] in
            place == places.last
                ? ["place": place, "list": ["place": place, "letters": letters] as [String: Any]] : ["place": place]
        }
        return render("word", title: "Your memorable word", ["places": fields, "csrf": csrf, "error": error])
    }

    func pad(_ keys: [(key: String, digit: String)], entered: Int, csrf: String, error: String?) -> String {
        render(
            "pad", title: "Your PIN",
            [
                "keys": keys.map { ["key": $0.key, "digit": $0.digit] }, "entered": entered, "csrf": csrf,
                "error": error,
            ])
    }

    func portal(_ values: [String: Any?]) -> String { render("portal", title: "", values) }

    /// Renders a page that posts itself to another host.
    func handOver(to address: String, _ fields: [(String, String)]) -> String {
        render(
            "handOver", title: "One moment",
            ["address": address, "fields": fields.map { ["name": $0.0, "value": $0.1] }])
    }

    func challenge(code: String) -> String { render("challenge", title: "", ["code": code]) }

    func accounts(_ rows: [[String: String]], csrf: String) -> String {
        render("accounts", title: "Accounts", ["accounts": rows, "csrf": csrf, "signedIn": true])
    }

    // MARK: In between

    func maintenance() -> String { render("maintenance", title: "Maintenance") }
    func serverError() -> String { render("serverError", title: "Something went wrong") }
    func locked() -> String { render("locked", title: "Account locked") }
    func cookiesNeeded() -> String { render("cookiesNeeded", title: "Cookies are switched off") }
    func confirmation() -> String { render("confirmation", title: "Approve in the app") }
    func tooOld() -> String { render("tooOld", title: "Document too old", ["signedIn": true]) }

    func documentUnavailable() -> String {
        render("documentUnavailable", title: "Document not available", ["signedIn": true])
    }

    func newPassword(csrf: String, error: String?) -> String {
        render("newPassword", title: "Password expired", ["csrf": csrf, "error": error])
    }

    func terms(csrf: String, error: String?) -> String {
        render("terms", title: "New terms", ["csrf": csrf, "error": error])
    }

    func question(csrf: String, error: String?) -> String {
        render("question", title: "Security question", ["csrf": csrf, "error": error])
    }

    func offer(csrf: String) -> String { render("offer", title: "An offer for you", ["csrf": csrf]) }

    /// Renders a statement as a page to print.
    func statement(_ statement: Statement) -> String {
        render(
            "statementPage", title: "Statement \(statement.month.name)",
            [
                "signedIn": true, "month": statement.month.name, "account": statement.account.name,
                "number": statement.account.number, "opening": money(statement.opening),
                "closing": money(statement.closing),
                "entries": statement.transactions.map { entry in
                    [
                        "day": "\(entry.day)", "text": entry.text, "amount": money(entry.amount),
                        "balance": money(entry.balance),
                    ]
                },
            ])
    }

    // MARK: The archive

    struct Archive {
        struct Row {
            /// The content of a row's document column.
            enum Document {
                case link(String)
                /// A button that requests the document.
                case order(String)
                case underway
                /// A button whose script requests the document's address.
                case byScript(String)
                /// A link to a page to print.
                case page(String)
                /// Nothing: the document is in the archive of the year.
                case inWholeYear
            }

            let month: Month
            let document: Document
            /// The names and addresses of other files of the month.
            var files: [(name: String, link: String)] = []
        }

        let account: Account
        let years: [Int]
        let year: Int
        let rows: [Row]
        let page: Int
        let pageCount: Int
        let csrf: String
        /// A form exports a range of days.
        var isExporting = false
        /// The address of an archive of the year's documents.
        var wholeYear: String?

        fileprivate func address(page: Int) -> String {
            "/statements?account=\(account.id)&year=\(year)&page=\(page)"
        }
    }

    func statements(_ archive: Archive) -> String { render("statements", title: "Statements", values(of: archive)) }

    func cards(_ archive: Archive) -> String { render("cards", title: "Your documents", values(of: archive)) }

    /// Renders the archive as a form that creates one statement.
    func maker(_ archive: Archive) -> String {
        var values = values(of: archive)
        values["names"] = Month.names.enumerated().map { ["number": $0 + 1, "name": $1] as [String: Any] }
        return render("maker", title: "Make a statement", values)
    }

    /// Renders the archive as a form that posts itself back.
    func webForm(_ archive: Archive, state: String) -> String {
        var values = values(of: archive)
        values["state"] = state
        return render("webForm", title: "Statements", values)
    }

    private func values(of archive: Archive) -> [String: Any?] {
        [
            "accounts": Account.all.map {
                ["id": $0.id, "name": $0.name, "selected": $0 == archive.account] as [String: Any]
            },
            "years": archive.years.map { ["year": $0, "selected": $0 == archive.year] as [String: Any] },
            "account": archive.account.name,
            "accountID": archive.account.id,
            "year": archive.year,
            "months": archive.rows.map { values(of: $0, in: archive) },
            "page": archive.page,
            "pageCount": archive.pageCount,
            "previous": archive.page > 1 ? archive.address(page: archive.page - 1) : nil,
            "next": archive.page < archive.pageCount ? archive.address(page: archive.page + 1) : nil,
            "needsScript": archive.rows.contains { if case .byScript = $0.document { true } else { false } },
            "csrf": archive.csrf,
            "wholeYear": archive.wholeYear,
            "export": archive.isExporting ? archive.account.id : nil,
            "signedIn": true,
        ]
    }

    private func values(of row: Archive.Row, in archive: Archive) -> [String: Any] {
        var values: [String: Any] = [
            "name": row.month.name, "id": "\(row.month)", "days": "1–\(row.month.days)",
            "short": "\(Month.names[row.month.month - 1].prefix(3)) \(row.month.year)",
        ]
        values["files"] = row.files.map { ["file": $0.name, "address": $0.link] as [String: Any] }
        switch row.document {
        case .link(let path): values["link"] = path
        case .order(let path):
            values["order"] = ["path": path, "csrf": archive.csrf, "back": archive.address(page: archive.page)]
        case .underway: values["underway"] = true
        case .inWholeYear: break
        case .page(let path): values["shown"] = path
        case .byScript: values["document"] = "\(archive.account.id)/\(row.month)"
        }
        return values
    }
}
