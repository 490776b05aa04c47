import BankScript
import Clocks
import Messages
import Secrets
import Selectors

// What templates, locators and values of the script become in this run.

extension ScriptExecution {
    /// The month that templates name; nil in a script without a month and a year.
    var period: MonthYear? {
        guard let month = given["month"].flatMap({ Int($0) }), let year = given["year"].flatMap({ Int($0) }) else {
            return nil
        }
        return MonthYear(month: month, year: year)
    }

    /// Lets templates name another month, or some of its days.
    func set(_ place: DocumentPlace) { given.merge(texts(of: place)) { $1 } }

    /// Returns what templates may use for a place. A script's own parameters keep their values.
    private func texts(of place: DocumentPlace) -> [String: String] {
        let own = Set(script.parameters.map(\.name)).subtracting(["month", "year"])
        return StatementPeriod.texts(of: place).filter { !own.contains($0.key) }
    }

    /// Lets templates name an account.
    func set(_ account: ListedAccount) {
        given["account_name"] = account.name
        given["account_alias"] = account.alias.description
        given[AccountList.idName] = account.id
    }

    /// The values that templates may name: the parameters, and the captures that are not secret.
    var templateValues: [String: String] { templateValues(with: captures) }

    func templateValues(with captures: [String: Input]) -> [String: String] {
        var values = given
        for case (let name, .text(let text)) in captures { values[name] = text }
        return values.merging(valuesOfStep) { _, own in own }
    }

    public func fill(_ template: Template) throws -> String {
        guard template.hasPlaces else { return template.source }
        return try template.filled(with: templateValues, locale: script.locale)
    }

    /// Fills in a template as it is for another month.
    func fill(_ template: Template, for period: MonthYear) throws -> String {
        let values = templateValues.merging(texts(of: DocumentPlace(period: period))) { $1 }
        return try template.filled(with: values, locale: script.locale)
    }

    /// Fills in the locator's templates, and looks inside the search result unless the locator names a scope itself.
    ///
    /// Of a locator with alternatives, the first way that finds something counts; a later one is worth a warning.
    func locate(_ locator: Locator) async throws -> Locator {
        guard !locator.alternatives.isEmpty else { return try located(locator) }
        var ways: [Locator] = []
        for way in locator.ways { ways.append(try located(way)) }
        for (index, way) in ways.enumerated() where try await !engine.texts(way).isEmpty {
            if index > 0 { warn("the page has changed: way \(index + 1) of \(ways.count) matched, \(way)") }
            return way
        }
        return ways[0]
    }

    /// Fills in the locator's templates, and takes its first way.
    func fillPlaces(of locator: Locator) throws -> Locator { try located(locator.ways[0]) }

    private func located(_ locator: Locator) throws -> Locator {
        let filled = try locator.filling { text throws(TemplateError) in
            let template = template(text)
            return template.hasPlaces ? try template.filled(with: templateValues, locale: self.script.locale) : text
        }
        guard let found, filled.scope.isEmpty else { return filled }
        return filled.within(found)
    }

    private func template(_ text: String) -> Template {
        if let known = templates[text] { return known }
        let template = Template(text)
        if template.hasPlaces { templates[text] = template }
        return template
    }

    /// The meaning of a page with a password field after the password was given.
    enum PasswordAgain {
        case refused, sessionEnded
    }

    /// Returns why a page with one password field asks for the password again; nil for any other page.
    func passwordAgain() async -> PasswordAgain? {
        guard let passwordGiven, passwordGiven < pageCount,
            let fields = try? await engine.shownTexts(.css("input[type=password]")), fields.count == 1,
            await showsPasswordField(engine.page())
        else { return nil }
        return isSignInUnconfirmed || pageCount - passwordGiven == 1 ? .refused : .sessionEnded
    }

    private static let captcha = Locator.css("[class*='captcha'], [id*='captcha'], iframe[src*='captcha']")

    /// Returns whether a page has the field into which the password was typed, where that is known, and asks for no captcha, which
    /// may be all that a right password lacked.
    func showsPasswordField(_ page: EnginePage?) async -> Bool {
        guard page?.finds(Self.captcha) != true else { return false }
        guard let passwordField, let located = try? await locate(passwordField) else { return true }
        return page?.finds(located) ?? false
    }

    /// Fills in an address, and stops when it leads elsewhere than the owner was shown: what a bank's answer holds could otherwise
    /// carry what is sent to another one of the script's origins.
    func address(_ reference: Template) throws -> String {
        let filled = try fill(reference)
        try checkDestination(filled, of: reference, "what the step sends")
        return try absolute(filled)
    }

    func checkDestination(_ reference: String, of written: Template, _ item: String) throws {
        if !script.leads(reference, toOriginsOf: written.source) { throw leadsElsewhere(reference, item) }
    }

    func leadsElsewhere(_ reference: String, _ item: String) -> RunFailure {
        RunFailure(
            .navigationFailed, reason: .foreignOrigin,
            message: "\(item) is not sent to \(sanitisedURL(reference)): it is for one origin, "
                + "and the script's address does not say that it is this one")
    }

    func absolute(_ reference: String) throws -> String {
        guard let address = script.address(of: reference) else {
            throw RunFailure(.navigationFailed, message: "the script names no origin; add `origins` to it")
        }
        return address
    }

    /// Returns what a value counts as when it is sent.
    func items(of value: Value) -> Set<SubmissionLedger.Item> {
        switch value {
        case .credential("username"), .template, .number: []
        case .credential(let name), .character(of: let name): [.credential(name)]
        case .captured(let name): codes[name].map { [$0] } ?? []
        }
    }

    func input(_ value: Value) async throws -> Input {
        switch value {
        case .template(let template), .number(let template): return .text(try fill(template))
        case .credential(let name):
            let secret = try await credential(named: name)
            hold(secret)
            if name != "username" { passwordGiven = pageCount }
            try await watch(secret, as: items(of: value))
            return .secret(secret)
        case .character(of: let name):
            throw RunFailure(
                .navigationFailed, message: "a character of the \(name) needs a field whose label names its position")
        case .captured(let name):
            guard let capture = captures[name] else {
                throw RunFailure(.navigationFailed, message: "“\(name)” was used before it was captured")
            }
            if case .secret(let secret) = capture { try await watch(secret, as: items(of: value)) }
            return capture
        }
    }

    /// Returns a value for a header, for Basic authentication or for a query. A credential there is shown with every request: no
    /// page asks for it, and no sign-in waits for its answer.
    func headInput(_ value: Value) async throws -> Input {
        guard case .credential(let name) = value else { return try await input(value) }
        let secret = try await credential(named: name)
        hold(secret)
        return .secret(secret)
    }

    func credential(named name: String) async throws -> Secret {
        if let secret = obtained(name) { return secret }
        if let secret = try await services.credentials.credential(named: name, forBank: script.id) { return secret }
        let advice = services.credentials.adviceForMissing.map { "; \($0)" } ?? ""
        throw RunFailure(
            .bankLoginFailed, reason: .credentialMissing,
            message: "no \(name) is available for \(script.name)\(advice)")
    }

    /// Lets an engine that runs the pages' scripts count what they send.
    func watch(_ secret: Secret, as items: Set<SubmissionLedger.Item>) async throws {
        guard let ledger else { return }
        for item in items { try await engine.watch(secret) { try ledger.leave(with: item) } }
    }
}
