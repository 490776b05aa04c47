import Mustache

/// The bank's pages, rendered; every value is escaped by the templates.
struct BankPages: Sendable {
    private let library: MustacheLibrary

    init() {
        // The templates are this module's own; one that does not parse is a bug that the first test finds.
        let templates = PageTemplates.all.mapValues { try! MustacheTemplate(string: $0) }
        library = MustacheLibrary(templates: templates)
    }

    /// A value that is nil is left out: its section is not rendered.
    private func render(_ name: String, title: String, _ given: [String: Any?] = [:]) -> String {
        var values = given.compactMapValues(\.self)
        values["title"] = title
        values["style"] = PageTemplates.style
        return library.render(values, withTemplate: name) ?? ""
    }

    func welcome() -> String { render("welcome", title: "Meridian Savings") }
    func goodbye() -> String { render("goodbye", title: "Signed out") }
    func notFound() -> String { render("notFound", title: "Page not found") }

    func login(csrf: String, error: String?) -> String {
        render("login", title: "Sign in", ["csrf": csrf, "error": error])
    }

    func code(csrf: String, error: String?) -> String {
        render("code", title: "One-time code", ["csrf": csrf, "error": error])
    }

    func accounts(_ rows: [[String: String]], csrf: String) -> String {
        render("accounts", title: "Accounts", ["accounts": rows, "csrf": csrf, "signedIn": true])
    }

    struct Archive {
        let account: Account
        let years: [Int]
        let year: Int
        let months: [Month]
        let page: Int
        let pageCount: Int
        let csrf: String
    }

    func statements(_ archive: Archive) -> String {
        let address = "/statements?account=\(archive.account.id)&year=\(archive.year)&page="
        return render(
            "statements", title: "Statements",
            [
                "accounts": Account.all.map {
                    ["id": $0.id, "name": $0.name, "selected": $0 == archive.account] as [String: Any]
                },
                "years": archive.years.map { ["year": $0, "selected": $0 == archive.year] as [String: Any] },
                "account": archive.account.name,
                "year": archive.year,
                "months": archive.months.map {
                    ["name": $0.name, "link": "/statements/\(archive.account.id)/\($0)", "days": "1–\($0.days)"]
                },
                "page": archive.page,
                "pageCount": archive.pageCount,
                "previous": archive.page > 1 ? address + String(archive.page - 1) : nil,
                "next": archive.page < archive.pageCount ? address + String(archive.page + 1) : nil,
                "csrf": archive.csrf,
                "signedIn": true,
            ])
    }
}
