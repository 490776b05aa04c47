import BankScript
import Clocks
import Encodings
import FileKinds
import Foundation
import Machine
import Messages

// Documents that are the answers of an interface: as the bank gave them, or their entries as transactions.

extension ScriptExecution {
    /// Takes an answer and the pages that follow it, and keeps the document that they make.
    func takeAnswers(_ arrival: Arrival, of order: Order, by request: RequestStep) async throws {
        let download = order.download
        var mapped: MappedEntries?
        if case .transactions(let mapping) = download.content {
            mapped = MappedEntries(
                try mapping.filling { try fill(Template($0)) }, path: try fill(mapping.entries))
        }
        var pages: [[UInt8]] = []
        var size = 0
        var turn = PageTurn(try download.pages?.filling { try fill(Template($0)) })
        var file = arrival.file
        while true {
            let (json, bytes) = try await answer(file, at: order.file, mayBeXML: mapped != nil)
            try? FileManager.default.removeItem(at: order.file)
            size += bytes.count
            guard size <= download.limit else {
                throw RunFailure(
                    .pdfDownloadFailed, reason: .tooLarge,
                    message:
                        "the pages of the answer have more than \(download.limit) bytes; raise the step's limit if "
                        + "that is right")
            }
            pages.append(bytes)
            do {
                try mapped?.take(json)
            } catch let fault as EntryFault {
                throw RunFailure(
                    .pdfDownloadFailed, reason: .layoutChanged,
                    message: pages.count == 1 ? fault.description : "page \(pages.count): \(fault)",
                    candidates: fault.candidates)
            }
            guard let next = try turn.next(after: json) else { break }
            file = try await self.page(next, of: order, by: request)
        }
        let checked = try document(pages, mapped, of: download)
        guard let kind = checked.kind.document else { return }
        keep(try await write(checked, as: kind))
    }

    /// Reads an answer as strict JSON, or as XML where its entries become transactions.
    private func answer(
        _ received: EngineFile, at file: URL, mayBeXML: Bool
    ) async throws -> (JSONValue, [UInt8]) {
        try await read(received, at: file, wanting: .json) { bytes throws(FileRefusal) in
            if mayBeXML, let entries = XMLEntries.json(bytes) { return (entries, bytes) }
            let checked = try FileCheck.check(bytes, as: .json)
            do throws(JSONError) {
                return (
                    try JSONReader.read(checked.bytes, limits: JSONLimits(size: max(1, bytes.count))), checked.bytes
                )
            } catch {
                throw FileRefusal.json(error)
            }
        }
    }

    /// Asks for a further page, and counts what that sends.
    private func page(_ next: PageTurn.Page, of order: Order, by request: RequestStep) async throws -> EngineFile {
        guard case .engine(.request(var made)) = order.source else {
            throw RunFailure(.navigationFailed, message: "only a request has pages; write download: { request: … }")
        }
        switch next {
        case .link(let address):
            try checkDestination(address, of: request)
            made.reference = try absolute(address)
            // The address names the page. A credential of the query is not in it.
            made.query.removeAll { !$0.value.isSecret }
        case .parameter(let name, let value):
            made.query.removeAll { $0.name == name }
            made.query.append((name, .text(value)))
        }
        let (sent, shown) = (items(of: request), headItems(of: request))
        let received = try await sending(sent) {
            try await receive(.request(made), at: order.file, limit: order.download.limit) {
                if request.method != "GET" || !sent.isEmpty { try ledger?.send(sent) }
                try ledger?.show(shown)
            }
        }
        note(answer: received.status, to: sent, showing: shown)
        return received
    }

