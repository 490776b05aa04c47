import Foundation
import Hummingbird
import Synchronization

/// The Flex Web Service of Interactive Brokers, version 3, as far as cash transactions need it.
///
/// Source: “Configure Flex Web Service”, https://www.ibkrguides.com/brokerportal/performanceandstatements/flex3.htm, and its list of error
/// codes, read on 28 November 2026; the pages have no date: a request with a token and a query in its address, which may name other days;
/// a reference code; the report for that code; and errors with status 200. A report has what was booked in its days (`reportDate`), also a correction whose
/// money counts from a day long before (`settleDate`), as in https://github.com/redstreet/beancount_reds_importers/issues/147 of 22 May
/// 2025. Three things are the fake's own: the first question for a report is answered with 1019; a report has cash transactions alone,
/// with their days as `yyyy-MM-dd`; and the first of each month is such a correction.
final class InteractiveBrokersRoutes: Sendable {
    private struct State {
        /// The days of each report, by its reference code.
        var reports: [String: (from: String, to: String)] = [:]
        var asked: Set<String> = []
        /// The times of the requests of the latest minute.
        var requests: [Date] = []

        /// Counts a request, and returns whether there was room for it.
        mutating func hasRoom(at now: Date) -> Bool {
            requests.removeAll { now.timeIntervalSince($0) >= 60 }
            requests.append(now)
            return requests.count <= InteractiveBrokersRoutes.requestsPerMinute
                && requests.dropLast().allSatisfy { now.timeIntervalSince($0) >= 1 }
        }
    }

    private let configuration: MockBankConfiguration
    private let state = Mutex(State())

    static let queryID = "991407"
    /// As the list of error codes has it: “Limited to one request per second, 10 requests per minute (per token)”.
    private static let requestsPerMinute = 10
    private static let folder = "/AccountManagement/FlexWebService"

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("\(Self.folder)/SendRequest") { request, _ in self.send(request) }
        router.get("\(Self.folder)/GetStatement") { request, _ in self.report(request) }
        router.get("/**") { _, _ in Response(status: .notFound) }
    }

    /// Returns the refusal of a request; nil for one that counts.
    private func refusal(of request: Request) -> Response? {
        guard request.headers[.userAgent] != nil else {
            return error(1020, "Invalid request or unable to validate request.")
        }
        let query = request.uri.queryParameters
        guard query.get("v") == "3" else { return error(1020, "Invalid request or unable to validate request.") }
        switch configuration.scenario {
        case .interactiveBrokersEndedToken: return error(1012, "Token has expired.")
        case .interactiveBrokersBusy: return tooMany
        case .interactiveBrokersMaintenance:
            return error(1009, "The server is under heavy load. Please try again shortly.")
        default:
            guard query.get("t") == configuration.token else { return error(1015, "Token is invalid.") }
            guard let now = configuration.countingClock?() else { return nil }
            return state.withLock { $0.hasRoom(at: now) } ? nil : tooMany
        }
    }

    private var tooMany: Response {
        error(1018, "Too many requests have been made from this token. Please try again shortly.")
    }

    private func send(_ request: Request) -> Response {
        if let refusal = refusal(of: request) { return refusal }
        let query = request.uri.queryParameters
        guard query.get("q") == Self.queryID else { return error(1014, "Query is invalid.") }
        guard let from = query.get("fd").flatMap({ Self.day(String($0)) }),
            let to = query.get("td").flatMap({ Self.day(String($0)) }),
            from <= to
        else { return error(1020, "Invalid request or unable to validate request.") }
        let reference = state.withLock { state in
            let reference = "\(1_234_567_890 + state.reports.count)"
            state.reports[reference] = (from, to)
            return reference
        }
        let address = "https://\(request.head.authority ?? "")\(Self.folder)/GetStatement"
        return xml(
            "<FlexStatementResponse timestamp='28 November, 2026 10:37 AM EST'><Status>Success</Status>"
                + "<ReferenceCode>\(reference)</ReferenceCode><Url>\(address)</Url></FlexStatementResponse>")
    }

    private func report(_ request: Request) -> Response {
        if let refusal = refusal(of: request) { return refusal }
        let reference = request.uri.queryParameters.get("q").map { String($0) } ?? ""
        let (days, isFirst) = state.withLock { ($0.reports[reference], $0.asked.insert(reference).inserted) }
        guard let days else { return error(1017, "Reference code is invalid.") }
        guard !isFirst else {
            return error(1019, "Statement generation in progress. Please try again shortly.", "Warn")
        }
        let rows = entries(from: days.from, to: days.to).joined()
        return xml(
            "<FlexQueryResponse queryName=\"Countersign\" type=\"AF\"><FlexStatements count=\"1\">"
                + "<FlexStatement accountId=\"U0000001\" fromDate=\"\(days.from)\" toDate=\"\(days.to)\">"
                + "<CashTransactions>\(rows)</CashTransactions></FlexStatement></FlexStatements></FlexQueryResponse>")
    }

    private func entries(from first: String, to last: String) -> [String] {
        let end = Month(of: configuration.today).previous
        var rows: [String] = []
        for year in BankRoutes.firstYear...max(BankRoutes.firstYear, end.year) {
            for number in 1...12 where Month(year: year, month: number) <= end {
                let month = Month(year: year, month: number)
                for (index, entry) in Statement(account: Account.all[0], month: month).transactions.enumerated() {
                    let day = "\(month)-\(entry.day < 10 ? "0" : "")\(entry.day)"
                    guard first <= day, day <= last else { continue }
                    let settled = index == 0 ? "\(Month(year: year - 1, month: number))-01" : day
                    let text = entry.text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
                    rows.append(
                        "<CashTransaction accountId=\"U0000001\" currency=\"USD\" reportDate=\"\(day)\" settleDate=\"\(settled)\" "
                            + "type=\"\(entry.amount < 0 ? "Other Fees" : "Deposits/Withdrawals")\" "
                            + "amount=\"\(UpRoutes.plain(entry.amount))\" "
                            + "transactionID=\"\(year)\(number)\(index)\" description=\"\(text)\" />")
                }
            }
        }
        return rows
    }

    /// Returns `2025-11-30` for `20251130`.
    private static func day(_ text: String) -> String? {
        guard text.count == 8, text.allSatisfy(\.isNumber) else { return nil }
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    }

    private func error(_ code: Int, _ words: String, _ status: String = "Fail") -> Response {
        xml(
            "<FlexStatementResponse timestamp='28 November, 2026 10:37 AM EST'><Status>\(status)</Status>"
                + "<ErrorCode>\(code)</ErrorCode><ErrorMessage>\(words)</ErrorMessage></FlexStatementResponse>")
    }

    private func xml(_ text: String) -> Response {
        Response(bytes: Array(text.utf8), type: "text/xml;charset=UTF-8")
    }
}
