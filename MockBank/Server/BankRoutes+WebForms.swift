import Foundation
import Hummingbird

// The archive as a form of ASP.NET: every link and list posts the whole form back, with the name of the control in
// `__EVENTTARGET`.

extension BankRoutes {
    private static let year = "ctl00$main$year"
    private static let grid = "ctl00$main$grid"

    func webForm(_ archive: BankPages.Archive) -> Response {
        page(pages.webForm(archive, state: viewState(archive.csrf, archive.year)))
    }

    private func viewState(_ csrf: String, _ year: Int) -> String {
        Data("\(csrf)|\(year)".utf8).base64EncodedString()
    }

    func postBack(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        return await signedIn(request) { session in
            guard let sent = form["__VIEWSTATE"], let data = Data(base64Encoded: sent),
                String(decoding: data, as: UTF8.self).hasPrefix(session.csrf + "|"),
                let year = form[Self.year].flatMap({ Int($0) })
            else { return page(pages.serverError(), status: .internalServerError) }
            switch form["__EVENTTARGET"] {
            case Self.grid:
                guard let argument = form["__EVENTARGUMENT"], argument.hasPrefix("Open$"),
                    let statement = statement(
                        account: Account.all[0].id, month: Month(String(argument.dropFirst("Open$".count))))
                else { return page(pages.notFound(), status: .notFound) }
                return document(statement)
            case Self.year: return webForm(archive(of: Account.all[0], year: year, session))
            default: return webForm(archive(of: Account.all[0], year: lastMonth.year, session))
            }
        }
    }

    /// The whole year on one page.
    private func archive(of account: Account, year: Int, _ session: Sessions.Session) -> BankPages.Archive {
        let years = (Self.firstYear...max(Self.firstYear, lastMonth.year)).reversed()
        let months = (1...12).map { Month(year: year, month: $0) }.filter { $0 <= lastMonth }.reversed()
        return BankPages.Archive(
            account: account, years: Array(years), year: year,
            rows: months.map { .init(month: $0, document: .link("")) }, page: 1, pageCount: 1, csrf: session.csrf)
    }

    func firstWebForm(_ session: Sessions.Session) -> Response {
        webForm(archive(of: Account.all[0], year: lastMonth.year, session))
    }
}
