import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Selectors
import WebURL

extension ScriptDraft {
    /// Drafts a script from the recording of a visit that ends with a statement.
    ///
    /// Requests are matched to forms, a password field becomes a credential, clicks become links by name, the PDF becomes
    /// the download, and its month and year become parameters everywhere.
    ///
    /// - Throws: ``DraftError`` when the recording holds no page.
    public init(recording archive: HTTPArchive) throws(DraftError) {
        var draft = RecordingDraft(archive)
        self = try draft.make()
    }
}

/// Reads a recording visit by visit, and finds the steps that lead to each.
struct RecordingDraft {
    /// A page of the recording, with the number of steps that lead to it.
    private struct Reached {
        let visit: RecordedVisit
        let document: Document
        let outline: PageOutline
        let steps: Int
        var frames: [RecordedFrame] = []

        /// Returns whether the page itself led to the next visit, by a refresh that a run follows too.
        func refreshes(to next: RecordedVisit) -> Bool {
            guard next.request.method == "GET",
                let target = document.refreshTarget(
                    orBy: visit.landed.header("refresh"), within: Refresh.longestFollowed)
            else { return false }
            return RecordingDraft.key(target) == RecordingDraft.key(next.url)
        }
    }

    private let archive: HTTPArchive
    private let privacy: DraftPrivacy
    private let visits: [RecordedVisit]
    /// The document that a page's own script fetched, when no visit ends with one.
    private let fetched: Exchange?
    /// The JSON exchanges that the pages' own scripts made, one line each.
    private let jsonRequests: [String]
    private let locale: String
    private var reached: [Reached] = []
    /// The visits without those to frames in which the person did nothing.
    private var taken: [RecordedVisit] = []
    private(set) var drafted: [DraftedStep] = []
    private var hasDownload = false
    private var period: RecordedMonth?
    private var finally: [Step] = []
    /// The questions about requests, and what the steps leave out.
    private var about: [String] = []

    init(_ archive: HTTPArchive) {
        self.archive = archive
        privacy = DraftPrivacy(archive)
        visits = RecordedVisit.all(in: archive.navigationsAndFrames)
        fetched = visits.contains(where: \.landed.isPDF) ? nil : archive.exchanges.last(where: \.isPDF)
        jsonRequests = Self.jsonRequests(in: archive.exchanges)
        let language = visits.lazy.filter { !$0.request.isForFrame }.compactMap {
            $0.document?.root?[attribute: "lang"]
        }.first { !$0.isEmpty }
        locale =
            language.map { $0.replacing("_", with: "-") }
            ?? MonthNames.language(of: visits.lazy.compactMap { $0.document?.root?.text }) ?? "en"
    }

    mutating func make() throws(DraftError) -> ScriptDraft {
        guard let first = visits.first(where: { $0.document != nil && !$0.request.isForFrame }) else {
            throw DraftError(
                message: "the recording has no page with its text; save it again with “Save all as HAR with content”")
        }
        if let draft = try byRequests(first) { return draft }
        for visit in visits {
            if let fetched, !hasDownload, visit.request.startedAt > fetched.startedAt { take(fetched) }
            if !hasDownload, isFrame(visit) { continue }
            if hasDownload, visit.request.isForFrame { continue }
            taken.append(visit)
            if hasDownload { notice(afterDownload: visit) } else { take(visit) }
            if let document = visit.document {
                let outline = PageOutline(document)
                reached.append(Reached(visit: visit, document: document, outline: outline, steps: drafted.count))
            }
        }
        if let fetched, !hasDownload { take(fetched) }
        if finally.isEmpty { offerSignOut() }
        return try finished(from: first)
    }

    /// Drafts the requests of an app; nil for a bank of pages.
    private mutating func byRequests(_ first: RecordedVisit) throws(DraftError) -> ScriptDraft? {
        guard let home = ScriptOrigins.one(of: first.url),
            var requests = RequestDraft(archive, home: home, locale: locale)
        else { return nil }
        let made = requests.make()
        drafted = made.steps
        finally = made.finally
        period = requests.period
        hasDownload = true
        taken = [first]
        if let document = first.document {
            reached = [Reached(visit: first, document: document, outline: PageOutline(document), steps: 0)]
        }
        return try draft(first, drafted, asking: requests.remarks)
    }

