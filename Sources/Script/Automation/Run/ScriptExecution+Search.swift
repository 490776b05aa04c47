import BankScript
import Clocks
import Encodings
import Selectors

extension ScriptExecution {
    /// The longest time for a page with scripts to show other rows than before.
    private static let rowPatience: Duration = .seconds(4)

    func perform(_ search: SearchStep) async throws {
        found = nil
        switch search.pages {
        case .html(let target, let next):
            let wanted = target
            let (target, next) = (try await locate(target), try await locate(next))
            // The list itself may come late.
            _ = try await watch { () -> Bool? in
                if try await !engine.texts(target).isEmpty { return true }
                if try await !engine.texts(next).isEmpty { return true }
                guard let last = search.last else { return nil }
                return try await holds(last) ? true : nil
            }
            try await find(wanted, turningBy: next, search)
        case .json(let path, let next, let cursor):
            try await find(path, asking: next, cursor: cursor, search)
        }
    }

    private func find(_ wanted: Locator, turningBy next: Locator, _ search: SearchStep) async throws {
        var seen: [String] = []
        var before: [String]?
        var repeated = 0
        for page in 1...max(search.limit, 1) {
            // Each page may have what another of several ways finds.
            let target = try await locate(wanted)
            let shown = try await engine.texts(target)
            if !shown.isEmpty {
                // Asking for one element makes several an error that lists them.
                if shown.count > 1 { _ = try await engine.text(of: target) }
                found = target
                return
            }
            let shownRows = try await rows(like: target)
            seen += shownRows
            if shownRows == before, !shownRows.isEmpty { repeated += 1 }
            let isLast = try await isLastPage(of: search, next, hasTurned: before != nil)
            if isLast || page == search.limit {
                throw await missing(target, pages: page, hasMore: !isLast, repeated: repeated, seen: seen)
            }
            try await turn(submitting: true) { try await engine.press(next) }
            before = shownRows
            try await handleInterruptions()
            try await checkStatus(expecting: nil)
            // An app shows its next rows a moment later.
            _ = try await watch(within: Self.rowPatience) { () -> Bool? in
                if try await !engine.texts(try await locate(wanted)).isEmpty { return true }
                return try await rows(like: target) != shownRows ? true : nil
            }
        }
    }

    /// Returns whether the search is on the last page: the script says so, or the link to it is disabled, or has gone.
    ///
    /// - Throws: ``RunFailure`` when the link was never there: it may have another name now.
    private func isLastPage(of search: SearchStep, _ next: Locator, hasTurned: Bool) async throws -> Bool {
        if let last = search.last, try await holds(last) { return true }
        guard try await engine.texts(next).isEmpty else { return await isDisabled(next) }
        if hasTurned { return true }
        throw RunFailure(
            .navigationFailed, reason: .layoutChanged,
            message:
                "the step's “next” names nothing on the page: \(next). If the bank has one page of statements only, "
                + "tell the step how to know it: “last”",
            candidates: await nearest(to: next))
    }

    private func isDisabled(_ control: Locator) async -> Bool {
        func attribute(_ name: String) async -> String? { (try? await engine.attribute(name, of: control)) ?? nil }
        if await attribute("disabled") != nil { return true }
        if await attribute("aria-disabled")?.lowercased() == "true" { return true }
        return await attribute("class")?.lowercased().split(separator: " ").contains("disabled") ?? false
    }

