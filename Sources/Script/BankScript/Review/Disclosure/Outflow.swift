import Encodings

/// A value that leaves for an origin.
public struct Outflow: Sendable, Hashable, CustomStringConvertible {
    /// In the form that is contacted.
    public let origin: String
    /// In words: `the password`, `a one-time code`, `the captured token`.
    public let item: String
    /// The way it leaves, without the address: `in a form`, `POST`, or `POST, again every 2 s`.
    public let way: String
    /// The address as the author wrote it, for a line of its own; nil for a form.
    public let address: String?
    /// The way with the address: `in a form` or `POST /api/login`.
    public let means: String
    /// The place outside the body, such as `in a header`, of a credential that accompanies requests; nil for all else.
    public var place: String? = nil

    public var description: String { "\(item) to \(origin), \(means)" }

    /// Returns everything that a script sends: credentials, codes, and captured values, which hold what the bank said.
    ///
    /// A page decides where its form goes, so what is typed may leave for each of the script's origins. So may a
    /// request whose address is not known before the run.
    static func all(of script: BankScript) -> [Outflow] {
        OutflowWalk(script).found
    }
}

/// The walk through a script that collects what leaves.
struct OutflowWalk {
    let script: BankScript
    let origins: [String]
    let actions: [Action]
    /// The captures that hold a one-time code.
    let codes: Set<String>
    let captures: Set<String>
    private(set) var found: [Outflow] = []

    init(_ script: BankScript) {
        self.script = script
        origins = script.shownOrigins
        let passed = script.interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        actions = (script.stepsForOnePeriod + passed + script.finally).allActions
        let keeping = actions.map(\.kind).filter { $0.keptName != nil }
        codes = Set(keeping.filter { $0.facts.contains(.asksForCode) }.compactMap(\.keptName))
        captures = Set(keeping.filter { !$0.facts.contains(.asksForCode) }.compactMap(\.keptName))
        for sending in actions.flatMap(\.kind.sent) { visit(sending) }
        if let exchange = script.exchange { visit(exchange) }
        if !script.device.isEmpty { add(["the cookies of this device"], to: origins, "as cookies") }
        if let declaration = script.documentSource {
            let items = script.credentials.map { "the \($0.inLine())" } + ["a one-time code"]
            add(items, to: origins, "in messages of \(declaration.source.rawValue)")
        }
        found.sort { (origins.firstIndex(of: $0.origin) ?? 0) < (origins.firstIndex(of: $1.origin) ?? 0) }
    }

    private mutating func visit(_ sending: Sending) {
        switch sending {
        case .form(let values): add(values.flatMap(items), to: origins, "in a form")
        case .keys(let name): add(["the \(name.inLine())"], to: origins, "key by key")
        case .answer(let words): add([words], to: origins, "in a form")
        case .address(let reference): add(items(of: reference), to: reference, "in the address")
        case .token(let token, let name):
            add(token.values.flatMap(items).sorted(), to: origins, "in the signed \(name.inLine())")
        case .request(let request, let repeated):
            let repetition = repeated.map { ", \($0)" } ?? ""
            let method = request.method.inLine()
            var head: Set<String> = []
            for (name, place) in request.headCredentials where head.insert("\(name) \(place)").inserted {
                add(
                    ["your \(name.inLine())"], to: request.reference, "\(place.rawValue), \(method)", repetition,
                    at: place.rawValue)
            }
            let others = request.headValues.filter { $0.credentialName == nil } + request.postedValues
            add(
                items(of: request.reference) + others.flatMap(items).sorted(), to: request.reference, method, repetition
            )
        }
    }

    private mutating func visit(_ exchange: CredentialExchange) {
        switch exchange.way {
        case .claim(let setup, _):
            add(["the \(setup.inLine())"], to: Array(origins.prefix(1)), "in the address that is claimed, POST")
        case .authorize(let page, let endpoint):
            let given = [endpoint.client.credentialName, page.redirect?.credentialName].compactMap(\.self)
            add(given.map { "the \($0.inLine())" }, to: Template(page.address), "in the address for your browser")
            visit(endpoint, page.redirect?.credentialName)
        case .device(let address, let endpoint):
            add(endpoint.client.credentialName.map { ["the \($0.inLine())"] } ?? [], to: address, "POST")
            visit(endpoint)
        case .session(let session): for sending in session.steps.allActions.flatMap(\.kind.sent) { visit(sending) }
        }
    }

    private mutating func visit(_ endpoint: CredentialExchange.TokenEndpoint, _ redirect: String? = nil) {
        let sent = [endpoint.client.credentialName, endpoint.secret?.name, redirect].compactMap(\.self).map {
            "the \($0.inLine())"
        }
        add(sent + ["the refresh token"], to: endpoint.address, "POST")
    }

    private mutating func add(
        _ items: [String], to reference: Template, _ way: String, _ repetition: String = "", at place: String? = nil
    ) {
        let address = reference.source.inLine()
        for origin in script.destinations(of: reference.source) {
            for item in items {
                add(
                    Outflow(
                        origin: origin, item: item, way: way + repetition, address: address,
                        means: "\(way) \(address)\(repetition)", place: place))
            }
        }
    }

    private mutating func add(_ items: [String], to destinations: [String], _ way: String) {
        for origin in destinations {
            for item in items { add(Outflow(origin: origin, item: item, way: way, address: nil, means: way)) }
        }
    }

    private mutating func add(_ outflow: Outflow) {
        if !found.contains(outflow) { found.append(outflow) }
    }

    private func items(of value: Value) -> [String] {
        switch value {
        case .credential(let name): ["the \(name.inLine())"]
        case .character(of: let name): ["characters of the \(name.inLine())"]
        case .captured(let name): [codes.contains(name) ? "a one-time code" : "the captured \(name.inLine())"]
        case .template(let template), .number(let template): items(of: template)
        }
    }

    private func items(of template: Template) -> [String] {
        template.names.filter(captures.contains).map { "the captured \($0.inLine())" }
    }

    /// The credentials that leave, in the order in which a person is asked for them.
    var credentials: [String] {
        // A source is given each of them, and the file does not say where it sends one.
        let given = script.documentSource == nil ? [] : script.credentials
        let sent = Set(actions.flatMap(\.sentCredentials) + given).union(script.exchange?.sends ?? [])
        return script.credentials.filter(sent.contains) + sent.subtracting(script.credentials).sorted()
    }
}
