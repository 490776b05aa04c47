import Automation
import BankScript
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors

/// A live session that takes commands line by line, and remembers them as the steps of a script.
public actor ScriptShell {
    private let execution: ScriptExecution
    private let engine: any NavigationEngine
    private let script: BankScript
    private var done: [Step] = []

    /// - Parameters:
    ///   - script: gives origins, locale and name; its steps do not run.
    ///   - engine: an open session; it stays open.
    public init(
        _ script: BankScript, parameters: [String: ParameterValue] = [:], engine: any NavigationEngine,
        services: HostServices
    ) {
        var services = services
        services.gate = OpenGate()
        services.observer = SilentObserver()
        self.script = script
        self.engine = engine
        execution = ScriptExecution(
            script: script, parameters: parameters, engine: engine, services: services,
            countsSubmissions: false)
    }

    /// The answer to a line.
    public struct Reply: Sendable, Hashable {
        public var lines: [String]
        public var isFailure = false
        /// The person wants to leave.
        public var isEnd = false
        /// The person wants to end the run that the shell interrupted, too.
        public var isQuit = false
    }

    public func perform(_ line: String) async -> Reply {
        let command: ShellCommand
        do {
            command = try ShellCommand(line)
        } catch {
            return Reply(lines: ["\(error)"], isFailure: true)
        }
        switch command {
        case .nothing: return Reply(lines: [])
        case .help: return Reply(lines: ShellCommand.helpLines)
        case .leave: return Reply(lines: [], isEnd: true)
        case .quit: return Reply(lines: [], isEnd: true, isQuit: true)
        case .steps: return Reply(lines: stepLines)
        case .undo: return undo()
        case .page: return await page()
        case .select(let locator): return await select(locator)
        case .selectJSON(let path): return await select(path: path)
        case .explain(let locator): return await explain(locator)
        case .back: return await back()
        case .actions(let actions): return await perform(actions)
        }
    }

    /// Returns whether a line may be kept in a file: it is understood, and has no value that a person typed out.
    public static func mayKeep(_ line: String) -> Bool {
        guard let command = try? ShellCommand(line) else { return false }
        guard case .actions(let actions) = command else { return true }
        return actions.allSatisfy { action in
            if case .template(let text)? = action.as(FillStep.self)?.value { return !text.names.isEmpty }
            return action.as(SubmitStep.self) == nil && action.as(RequestStep.self) == nil
        }
    }

    /// The steps so far, as they would stand under `steps:`.
    public var stepLines: [String] {
        done.isEmpty ? ["no steps yet"] : ["steps:"] + script.steps(done)
    }

    private func perform(_ actions: [Action]) async -> Reply {
        var lines: [String] = []
        for action in actions {
            let position = StepPosition(number: done.count + 1, depth: 0, isFinally: false)
            do {
                try await execution.perform(Step(action), at: position)
            } catch let failure as RunFailure {
                return Reply(lines: lines + Self.words(of: failure), isFailure: true)
            } catch {
                return Reply(lines: lines + ["cancelled"], isFailure: true)
            }
            done.append(Step(action))
            if !action.kind.fetchedKinds.isEmpty, let document = await execution.latestDocument {
                lines.append("\(document.bytes) bytes, SHA-256 \(document.sha256): \(document.file.path)")
            } else if action.conduct.contains(.bringsPage) {
                lines += await arrival
            }
        }
        return Reply(lines: lines)
    }

    private static func message(of error: any Error) -> String {
        sanitised((error as? EngineError)?.message ?? "\(error)")
    }

    private static func words(of failure: RunFailure) -> [String] {
        var lines = [failure.message]
        if let words = failure.bankWords { lines.append("the page says: “\(words)”") }
        return lines + failure.candidates.map { "  - \($0)" }
    }

    private var arrival: [String] {
        get async {
            guard let page = await engine.page() else { return [] }
            return ["\(page.status) “\(Redactor.redact(page.title))” \(Mask(keepsDigits: true).url(page.url))"]
        }
    }

    private func undo() -> Reply {
        guard let last = done.popLast() else { return Reply(lines: ["no steps yet"], isFailure: true) }
        return Reply(lines: ["forgotten: \(Redactor.redact(last.action.words)); the page stays as it is"])
    }

    private func back() async -> Reply {
        do {
            try await engine.back()
            // The step that led to the page is undone with it.
            let left = done.lastIndex { $0.action.conduct.contains(.bringsPage) }
            let forgotten = left.map { "forgotten: \(Redactor.redact(done[$0].action.words))" }
            if let left { done.removeSubrange(left...) }
            return Reply(lines: await arrival + (forgotten.map { [$0] } ?? []))
        } catch {
            return Reply(lines: [Self.message(of: error)], isFailure: true)
        }
    }

    private func page() async -> Reply {
        let json = await execution.latestJSON.map(PageListing.lines(of:)) ?? []
        guard let snapshot = await engine.snapshot(outlining: nil) else {
            guard json.isEmpty else { return Reply(lines: json.map(Redactor.redact)) }
            return Reply(lines: ["no page is open yet; open one first"], isFailure: true)
        }
        var lines = await arrival
        // Only this engine's pages have an outline.
        guard let document = (snapshot as? HTMLPageSnapshot)?.document else {
            let rows = (try? await engine.rows()) ?? []
            lines += rows.prefix(12).map { "  row \($0.prefix(60))" } + json
            return Reply(lines: lines.map(Redactor.redact))
        }
        lines += PageListing(document).lines + json
        return Reply(lines: lines.map(Redactor.redact))
    }

    private func select(path: String) async -> Reply {
        guard let answer = await execution.latestJSON else {
            return Reply(lines: ["no request was answered with JSON yet; make one first"], isFailure: true)
        }
        do {
            let values = try JSONPath(path).values(in: answer)
            var lines = ["\(values.count) found by: \(path)"]
            lines += values.prefix(20).enumerated().map { number, value in
                "  \(number + 1)  " + sanitised(Redactor.redact(String(value.compactText().prefix(200))))
            }
            if values.count > 20 { lines.append("  and \(values.count - 20) more") }
            if values.isEmpty { lines += answer.paths.prefix(8).map { "  there is: \($0.path) (\($0.kind))" } }
            return Reply(lines: lines)
        } catch {
            return Reply(lines: ["\(error)"], isFailure: true)
        }
    }

    private func select(_ locator: Locator) async -> Reply {
        do {
            let texts = try await engine.texts(locator)
            let snapshot = await engine.snapshot(outlining: locator) as? HTMLPageSnapshot
            let outlined = snapshot.map { $0.matches.map(Self.outlined) } ?? texts.map { "▸\($0)◂" }
            var lines = ["\(texts.count) found by: \(locator)"]
            lines += outlined.prefix(20).enumerated().map { "  \($0.offset + 1)  \(Redactor.redact($0.element))" }
            if outlined.count > 20 { lines.append("  and \(outlined.count - 20) more") }
            if texts.isEmpty { lines += await nearest(to: locator) }
            return Reply(lines: lines)
        } catch {
            return Reply(lines: [Self.message(of: error)], isFailure: true)
        }
    }

    private func explain(_ locator: Locator) async -> Reply {
        guard let snapshot = await engine.snapshot(outlining: nil) else {
            return Reply(lines: ["no page is open yet; open one first"], isFailure: true)
        }
        guard let document = (snapshot as? HTMLPageSnapshot)?.document else {
            return Reply(
                lines: ["explain needs the HTML engine; `select` counts matches in a browser, too"], isFailure: true)
        }
        var lines: [String] = []
        for way in locator.ways {
            do {
                lines += try Self.explanation(of: way, in: document)
            } catch {
                return Reply(lines: lines + [sanitised(error.message)], isFailure: true)
            }
        }
        return Reply(lines: lines.map(Redactor.redact))
    }

    private func nearest(to locator: Locator) async -> [String] {
        do {
            _ = try await engine.text(of: locator)
            return []
        } catch let error as EngineError {
            return error.candidates.map { "  nearest: \(sanitised($0))" }
        } catch {
            return []
        }
    }

    /// Shows the element between marks, inside its row.
    private static func outlined(_ element: Element) -> String {
        let own = String((element.text.isEmpty ? element.accessibleName : element.text).prefix(100))
        let marked = "<\(element.name)> ▸\(own)◂"
        guard let row = element.row, row.text.count <= 160, row.text != own,
            let range = row.text.range(of: own, options: .backwards), !own.isEmpty
        else { return marked }
        return "<\(element.name)> " + row.text.replacingCharacters(in: range, with: "▸\(own)◂")
    }
}

extension BankScript {
    /// Returns the lines of these steps in the script's YAML.
    fileprivate func steps(_ steps: [Step]) -> [String] {
        let yaml = BankScript(id: id, name: name, origins: origins, steps: steps).yaml()
        return yaml.split(separator: "\n").drop { $0 != "steps:" }.dropFirst().map(String.init)
    }
}