    private func document(
        _ pages: [[UInt8]], _ mapped: MappedEntries?, of download: DownloadStep
    ) throws -> CheckedFile {
        guard let mapped else {
            let joined =
                pages.count == 1
                ? pages[0] : Array("[".utf8) + pages.joined(separator: Array(",\n".utf8)) + Array("]\n".utf8)
            return try Self.checked(joined, as: .json)
        }
        guard let first = days?.lowerBound, let last = days?.upperBound else {
            throw RunFailure(.navigationFailed, message: "transactions need a month and a year among the parameters")
        }
        // Whether an interface counts the day at each end of what it is asked for does not matter here.
        let entries = mapped.entries.filter { (first...last).contains($0.booked) }
        guard entries.contains(where: { !$0.isPending }) else {
            let pending = entries.isEmpty ? "" : "; \(entries.count) are pending"
            throw RunFailure(
                .navigationFailed, reason: .statementMissing,
                message:
                    "the answer has no booking of the days that are asked for, among \(mapped.entries.count)\(pending)")
        }
        let currencies = Set(entries.map(\.currency))
        guard let currency = currencies.first, currencies.count == 1 else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .layoutChanged,
                message:
                    "the entries have \(currencies.count) currencies: \(currencies.sorted().joined(separator: ", ")); "
                    + "an account has one")
        }
        let report = CAMTReport(
            account: try fill(mapped.mapping.account), currency: currency, from: first, to: last, entries: entries,
            made: services.clock.now.ISO8601Format())
        let text: String
        do throws(ReadingError) {
            text = try report.text()
        } catch {
            throw RunFailure(.pdfDownloadFailed, reason: .layoutChanged, message: "\(error)")
        }
        return try Self.checked(Array(text.utf8), as: .camt)
    }

    private static func checked(_ bytes: [UInt8], as kind: FileKind) throws -> CheckedFile {
        do {
            return try FileCheck.check(bytes, as: kind)
        } catch {
            throw RunFailure(error)
        }
    }

    /// The days that are asked for.
    private var days: ClosedRange<CalendarDay>? {
        guard let first = (given["from"] ?? given["first_day"]).flatMap({ CalendarDay(iso: $0) }),
            let last = (given["to"] ?? given["last_day"]).flatMap({ CalendarDay(iso: $0) }), first <= last
        else { return nil }
        return first...last
    }
}

/// The way from one page of an answer to the next.
struct PageTurn {
    enum Page: Hashable {
        case link(String)
        case parameter(String, String)
    }

    private let pages: AnswerPages?
    private var count = 1
    private var items = 0
    private var asked: Set<Page> = []

    init(_ pages: AnswerPages?) { self.pages = pages }

    /// Returns the page after this one; nil after the last.
    ///
    /// - Throws: ``RunFailure`` when there are more than the script's limit, or when a page leads back to one before.
    mutating func next(after json: JSONValue) throws -> Page? {
        guard let pages, let page = try named(by: json, pages.next) else { return nil }
        guard count < pages.limit else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .tooLarge,
                message: "the answer has more than \(pages.limit) pages, and a part of it is not delivered; raise "
                    + "“at most” under “pages”")
        }
        guard asked.insert(page).inserted else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .layoutChanged,
                message: "page \(count) of the answer leads back to one before it")
        }
        count += 1
        return page
    }

    private mutating func named(by json: JSONValue, _ next: AnswerPages.Next) throws -> Page? {
        switch next {
        case .link(let path): return try mark(path, in: json).map(Page.link)
        case .cursor(let path, let parameter): return try mark(path, in: json).map { .parameter(parameter, $0) }
        case .offset(let parameter, let path):
            let found = try JSONPath(path).values(in: json).count
            items += found
            return found == 0 ? nil : .parameter(parameter, "\(items)")
        }
    }

    private func mark(_ path: String, in json: JSONValue) throws -> String? {
        switch try JSONPath(path).values(in: json).first {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let number): JSONValue.number(number).compactText()
        case nil, .null, .bool(false): nil
        case .bool(true), .array, .object:
            throw RunFailure(
                .pdfDownloadFailed, reason: .layoutChanged,
                message: "page \(count) of the answer has no address and no mark at \(path)")
        }
    }
}
