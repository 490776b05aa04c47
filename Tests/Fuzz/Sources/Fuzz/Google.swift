import CurlClient
import Foundation

@testable import AssistantJobs
@testable import AssistantProcesses
@testable import Clocks
@testable import Encodings
@testable import Secrets

private let start = Date(timeIntervalSince1970: 1_780_000_000)

/// Answers every request with the same bytes.
private struct SameAnswer: HTTPTransport {
    let body: [UInt8]

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            head: HTTPResponseHead(
                status: 200, url: request.url, version: "1.1", headers: [],
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero), reusedConnection: false),
            body: body)
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        throw CancellationError()
    }

    func cookies() async -> [HTTPCookie] { [] }
    func close() async {}
}

private let token = Secret("an access token that the fuzzer has made up")

/// Reads an answer of Google's mail and calendar as the answer to every question.
func fuzzGoogleAnswer(_ input: [UInt8]) {
    let api = GoogleAPI(token: token, over: SameAnswer(body: input), tries: 1)
    waiting {
        await checkMail(MailClient(api))
        await checkCalendar(CalendarClient(api))
    }
}

private func checkMail(_ client: MailClient) async {
    if let changes = try? await client.changes(since: "1") {
        promise(Set(changes.messages.map(\.id)).count == changes.messages.count, "a message comes once")
    }
    let ids = (try? await client.messageIDs(labelled: "INBOX", since: start, atMost: 5)) ?? []
    promise(ids.count <= 5, "a limit counts")
    guard let headers = try? await client.headers(of: "a1") else { return }
    let wanted = Set(MailHeaders.names.map { $0.lowercased() })
    promise(headers.values.keys.allSatisfy(wanted.contains), "nothing is read that was not asked for")
    checkRules(
        ReceivedMail(
            from: headers.from, subject: headers.subject, receivedAt: headers.receivedAt, labels: headers.labels,
            headers: headers.values))
}

private func checkCalendar(_ client: CalendarClient) async {
    let calendars = (try? await client.calendars()) ?? []
    promise(calendars.count <= 10, "ten calendars are read at most")
    guard let changes = try? await client.changes(since: nil, from: start, to: start + 86_400) else { return }
    for event in changes.events {
        promise(!event.meetingID.isEmpty || event.id.isEmpty, "a meeting has a name")
        for time in [event.start, event.end].compactMap(\.self) {
            promise(Timestamp(Timestamp(time).description)?.date == time, "a time is written and read: \(time)")
        }
    }
}

/// Reads a message's headers: the sender in the first line, the subject in the second, further ones as `Name: value`.
func fuzzMail(_ input: [UInt8]) {
    let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .prefix(16).map(String.init)
    var headers: [String: String] = [:]
    for line in lines.dropFirst(2) {
        let halves = line.split(separator: ":", maxSplits: 1)
        if halves.count == 2 { headers[halves[0].lowercased()] = String(halves[1]) }
    }
    for line in lines { checkText(line) }
    checkRules(
        ReceivedMail(
            from: lines[0], subject: lines.count > 1 ? lines[1] : "", receivedAt: start, headers: headers))
}

private func checkText(_ text: String) {
    for limit in [1, 20, 200] {
        let cleaned = ShownText.cleaned(text, limit: limit)
        promise(cleaned.count <= limit, "a text keeps to its limit")
        promise(
            !cleaned.unicodeScalars.contains {
                // It joins emoji, and is dropped elsewhere.
                $0 != "\u{200D}" && [.control, .format, .privateUse].contains($0.properties.generalCategory)
            },
            "nothing hides in it")
        promise(
            ShownText.cleaned(cleaned, limit: limit).unicodeScalars.elementsEqual(cleaned.unicodeScalars),
            "a cleaned text stays as it is: \(cleaned.debugDescription)")
    }
    if let address = MailAddress(text) {
        promise(MailAddress(address.description) == address, "an address is read as it is written: \(address)")
        promise(address.description.count { $0 == "@" } == 1, "and has one domain")
        promise(!address.description.contains { $0.isWhitespace || $0.isNewline }, "and no space")
    }
    promise(MailAddress.list(text).count <= 200, "a header has so many addresses at most")
}

private func checkRules(_ mail: ReceivedMail) {
    promise(
        Timestamp(Timestamp(mail.receivedAt).description) != nil, "the time of a message is written and read")
    let rules = UrgentMailRules()
    let acquaintances = [
        MailAcquaintance(), MailAcquaintance(isWrittenTo: true), MailAcquaintance(isInOwnThread: true),
        MailAcquaintance(isWrittenTo: true, isInOwnThread: true),
    ]
    for acquaintance in acquaintances {
        let verdict = rules.verdict(on: mail, acquaintance)
        var marked = acquaintance
        marked.isMarked = true
        promise(!verdict.isUrgent || rules.verdict(on: mail, marked).isUrgent, "a mark makes no mail less urgent")
        promise(!verdict.isUrgent || !mail.isBulk, "bulk mail is not urgent by itself")
        promise(!mail.isForged || !verdict.rules.contains(.correspondents), "a forged sender is a stranger")
    }
    guard let statement = StatementMail(mail) else { return }
    let received = MonthYear.current(at: mail.receivedAt, in: .gmt)
    promise(statement.month <= received, "no statement comes before its month ends")
}
