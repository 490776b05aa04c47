import Clocks
import Encodings
import Messages
import Selectors

/// The steps of a script in words, with everything that ``Action/words`` leaves out on lines of their own.
enum StepWords {
    /// The lines of a file that names a source, with the promises of a source of this project.
    private static func lines(of declaration: SourceDeclaration) -> [String] {
        let rule = SourceRule.standard.first { $0.source == declaration.source }
        let name = declaration.source.rawValue
        var lines = [
            "source \(name): \(rule == nil ? "a plug-in of this program" : "this program") asks the bank's server"
        ]
        lines.append("at \(declaration.address.inLine())")
        lines += declaration.settings.sorted { $0.key < $1.key }.map { "\($0.key.inLine()): \($0.value.inLine())" }
        lines.append("fetch \(declaration.kinds.map(\.rawValue).joined(separator: ", "))")
        return lines + (rule?.promises ?? []).map { "\(name) \($0)" }
    }

    static func lines(of script: BankScript) -> [String] {
        if let declaration = script.documentSource { return lines(of: declaration) }
        var lines = Self.lines(of: script.steps, indent: "")
        if let accounts = script.accounts {
            let alias = accounts.alias.map { ", their aliases by the pattern \($0.inLine())" } ?? ""
            let place =
                switch accounts.source {
                case .page(let names): "\(names.filling { $0.inLine() })"
                case .answer(let list, let name, let id):
                    "\(name.inLine()) of each \(list.inLine()) in the answer"
                        + (id.map { ", and the ids \($0.inLine())" } ?? "")
                }
            lines.append("keeps the names of the accounts: \(place)\(alias)")
        }
        if !script.forEachAccount.isEmpty {
            lines.append("for each account that is asked for")
            lines += Self.lines(of: script.forEachAccount, indent: "    ")
        }
        if !script.forEachPeriod.isEmpty {
            lines.append("for each month that is asked for")
            lines += Self.lines(of: script.forEachPeriod, indent: "    ")
        }
        for interruption in script.interruptions {
            lines.append("whenever \(interruption.condition.words)")
            switch interruption.response {
            case .pass(let steps): lines += Self.lines(of: steps, indent: "    ")
            case .fail(let code, let reason):
                lines.append("    - fail with \(code.rawValue), reason \(reason.rawValue)")
            }
        }
        for rule in script.dialogs {
            lines.append("whenever a dialog says “\(rule.words.inLine())”")
            switch rule.answer {
            case .accept(let text):
                lines.append("    - accept it" + (text.map { " with the text “\($0.inLine())”" } ?? ""))
            case .dismiss: lines.append("    - dismiss it")
            }
        }
        if !script.finally.isEmpty { lines.append("at the end") }
        return lines + Self.lines(of: script.finally, indent: "    ")
    }

    private static func lines(of steps: [Step], indent: String) -> [String] {
        steps.flatMap { step in
            var lines = ["\(indent)- \(step.action.words)"]
            lines += details(of: step.action).map { "\(indent)    \($0)" }
            if let expected = step.expected { lines.append("\(indent)    also goes on with \(statuses(expected))") }
            guard case .when(_, let then, let otherwise) = step.action else { return lines }
            lines += Self.lines(of: then, indent: indent + "    ")
            if !otherwise.isEmpty { lines.append("\(indent)  otherwise") }
            return lines + Self.lines(of: otherwise, indent: indent + "    ")
        }
    }

    private static func details(of action: Action) -> [String] {
        switch action {
        case .secondFactor(let step): details(of: step)
        case .fail(_, _, let reason): reason.map { ["reason \($0.rawValue)"] } ?? []
        case .search(let search): details(of: search)
        case .capture(let capture): details(of: capture)
        case .request(let request): details(of: request)
        case .waitUntil(let wait):
            ["every \(wait.interval.inScript), within \(wait.limit.inScript)"]
                + (wait.poll.map { ["each time request \(address(of: $0))"] + details(of: $0) }
                    ?? [wait.reloads ? "each time reload the page" : Self.watching])
        case .download(let download):
            ["at most \(download.limit) bytes"] + requestDetails(of: download.source) + details(of: download.pages)
                + details(of: download.content)
        case .submit(let submit): fields(submit.fields)
        case .open, .follow, .fill, .choose, .check, .press, .pressEach, .enter, .expect, .when: []
        }
    }

    /// The way in which a page is looked at again that the script does not ask to reload.
    private static let watching = "in a browser watch the page, without one reload it each time"

    private static func requestDetails(of source: DownloadStep.Source) -> [String] {
        switch source {
        case .request(let request): details(of: request)
        case .submit(let submit): fields(submit.fields)
        default: []
        }
    }

    private static func details(of pages: AnswerPages?) -> [String] {
        guard let pages else { return [] }
        let way =
            switch pages.next {
            case .link(let path): "the address at \(path.inLine())"
            case .cursor(let path, let parameter): "\(parameter.inLine()) in the address, from \(path.inLine())"
            case .offset(let parameter, let items):
                "\(parameter.inLine()) in the address, the number of \(items.inLine()) so far"
            }
        return ["next page by \(way), at most \(pages.limit) pages"]
    }

