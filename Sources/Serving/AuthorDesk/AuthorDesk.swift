import Authoring
import Automation
import BankScript
import Encodings
import HTMLAutomation
import HTMLEngine
import Machine
import Secrets

/// A desk for a script's author: the script beside the pages of a recording.
///
/// It has no network and no credentials, and accepts nothing. It writes one file, the script's, and only when its page asks for
/// that. Everything that it says about a script comes from lint, the locators' search and the replay of the other commands.
package actor AuthorDesk {
    private let disk: ScriptOnDisk
    private let archive: HTTPArchive
    private let pages: RecordedPages
    private let plugged: PluggedNames
    private let parameters: @Sendable (BankScript) throws -> [String: ParameterValue]
    private var isReplaying = false
    /// The latest replay's.
    private var latestTrace: Trace?

    /// The most numbers of elements that one mark names.
    private static let mostNumbers = 500
    /// The most steps of a replay that the page lists.
    private static let mostSteps = 2000

    /// - Parameters:
    ///   - plugged: the names of the plug-ins of this program.
    ///   - parameters: returns the values of a script's parameters, or throws what is wrong with them, for the author.
    package init(
        _ disk: ScriptOnDisk, recording archive: HTTPArchive, plugged: PluggedNames,
        parameters: @escaping @Sendable (BankScript) throws -> [String: ParameterValue]
    ) {
        self.disk = disk
        self.archive = archive
        self.plugged = plugged
        self.parameters = parameters
        pages = RecordedPages(archive)
    }

    // MARK: What the page asks for

    /// The script's file, and the list of the recorded pages.
    func opening() async throws(DeskRefusal) -> JSONValue {
        let content = try disk.read()
        return [
            "name": .string(disk.name), "text": .string(content.text), "version": .string(content.version),
            "pages": .array(
                pages.all.map { page in
                    [
                        "title": .string(sanitised(page.document.title)),
                        "address": .string(Redactor.redact(Mask().url(page.document.url))),
                        "status": .number(Double(page.status)), "elements": .number(Double(page.elements.count)),
                    ]
                }),
        ]
    }

    /// The file's version now.
    func version() throws(DeskRefusal) -> JSONValue { ["version": .string(try disk.read().version)] }

    func save(_ text: String, replacing version: String) async throws(DeskRefusal) -> JSONValue {
        let disk = disk
        // Saving waits for the disk.
        let outcome = try? await BlockingWork.run {
            Result { () throws(DeskRefusal) in try disk.save(text, replacing: version) }
        }
        guard let outcome else { throw DeskRefusal(.saveFailed, "the desk is closing; nothing is saved") }
        return ["version": .string(try outcome.get())]
    }

    /// Checks a text, and says what its locators find on a page.
    ///
    /// - Parameter line: the line, from 1, whose locators are explained.
    nonisolated func check(_ text: String, onPage number: Int?, explainingLine line: Int?) -> JSONValue {
        let page = number.flatMap(pages.page)
        let checked = CheckedScript(text, file: disk.name, on: page, plugged: plugged, parameters: parameters)
        var members: [String: JSONValue] = [
            "is_script": .bool(checked.script != nil), "findings": .array(checked.findings.map(Self.json)),
            "marks": .array(checked.marks.map(Self.json)),
            "explained": .array(
                checked.marks.filter { $0.mark.line == line }.flatMap { Self.explanation(of: $0, on: page) }
                    .map(JSONValue.string)),
        ]
        if let script = checked.script {
            members["digest"] = .string(script.digest.hex)
            do {
                _ = try parameters(script)
            } catch {
                members["parameters_problem"] = .string(sanitised("\(error)"))
            }
        }
        return .object(members)
    }

    /// The page to show in a frame; nil for a number that the recording does not have.
    nonisolated func html(ofPage number: Int) -> String? { pages.page(number)?.html }

    /// Returns what a person can use or read on a page, for those who choose without a pointer.
    nonisolated func elements(ofPage number: Int) throws(DeskRefusal) -> JSONValue {
        let page = try page(number)
        return [
            "elements": .array(
                PageListing(page.document).items.flatMap { [$0] + $0.controls }.compactMap { item in
                    guard let element = item.element.flatMap(page.number) else { return nil }
                    return [
                        "element": .number(Double(element)), "words": .string(Redactor.redact(item.text.inLine())),
                    ]
                })
        ]
    }

    nonisolated func candidates(for element: Int, onPage number: Int) throws(DeskRefusal) -> JSONValue {
        let page = try page(number)
        guard page.elements.indices.contains(element) else {
            throw DeskRefusal(.notFound, "the page does not have this element; load the desk again")
        }
        let found = page.elements[element]
        let candidates = ElementCandidates(found, on: page)
        var members: [String: JSONValue] = [
            "words": .string(candidates.words),
            "candidates": .array(
                candidates.all.map { ["words": .string($0.words), "step": .string(Redactor.redact($0.step))] }),
        ]
        if let around = found.parent.flatMap(page.number) { members["around"] = .number(Double(around)) }
        return .object(members)
    }

    /// Replays a text against the recording, and keeps its trace.
    func replay(_ text: String) async throws(DeskRefusal) -> JSONValue {
        guard !isReplaying else { throw DeskRefusal(.busy, "a replay runs; wait for its end") }
        isReplaying = true
        defer { isReplaying = false }
        let script = try replayable(text)
        let values: [String: ParameterValue]
        do {
            values = try parameters(script)
        } catch {
            throw DeskRefusal(.notReplayable, sanitised("\(error)"))
        }
        let run = await ReplayedRun.run(script, source: text, on: archive, pages, parameters: values)
        latestTrace = run.trace
        var members: [String: JSONValue] = [
            "matches": .bool(run.failure == nil), "exchanges_used": .number(Double(run.used)),
            "not_compared": .array(run.hidden.map(JSONValue.string)),
            "steps": .array(run.steps.prefix(Self.mostSteps).map(Self.json)),
        ]
        if let failure = run.failure {
            members["report"] = .string(failure.report(source: text))
            if let line = failure.place?.mark?.line { members["line"] = .number(Double(line)) }
        }
        return .object(members)
    }

    /// The latest replay as a page of its own, with the policy to serve it under; nil before the first.
    func trace() -> (html: String, policy: String)? { latestTrace.map { ($0.html, $0.policy) } }

    // MARK: Parts

    private nonisolated func page(_ number: Int) throws(DeskRefusal) -> RecordedPage {
        guard let page = pages.page(number) else {
            throw DeskRefusal(.notFound, "the recording does not have this page; load the desk again")
        }
        return page
    }

    /// Returns the script of a text, for the hosts of the recording.
    private func replayable(_ text: String) throws(DeskRefusal) -> BankScript {
        let checked = CheckedScript(text, file: disk.name, on: nil, plugged: plugged, parameters: parameters)
        let errors = checked.findings.count { $0.severity == .error }
        guard let script = checked.script, errors == 0 else {
            let words = errors == 1 ? "an error in the script; mend it" : "\(errors) errors in the script; mend them"
            throw DeskRefusal(.notReplayable, "lint finds \(words) first")
        }
        guard script.documentSource == nil, !script.printsPage else {
            throw DeskRefusal(.notReplayable, "the script has no pages that could be replayed")
        }
        return script.served(asIn: archive)
    }

    private static func explanation(of mark: LocatorMark, on page: RecordedPage?) -> [String] {
        guard let page, let locator = mark.locator else { return [] }
        return locator.ways.flatMap { way -> [String] in
            do throws(LocatorError) {
                return try ScriptShell.explanation(of: way, in: page.document).map { Redactor.redact($0) }
            } catch {
                return [sanitised(error.message)]
            }
        }
    }

    // MARK: JSON

    private static func json(_ finding: Finding) -> JSONValue {
        var members: [String: JSONValue] = [
            "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
            "message": .string(finding.message),
        ]
        if let hint = finding.hint { members["hint"] = .string(hint) }
        members.merge(json(finding.mark)) { $1 }
        return .object(members)
    }

    private static func json(_ mark: Mark?) -> [String: JSONValue] {
        guard let mark else { return [:] }
        var members: [String: JSONValue] = ["line": .number(Double(mark.line))]
        if let column = mark.column { members["column"] = .number(Double(column)) }
        return members
    }

    private static func json(_ mark: LocatorMark) -> JSONValue {
        var members: [String: JSONValue] = ["words": .string(mark.words)]
        members.merge(json(mark.mark)) { $1 }
        switch mark.outcome {
        case .found(let numbers):
            members["found"] = .number(Double(numbers.count))
            members["elements"] = .array(numbers.prefix(mostNumbers).map { .number(Double($0)) })
            if mark.mayFindNothing { members["may_find_nothing"] = true }
            if mark.way > 1 { members["way"] = .number(Double(mark.way)) }
        case .waits(let names): members["waits_for"] = .array(names.map(JSONValue.string))
        case .invalid(let message): members["invalid"] = .string(message)
        }
        return .object(members)
    }

    private static func json(_ step: ReplayedRun.Step) -> JSONValue {
        var members: [String: JSONValue] = [
            "number": .number(Double(step.place.number)), "depth": .number(Double(step.place.depth)),
            "words": .string(step.place.words), "is_finally": .bool(step.place.isFinally),
            "outcome": .string(step.outcome.rawValue),
        ]
        if let page = step.page { members["page"] = .number(Double(page)) }
        if let line = step.place.mark?.line { members["line"] = .number(Double(line)) }
        return .object(members)
    }
}