    private func find(
        _ path: Template, asking next: RequestStep, cursor: String, _ search: SearchStep
    ) async throws {
        let path = try fill(path)
        var places: [String] = []
        defer { valuesOfStep = [:] }
        for page in 1...max(search.limit, 1) {
            guard let json = await currentJSON else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "no JSON answer has come yet; request the first one in a step before")
            }
            let items = try JSONPath(path).values(in: json)
            if let item = items.first {
                guard items.count == 1 else {
                    throw RunFailure(
                        .navigationFailed, reason: .layoutChanged,
                        message: "\(path) finds \(items.count) items; it has to find one")
                }
                answer = item
                return
            }
            places = json.paths(nearestTo: path)
            let mark = try JSONPath(try fill(Template(cursor))).values(in: json).first.flatMap(\.cursorText)
            var isLast = mark == nil
            if let last = search.last, try await holds(last) { isLast = true }
            guard let mark, !isLast, page < search.limit else {
                let looked = Self.looked(at: page, of: "answer", all: isLast)
                throw RunFailure(
                    .navigationFailed, reason: isLast ? .statementMissing : .searchLimit,
                    message: "\(path) is not in \(looked)", candidates: places)
            }
            valuesOfStep = [SearchStep.cursorName: mark]
            try await perform(next)
            try await handleInterruptions()
        }
    }

    /// Returns where a search looked. Where it did not look at everything, the words say so.
    private static func looked(at count: Int, of name: String, all isAll: Bool) -> String {
        if isAll { return count == 1 ? "the only \(name)" : count.counted(name) }
        let those = count == 1 ? "the first \(name)" : "the first \(count.counted(name))"
        return "\(those); there are more, but the step's “at most” ended the search"
    }

    /// - Parameter repeated: the number of times that a turned page had the rows of the page before.
    private func missing(
        _ target: Locator, pages: Int, hasMore: Bool, repeated: Int, seen: [String]
    ) async -> RunFailure {
        let looked = Self.looked(at: pages, of: "page", all: !hasMore)
        let same =
            repeated > 0
            ? ". \(repeated.counted("page")) had the rows of the page before: is “next” the right link?" : ""
        var candidates: [String] = []
        if case .row(let text) = target.target {
            candidates = seen.mostAlike(to: text.words, atMost: 6).map { "row “\($0)”" }
        }
        if candidates.isEmpty { candidates = await nearest(to: target) }
        return RunFailure(
            .navigationFailed, reason: hasMore ? .searchLimit : .statementMissing,
            message: "\(target) is not on \(looked)\(language(of: seen))\(same)", candidates: candidates)
    }

    /// Returns a remark when the rows name months in another language than the script's.
    private func language(of rows: [String]) -> String {
        let own = script.locale.prefix { $0 != "-" && $0 != "_" }
        guard let language = MonthNames.language(of: rows, besides: String(own)), language != own else { return "" }
        return "; the rows name months in another language: write locale: \(language)"
    }

    /// Returns the texts of the page's rows, when the target is a row: the most similar may not be on the last page.
    private func rows(like target: Locator) async throws -> [String] {
        guard case .row = target.target else { return [] }
        return try await engine.rows().map { String($0.prefix(80)) }
    }

    /// Returns the engine's suggestions on the open page.
    func nearest(to target: Locator) async -> [String] {
        do {
            _ = try await engine.text(of: target)
            return []
        } catch let error as EngineError {
            return error.candidates
        } catch {
            return []
        }
    }

    /// Waits before a page is looked at again. It is loaded anew where nothing else changes it.
    ///
    /// - Parameters:
    ///   - reloads: false while a request asks for news.
    ///   - isForced: loads the page anew in any case, as the script says.
    func pause(until interval: Duration, reloading reloads: Bool, always isForced: Bool) async throws {
        guard reloads else { return try await services.clock.sleep(for: interval) }
        if !isForced, try await watchPage(within: interval) { return }
        try await services.clock.sleep(for: interval)
        try await turn { try await engine.reload() }
    }

    func perform(_ wait: WaitStep) async throws {
        do {
            try await withTimeLimit(wait.limit, on: services.clock) { [self] in
                while true {
                    if let poll = wait.poll { try await perform(poll) }
                    if try await holds(wait.condition) { return }
                    try await handleInterruptions()
                    try await pause(until: wait.interval, reloading: wait.poll == nil, always: wait.reloads)
                }
            }
        } catch is TimeLimitExceeded {
            let words = wait.condition.words { (try? self.fill($0)) ?? $0.source }
            var failure = RunFailure(
                .navigationFailed, reason: .timeout,
                message: "waited \(wait.limit.inWords) until \(words), without success")
            switch wait.condition {
            case .shows(let locator): failure.candidates = await nearest(to: try await locate(locator))
            case .json(let path, _): failure.candidates = await currentJSON?.paths(nearestTo: try fill(path)) ?? []
            default: break
            }
            throw failure
        }
    }
}

extension JSONValue {
    /// The cursor as it stands in an address; nil for a value that cannot be one.
    fileprivate var cursorText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .number: compactText()
        case .null, .bool, .array, .object: nil
        }
    }
}

extension TextMatch {
    fileprivate var words: String {
        switch self {
        case .name(let text), .exact(let text), .regex(let text): text
        }
    }
}
