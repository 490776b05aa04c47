import Foundation
import Hummingbird

// The overview, the archive and its documents.

extension BankRoutes {
    /// The number of requests until an ordered statement is ready.
    static let looksUntilReady = 2

    private var rowsPerPage: Int { scenario == .monthOnPageThree ? 3 : 5 }

    func accounts(_ session: Sessions.Session) -> String {
        let rows = Account.all.map { account in
            [
                "name": account.name, "number": account.number,
                "balance": money(account.balance(endOf: lastMonth)),
            ]
        }
        return pages.accounts(rows, csrf: session.csrf)
    }

    func archivePage(_ request: Request) async -> Response {
        if scenario == .statementOnRequest, let token = token(of: request) { await sessions.look(token) }
        if scenario == .webForms { return await signedIn(request) { firstWebForm($0) } }
        return await signedIn(request) { archive(request, $0) }
    }

    private func archive(_ request: Request, _ session: Sessions.Session) -> Response {
        let query = request.uri.queryParameters
        let account = Account.all.first { $0.id == query.get("account") } ?? Account.all[0]
        let years = (Self.firstYear...max(Self.firstYear, lastMonth.year)).reversed()
        let year = query.get("year").flatMap { Int($0) }.flatMap { years.contains($0) ? $0 : nil } ?? lastMonth.year
        let months = (1...12).map { Month(year: year, month: $0) }.filter { $0 <= lastMonth && has($0, account) }
            .reversed()
        let pageCount = max(1, (months.count + rowsPerPage - 1) / rowsPerPage)
        let number = min(max(1, query.get("page").flatMap { Int($0) } ?? 1), pageCount)
        let shown = months.dropFirst((number - 1) * rowsPerPage).prefix(rowsPerPage)
        let archive = BankPages.Archive(
            account: account, years: Array(years), year: year,
            rows: shown.map { row($0, of: account, session, at: request) },
            page: number, pageCount: pageCount, csrf: session.csrf,
            isExporting: scenario == .dayRanges,
            wholeYear: scenario == .yearAsZIP ? "/statements/\(account.id)/\(year)" : nil)
        return switch scenario {
        case .changedLayout: page(pages.cards(archive))
        case .pdfByForm: page(pages.maker(archive))
        default: page(pages.statements(archive))
        }
    }

    /// Answers with the statement that was chosen in the form.
    func made(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        return await signedIn(request) { session in
            guard form["_csrf"] == session.csrf, form["format"] == "pdf", let year = form["year"].flatMap({ Int($0) }),
                let month = form["month"].flatMap({ Int($0) }), (1...12).contains(month),
                let statement = statement(account: form["account"], month: Month(year: year, month: month))
            else { return page(pages.notFound(), status: .notFound) }
            return document(statement)
        }
    }

    private func has(_ month: Month, _ account: Account) -> Bool {
        switch scenario {
        case .monthMissing: month.month != 11
        case .everyKind, .yearAsZIP: account.id != "savings" || month.month % 6 != 4
        default: true
        }
    }

    /// True for a document that the bank has put away.
    private func isTooOld(_ month: Month) -> Bool {
        scenario == .statementsTooOld
            && (lastMonth.year - month.year) * 12 + lastMonth.month - month.month >= Self.monthsOnline
    }

    /// The number of months that ``Scenario/statementsTooOld`` serves.
    static let monthsOnline = 12

    private func row(
        _ month: Month, of account: Account, _ session: Sessions.Session, at request: Request
    ) -> BankPages.Archive.Row {
        let path = "/statements/\(account.id)/\(month)"
        let document: BankPages.Archive.Row.Document =
            switch scenario {
            case .statementOnRequest:
                switch session.orders[path] {
                case nil: .order(path + "/order")
                case let looks? where looks < Self.looksUntilReady: .underway
                default: .link(path)
                }
            case .pdfBehindJSON: .byScript(path)
            case .statementAsPage: .page(path)
            case .yearAsZIP: .inWholeYear
            case .mixedContent: .link("http://\(request.head.authority ?? "localhost")\(path)")
            default: .link(path)
            }
        let formats = scenario == .everyKind ? DocumentFormat.all.filter { $0.name != "pdf" } : []
        return .init(
            month: month, document: document,
            files: formats.map { ($0.label, "\(path)?as=\($0.name)") })
    }