    private static func details(of content: DownloadStep.Content) -> [String] {
        guard case .transactions(let mapping) = content else { return [] }
        func marked(_ mark: TransactionMapping.Mark) -> String { "\(mark.path.inLine()) is “\(mark.text.inLine())”" }
        var lines = ["account: “\(mapping.account.source.inLine())”"]
        for (name, path) in mapping.paths where !["outgoing", "pending"].contains(name) {
            lines.append("\(name): \(path.inLine())")
        }
        if !mapping.currency.hasPrefix("$") { lines.append("currency: \(mapping.currency.inLine())") }
        if mapping.countsMinorUnits { lines.append("amounts are in hundredths") }
        if mapping.isInverted { lines.append("a positive amount has left the account") }
        if let mark = mapping.outgoing { lines.append("an amount has left the account where \(marked(mark))") }
        if let mark = mapping.pending { lines.append("an entry is pending where \(marked(mark))") }
        return lines
    }

    private static func details(of step: SecondFactorStep) -> [String] {
        var lines = [
            "answered by \(step.sources.map(\.rawValue).joined(separator: ", then ")), within \(step.limit.inScript)"
        ]
        switch step.method {
        case .code(_, let picture):
            if step.tries > 1 {
                lines.append("asks for another code if the bank refuses one, at most \(step.tries) in all")
            }
            if let picture { lines.append("shows you the picture \(inLine(picture))") }
        case .push(let condition, let poll, let interval):
            let how = poll == nil ? "looks at the page" : "repeats a request"
            lines.append("\(how) every \(interval.inScript) until \(condition.words)")
            if poll == nil { lines.append(step.reloads ? "each time reload the page" : Self.watching) }
            if let poll {
                lines.append("each time request \(address(of: poll))")
                lines += details(of: poll)
            }
        case .choice, .captured: break
        }
        if let question = step.question { lines.append("asks you “\(question.source.inLine())”") }
        if let token = step.token { lines.append("with the token “\(token.inLine())”") }
        if let confirm = step.confirm { lines.append("then press \(inLine(confirm))") }
        return lines
    }

    private static func details(of search: SearchStep) -> [String] {
        var lines: [String] = []
        switch search.pages {
        case .html(_, let next): lines.append("next page by \(inLine(next))")
        case .json(_, let next, let cursor):
            lines.append("next answer by \(address(of: next)), with the cursor at \(cursor.inLine())")
            lines += details(of: next)
        }
        return lines + (search.last.map { ["last page when \($0.words)"] } ?? [])
    }

    private static func address(of request: RequestStep) -> String {
        "\(request.method.inLine()) \(request.reference.source.inLine())"
    }

    private static func inLine(_ locator: Locator) -> String { locator.filling { $0.inLine() }.description }

    private static func statuses(_ range: ClosedRange<Int>) -> String {
        "a status from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func details(of capture: CaptureStep) -> [String] {
        let source =
            switch capture.source {
            case .text(let locator): "the text of \(inLine(locator))"
            case .attribute(let name, let locator): "the attribute “\(name.inLine())” of \(inLine(locator))"
            case .header(let name): "the answer's header “\(name.inLine())”"
            case .cookie(let name): "the cookie “\(name.inLine())”"
            case .jsonPath(let path): "the answer's \(path.inLine())"
            case .template(let template): "the text “\(template.source.inLine())”"
            case .signed(let token): "a token that your \(token.key.inLine()) signs; the key stays on the phone"
            }
        if case .signed(let token) = capture.source {
            let header = leaves(of: .object(token.header), at: "$").map { "header \($0)" }
            let claims = leaves(of: .object(token.claims), at: "$").map { "claim \($0)" }
            return ["from \(source)", "signed with \(token.algorithm.rawValue)"] + (token.header.isEmpty ? [] : header)
                + claims
                + ["valid for \(token.life.inScript), dated \(token.skew.inScript) back", "kept as a secret"]
        }
        return ["from \(source)"] + (capture.pattern.map { ["matching /\($0.inLine())/"] } ?? [])
            + (capture.filter.map { ["with the filter \($0.inLine())"] } ?? [])
            + (capture.isSecret ? ["kept as a secret"] : [])
    }

    private static func details(of request: RequestStep) -> [String] {
        var lines = request.headers.map { header in
            let scheme = header.scheme.map { "\($0.inLine()) and " } ?? ""
            return "header \(header.name.inLine()): \(scheme)\(header.value.words { $0.source })"
        }
        if let basic = request.basic {
            lines.append(
                "Basic authentication: \(basic.user.words { $0.source }) and \(basic.password.words { $0.source })")
        }
        lines += request.query.map { "in the address, \($0.name.inLine()): \($0.value.words { $0.source })" }
        if let body = request.body { lines += leaves(of: body, at: "$").map { "body \($0)" } }
        lines += fields(request.form)
        return lines + ["expects \(statuses(request.expected))"]
    }

    private static func fields(_ fields: [FormField]) -> [String] {
        fields.map { "form field \($0.name.inLine()): \($0.value.words { $0.source })" }
    }

    /// Returns a line for each leaf of a body, with its path.
    private static func leaves(of body: RequestStep.Body, at path: String) -> [String] {
        switch body {
        case .value(let value): ["\(path): \(value.words { $0.source })"]
        case .number(let number): ["\(path): \(Int(exactly: number).map(String.init) ?? String(number))"]
        case .bool(let bool): ["\(path): \(bool)"]
        case .null: ["\(path): null"]
        case .array(let items):
            items.isEmpty
                ? ["\(path): []"] : items.enumerated().flatMap { leaves(of: $1, at: "\(path)[\($0)]") }
        case .object(let members):
            members.isEmpty
                ? ["\(path): {}"]
                : members.sorted { $0.key < $1.key }.flatMap { leaves(of: $1, at: "\(path).\($0.inLine())") }
        }
    }
}