    private static func jsonRequests(in exchanges: [Exchange]) -> [String] {
        var lines: [String] = []
        for exchange in exchanges where exchange.mediaType?.hasSuffix("json") == true {
            let names = RecordedRequest(exchange).fieldNames
            let path = Mask().url(exchange.url.withoutQuery)
            let line = "\(exchange.method) \(path)" + (names.isEmpty ? "" : " with \(names.joined(separator: ", "))")
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    // MARK: Frames

    /// Returns whether the visit needs no step: it is the first page of a frame, or it belongs to a frame in which the
    /// person did nothing and to which no other frame leads.
    private mutating func isFrame(_ visit: RecordedVisit) -> Bool {
        guard let page = reached.last else { return visit.request.isForFrame }
        let around = [(route: [Locator](), document: page.document)] + page.frames.map { ($0.route, $0.document) }
        if visit.request.method == "GET", visit.request.requestHeader("sec-fetch-dest")?.lowercased() != "document" {
            for (route, document) in around {
                guard let locator = RecordedFrame.locator(of: visit, in: document) else { continue }
                if let frame = RecordedFrame(visit, route: route + [locator]) {
                    reached[reached.count - 1].frames.append(frame)
                }
                return true
            }
        }
        guard visit.request.isForFrame else { return false }
        return !explains(page.document, page.outline, visit)
            && !page.frames.contains { explains($0.document, $0.outline, visit) }
    }

    /// Enters the frame that leads to the visit, when the outer page does not.
    private mutating func enterFrame(for visit: RecordedVisit) {
        guard let page = reached.last, !explains(page.document, page.outline, visit),
            let frame = page.frames.last(where: { explains($0.document, $0.outline, visit) })
        else { return }
        drafted += frame.route.map { DraftedStep(.enter($0)) }
        taken.append(frame.visit)
        reached.append(
            Reached(
                visit: frame.visit, document: frame.document, outline: frame.outline, steps: drafted.count,
                frames: page.frames.compactMap { $0.inside(frame) }))
    }

    // MARK: One visit

    private mutating func take(_ visit: RecordedVisit) {
        if let page = reached.last, !visit.landed.isPDF, page.refreshes(to: visit) { return }
        enterFrame(for: visit)
        comeBack(for: visit)
        guard let page = reached.last else {
            drafted.append(DraftedStep(.open(Template(path(of: visit.url)))))
            return
        }
        if visit.landed.isPDF { return takeDocument(visit, from: page) }
        if isRepeated(visit, on: page) { return }
        let reading = FormReading(document: page.document, outline: page.outline)
        if let steps = reading.steps(for: visit) {
            drafted += steps
        } else if visit.request.method == "GET", let link = link(to: visit, on: page) {
            drafted.append(DraftedStep(.follow(link.locator), link.isNext ? .turnsPage : .plain))
        } else if visit.request.method == "GET" {
            drafted.append(
                DraftedStep(
                    .open(Template(path(of: visit.url))),
                    remarks: [
                        DraftQuestion.mark + "How does a person get here? No link on the previous page leads here."
                    ]))
        } else {
            let names = visit.sent.names.joined(separator: ", ")
            drafted.append(
                DraftedStep(
                    .open(Template(path(of: visit.url))),
                    remarks: [
                        DraftQuestion.mark
                            + "What sent this \(visit.request.method) with \(names)? No form on the previous page explains it."
                    ]))
        }
    }

    /// Drops the steps since an earlier page, when the person went back to it.
    private mutating func comeBack(for visit: RecordedVisit) {
        guard let last = reached.last, !isRepeated(visit, on: last), !explains(last.document, last.outline, visit)
        else {
            return
        }
        let from = visit.request.requestHeader("referer").map(Self.key)
        let index = reached.lastIndex {
            explains($0.document, $0.outline, visit) && (from == nil || from == Self.key($0.visit.landed.url))
        }
        guard let index, !drafted[reached[index].steps...].contains(where: \.changesSession) else { return }
        drafted.removeSubrange(reached[index].steps...)
        reached.removeSubrange((index + 1)...)
    }

    /// Returns whether a link or a form of the page leads to the visit.
    private func explains(_ document: Document, _ outline: PageOutline, _ visit: RecordedVisit) -> Bool {
        let reading = FormReading(document: document, outline: outline)
        return reading.form(for: visit) != nil
            || visit.request.method == "GET" && outline.links.contains { Self.key($0.url) == Self.key(visit.url) }
    }

    fileprivate static func key(_ url: String) -> RecordedRequest {
        RecordedRequest(method: "GET", url: url, body: nil, contentType: nil)
    }

    /// Returns whether the visit reloads the page, or loads a frame of it.
    private func isRepeated(_ visit: RecordedVisit, on page: Reached) -> Bool {
        guard visit.request.method == "GET" else { return false }
        if Self.key(visit.url) == Self.key(page.visit.landed.url) { return true }
        return RecordedFrame.element(of: visit, in: page.document) != nil
    }

    private func link(to visit: RecordedVisit, on page: Reached) -> (locator: Locator, isNext: Bool)? {
        let exact = page.outline.links.filter { $0.url == visit.url }
        let alike = page.outline.links.filter { Self.key($0.url) == Self.key(visit.url) }
        let naming = ElementNaming(document: page.document)
        for link in exact.isEmpty ? alike : exact {
            guard let locator = naming.link(link.element) else { continue }
            let isNext = link.element[attribute: "rel"] == "next" || BankingWords.isNext(link.label)
            return (locator, isNext)
        }
        return nil
    }

    // MARK: The document

    private mutating func takeDocument(_ visit: RecordedVisit, from page: Reached) {
        hasDownload = true
        let reading = DocumentReading(
            document: page.document, outline: page.outline, locale: locale, next: nextLink)
        let found = reading.steps(for: visit, path: path(of: visit.url))
        period = found.period
        // The search step turns the pages that the person turned by hand.
        if found.searches {
            while drafted.last?.kind == .turnsPage { drafted.removeLast() }
        }
        drafted += found.steps
    }

    /// Takes the requests by which the page's script fetched the document.
    private mutating func take(_ document: Exchange) {
        guard let page = reached.last, let home = visits.first.flatMap({ ScriptOrigins.one(of: $0.url) }) else {
            return
        }
        var requests = RequestDraft(archive, on: page.visit.landed, to: document, home: home, locale: locale)
        drafted += requests.make(onOpenPage: true).steps
        period = requests.period
        about = requests.remarks
        hasDownload = true
    }

    /// The link to the next page, on any page of the recording.
    private var nextLink: Locator? {
        for page in reached.reversed() {
            let found = page.outline.links.first {
                $0.element[attribute: "rel"] == "next" || BankingWords.isNext($0.label)
            }
            if let label = found?.label, !label.isEmpty { return .control(.name(label)) }
        }
        return nil
    }

    /// Takes the sign-out from a visit after the download. A script needs no other visits there.
    private mutating func notice(afterDownload visit: RecordedVisit) {
        guard finally.isEmpty, let page = reached.last else { return }
        let reading = FormReading(document: page.document, outline: page.outline)
        if let form = reading.form(for: visit), let button = reading.button(of: form, for: visit),
            BankingWords.isSignOut(button.label), let locator = reading.naming.button(button.element)
        {
            finally = [Step(.press(locator))]
        } else if let link = page.outline.links.first(where: { $0.url == visit.url }),
            BankingWords.isSignOut(link.label), let locator = reading.naming.link(link.element)
        {
            finally = [Step(.follow(locator))]
        }
    }

    /// Looks for a sign-out control on the recorded pages, when the person did not sign out.
    private mutating func offerSignOut() {
        for page in reached.reversed() {
            guard
                let control = page.document.controlsToPress.first(where: { BankingWords.isSignOut($0.accessibleName) })
            else { continue }
            finally = [Step(.press(.button(.name(control.accessibleName))))]
            return
        }
    }

    // MARK: The script

    private func path(of url: String) -> String {
        guard let parsed = try? URLRecord(parsing: url), let origin = ScriptOrigins.one(of: url) else { return url }
        let path = parsed.path + (parsed.query.map { "?" + $0 } ?? "")
        return origin == visits.first.flatMap { ScriptOrigins.one(of: $0.url) } ? path : origin + path
    }

    private mutating func finished(from first: RecordedVisit) throws(DraftError) -> ScriptDraft {
        period = period ?? RecordedMonth(chosenBy: drafted.map(\.step.action), locale: locale)
        let steps = period.map { period in drafted.map { $0.parametrised(by: period) } } ?? drafted
        return try draft(first, steps.map { $0.withoutTyped(by: privacy) })
    }

    private func draft(
        _ first: RecordedVisit, _ drafted: [DraftedStep], asking about: [String]? = nil
    ) throws(DraftError) -> ScriptDraft {
        let origins = ScriptOrigins.all(of: taken.flatMap { [$0.request.url, $0.landed.url] })
        let naming = BankNaming(titles: reached.map(\.document.title), origin: origins.first ?? "")
        var remarks = ScriptRemarks()
        remarks.head = [
            "Drafted from a recording. Read it once: names and texts are the page's own.",
            "`countersign script lint FILE` checks it; `countersign script replay FILE --har HAR` runs it against the recording.",
        ]
        if let period {
            remarks.head.append(
                "The recorded statement was for \(period.year)-\(period.month); both are parameters now.")
        } else {
            remarks.head.append(
                "No month and year were recognised: put {{ month.name }} and {{ year }} where they belong.")
        }
        remarks.foot += about ?? self.about
        if about == nil, self.about.isEmpty, !jsonRequests.isEmpty,
            !hasDownload || drafted.contains(where: { !$0.remarks.isEmpty && $0.kind == .plain })
        {
            remarks.foot.append("The pages' own scripts made these JSON requests; `request` steps can make them too:")
            remarks.foot += jsonRequests.prefix(12).map { "  " + $0 }
        }
        if !hasDownload {
            remarks.foot.append("The recording has no PDF. Add the step that fetches it: - download: PDF")
        }
        for (index, step) in drafted.enumerated() where !step.remarks.isEmpty { remarks.steps[index] = step.remarks }
        let script = BankScript(
            id: naming.id, name: naming.name, origins: origins, isForTesting: ScriptOrigins.areForTesting(origins),
            locale: locale, credentials: BankScript.credentials(filledBy: drafted), steps: drafted.map(\.step),
            finally: finally)
        let written = try script.withoutAccounts(&remarks)
        return ScriptDraft(
            script: written, remarks: remarks.numberingQuestions(),
            parameters: period.map { ["month": ParameterValue($0.month), "year": ParameterValue($0.year)] } ?? [:])
    }
}

extension BankScript {
    /// Leaves out the accounts that names of the recorded pages hold, in the remarks too, and asks for them there.
    fileprivate func withoutAccounts(_ remarks: inout ScriptRemarks) throws(DraftError) -> BankScript {
        remarks.head = remarks.head.map(DraftPrivacy.withoutAccounts)
        remarks.steps = remarks.steps.mapValues { $0.map(DraftPrivacy.withoutAccounts) }
        remarks.foot = remarks.foot.map(DraftPrivacy.withoutAccounts)
        let text = yaml(remarks: ScriptRemarks())
        let clean = DraftPrivacy.withoutAccounts(text)
        guard clean != text else { return self }
        remarks.foot.append(
            DraftQuestion.mark
                + "“\(DraftPrivacy.gap)” stands for an account's number that a name or an address had. How else is it found?"
        )
        do {
            return try BankScript(yaml: clean, file: "draft.yaml")
        } catch {
            throw DraftError(
                message: "the recording cannot be drafted without the numbers of accounts in its names: \(error)")
        }
    }
}