    func order(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token), session.stage == .signedIn,
            form["_csrf"] == session.csrf
        else { return redirect("/login") }
        guard let statement = statement(context) else { return page(pages.notFound(), status: .notFound) }
        await sessions.order("/statements/\(statement.account.id)/\(statement.month)", by: token)
        return redirect(form["back"].flatMap { $0.hasPrefix("/statements?") ? $0 : nil } ?? "/statements")
    }

    /// Answers with the documents of a year in one archive, beside a note.
    private func wholeYear(_ context: BasicRequestContext) -> Response? {
        guard scenario == .yearAsZIP,
            let account = Account.all.first(where: { $0.id == context.parameters.get("account") }),
            let year = context.parameters.get("month").flatMap({ Int($0) }), year >= Self.firstYear
        else { return nil }
        let months = (1...12).map { Month(year: year, month: $0) }.filter { $0 <= lastMonth && has($0, account) }
        var response = Response(
            bytes: Statement.archive(of: months.map { Statement(account: account, month: $0) }, year: year),
            type: DocumentFormat.zip.mediaType)
        response.headers[.contentDisposition] = "attachment; filename=\"meridian-\(account.id)-\(year).zip\""
        return response
    }

    /// Answers with the bookings of an account from one day to another day of the same month, such as `from=15/01/2026`.
    func export(_ request: Request) -> Response {
        let query = request.uri.queryParameters
        guard scenario == .dayRanges, let from = query.get("from").flatMap(Self.monthAndDay),
            let to = query.get("to").flatMap(Self.monthAndDay), from.month == to.month, from.day <= to.day,
            let statement = statement(account: query.get("account"), month: from.month)
        else { return page(pages.notFound(), status: .notFound) }
        var response = Response(
            bytes: statement.during(from.day...to.day).file(.csv), type: DocumentFormat.csv.mediaType)
        response.headers[.contentDisposition] = "attachment; filename=\"\(statement.fileStem).csv\""
        return response
    }

    private static func monthAndDay(_ text: String) -> (month: Month, day: Int)? {
        let parts = text.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return nil }
        let month = Month(year: parts[2], month: parts[1])
        return (1...month.days).contains(parts[0]) ? (month, parts[0]) : nil
    }

    func document(_ request: Request, _ context: BasicRequestContext) -> Response {
        if let year = wholeYear(context) { return year }
        guard let statement = statement(context) else { return page(pages.notFound(), status: .notFound) }
        if isTooOld(statement.month) { return page(pages.tooOld()) }
        guard let name = request.uri.queryParameters.get("as") else { return document(statement) }
        guard scenario == .everyKind, let format = DocumentFormat.named(name) else {
            return page(pages.notFound(), status: .notFound)
        }
        var response = Response(bytes: statement.file(format), type: format.mediaType)
        response.headers[.contentDisposition] =
            "attachment; filename=\"\(statement.fileStem).\(format.fileEnding)\""
        return response
    }

    func document(_ statement: Statement) -> Response {
        let bytes: [UInt8]
        switch scenario {
        case .htmlInsteadOfPDF: return page(pages.documentUnavailable())
        case .statementAsPage: return page(pages.statement(statement))
        case .truncatedPDF: bytes = Array(statement.pdf().prefix(1500))
        case .hugePDF: bytes = statement.pdf(padding: 65 << 20)
        default: bytes = statement.pdf()
        }
        var response = Response(bytes: bytes, type: "application/pdf")
        response.headers[.contentDisposition] = "attachment; filename=\"\(statement.fileName)\""
        return response
    }

    func statement(_ context: BasicRequestContext) -> Statement? {
        guard let account = context.parameters.get("account"), let month = context.parameters.get("month") else {
            return nil
        }
        return statement(account: String(account), month: Month(String(month)))
    }

    func statement(account id: String?, month: Month?) -> Statement? {
        guard let account = Account.all.first(where: { $0.id == id }), let month, month <= lastMonth,
            month.year >= Self.firstYear, has(month, account)
        else { return nil }
        return Statement(account: account, month: month)
    }
}
