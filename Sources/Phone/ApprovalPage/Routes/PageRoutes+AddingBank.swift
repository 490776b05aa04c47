import Automation
import BankScript
import Encodings
import HTTPTypes
import Hummingbird
import KeyVault
import NIOCore
import Phone
import PhoneStore
import Secrets
import WebServing

// A new bank: its script is chosen and read, and then accepted with the vault's passphrase or a passkey.

extension PageRoutes {
    /// The most bytes of a posted script: each byte of it may take three in a form, and the other fields need some.
    private static let largestPost = 3 * ScriptFolder.largest + PageRequest.largest

    /// The time that a page waits for the end of an attempt before it shows that it goes on.
    private static let endPatience: Duration = .seconds(2)

    /// The last part of the address at which a script is chosen.
    private static let adding = "add"

    /// The field that stands for a test login. No script has a credential of such a name.
    private static let tries = "test.login"

    func addAdding(to router: RouterGroup<PageContext>) {
        // A path of its own would hide what stands below a bank whose id is `add`: the router goes back to no other branch.
        router.get("/banks/:id") { _, context in
            let session = try PageRequest.session(context)
            guard try bankID(context) == Self.adding else { throw PageRefusal.notFound }
            return try await choosing(session)
        }
        router.post("/banks/:id") { request, context in
            let session = try PageRequest.session(context)
            guard try bankID(context) == Self.adding else { throw PageRefusal.notFound }
            let form: PostedForm
            do {
                form = try await PageRequest.form(request, of: session, upTo: Self.largestPost).1
            } catch is NIOTooManyBytesError {
                return try await choosing(
                    session, after: AddBankView.Refusal(PageText.of("add.too-large")), status: .contentTooLarge)
            }
            return try await read(form, session)
        }
        router.get("/add-bank/:digest") { _, context in
            let session = try PageRequest.session(context)
            guard let script = await state.readScript(digest(context), of: session) else {
                return try await forgotten(session)
            }
            let before = await state.addition(digest(context))
            let signsIn = before.map { $0.session != session.id || $0.signsIn } ?? true
            return try await reading(script, session, keeping: AddBankView.Kept(signsIn: signsIn))
        }
        router.post("/add-bank/:digest") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            if let addition = await state.begunAddition(digest(context), by: session) {
                return Response.redirect(to: session.base + Self.end(of: addition), type: .normal)
            }
            guard let script = await state.readScript(digest(context), of: session) else {
                return try await forgotten(session)
            }
            let signsIn = form.isOn("credential-\(Self.tries)")
            return try await PageErrors.telling {
                let kept = AddBankView.Kept(username: form["credential-username"] ?? "", signsIn: signsIn)
                return try await reading(script, session, keeping: kept, wrong: $0, status: $1)
            } _: {
                let credentials = try Self.credentials(of: script) { form.secret("credential-\($0)") }
                try await add(
                    script, credentials, signingIn: signsIn,
                    with: PassphraseVerification(form.secret("passphrase"), from: .page), session)
                return Response.redirect(to: session.base + Self.end(of: digest(context)), type: .normal)
            }
        }
        router.post("/add-bank/:digest/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            let script = try await readScript(context, session)
            return Response.json(
                try await state.assertionOptions(for: .addBank(script.script.digest, session: session.id)))
        }
        router.post("/add-bank/:digest/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let script = try await readScript(context, session)
            let given = json["credentials"]
            let credentials = try Self.credentials(of: script) { Secret(given?[$0]?.stringValue ?? "") }
            let verification = try await state.verification(
                json["assertion"], for: .addBank(script.script.digest, session: session.id),
                and: Secret(json["passphrase"]?.stringValue ?? ""), from: .page)
            try await add(
                script, credentials, signingIn: given?[Self.tries]?.stringValue == "on", with: verification, session)
            return Response.json([:])
        }
        router.get("/add-bank/:digest/end") { request, context in
            let session = try PageRequest.session(context)
            guard let addition = await state.addition(digest(context)) else { throw PageRefusal.notFound }
            // The page's own script hears of the end.
            if request.headers[.pageRenewal] == nil { _ = await addition.end(within: Self.endPatience) }
            return try await ending(addition, session)
        }
        router.post("/add-bank/:digest/cancel") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            guard let addition = await state.addition(digest(context)) else { throw PageRefusal.notFound }
            addition.cancel()
            return Response.redirect(to: session.base + Self.end(of: addition), type: .normal)
        }
    }

    private func digest(_ context: PageContext) -> String { context.parameters.get("digest") ?? "" }

    static func end(of addition: BankAddition) -> String { end(of: addition.script.digest.hex) }

    private static func end(of digest: String) -> String { "/add-bank/\(digest)/end" }

    /// Returns the script that this session has read, for the page's script.
    private func readScript(_ context: PageContext, _ session: PageSession) async throws -> ReadScript {
        guard let script = await state.readScript(digest(context), of: session) else {
            throw HTTPError(.conflict, message: PageText.of("add.forgotten"))
        }
        return script
    }

    // MARK: Choosing

    private func choosing(
        _ session: PageSession, after refusal: AddBankView.Refusal? = nil, text: String = "",
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        var atHand: ScriptsAtHand?
        var refusal = refusal
        if let banks = configuration.banks {
            let stored = Set(try await state.store.credentialTimes().keys)
            do {
                atHand = try await banks.scriptsAtHand(besides: stored)
            } catch let problem as ScriptRefusal {
                atHand = ScriptsAtHand(scripts: [], distantCollections: [])
                refusal = refusal ?? AddBankView.Refusal(problem)
            }
        }
        return PageViews.page(
            "addBank", title: PageText.of("add.title"), session: session, in: .banks,
            AddBankView.values(atHand, after: refusal, text: text), status: status)
    }

    private func forgotten(_ session: PageSession) async throws -> Response {
        try await choosing(
            session, after: AddBankView.Refusal(PageText.of("add.forgotten")), status: .conflict)
    }

    /// Reads the script that a form names or brings. A text that is refused stays in the form.
    private func read(_ form: PostedForm, _ session: PageSession) async throws -> Response {
        guard let banks = configuration.banks else { throw PageRefusal.notFound }
        _ = try await state.unlocked()
        // A form's lines end as HTTP's do (HTML, section 4.10.22.7).
        let text = (form["text"] ?? "").replacing("\r\n", with: "\n")
        func refused(_ refusal: AddBankView.Refusal) async throws -> Response {
            try await choosing(session, after: refusal, text: text, status: .conflict)
        }
        let source: ScriptSource
        if let key = form["script"], !key.isEmpty {
            source = .atHand(key)
        } else {
            guard !text.allSatisfy(\.isWhitespace) else { return try await refused(.init(PageText.of("add.nothing"))) }
            guard text.utf8.count <= ScriptFolder.largest else {
                return try await refused(.init(PageText.of("add.too-large")))
            }
            source = .text(text)
        }
        let script: ReadScript
        do {
            script = try await banks.read(source)
        } catch let refusal as ScriptRefusal {
            // A bank that is there already needs no other file.
            if case .another(let id, let bank, _) = refusal, try await isStored(id) {
                return try await refused(Self.stored(bank))
            }
            return try await refused(.init(refusal))
        }
        guard try await !isStored(script.script.id) else { return try await refused(Self.stored(script.script.name)) }
        await state.keep(script, for: session)
        return Response.redirect(to: "\(session.base)/add-bank/\(script.script.digest.hex)", type: .normal)
    }

    private func isStored(_ bankID: String) async throws -> Bool {
        try await state.store.credentialTimes()[bankID] != nil
    }

    private static func stored(_ bank: String) -> AddBankView.Refusal {
        AddBankView.Refusal(PageText.of("add.stored", ["bank": bank.inLine(limit: 80)]))
    }

    // MARK: Accepting

    private func reading(
        _ script: ReadScript, _ session: PageSession, keeping kept: AddBankView.Kept, wrong: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        return PageViews.page(
            "readScript", title: PageText.of("add.heading-of", ["bank": script.script.name.inLine(limit: 80)]),
            session: session, in: .banks,
            AddBankView.values(of: script, keeping: kept, wrong: wrong, slots: try state.home.vault.slots()),
            status: status)
    }

    /// Returns the credentials that the script declares, each with a value.
    private static func credentials(
        of script: ReadScript, _ value: (String) -> Secret
    ) throws -> [String: Secret] {
        let credentials = Dictionary(script.script.credentials.map { ($0, value($0)) }, uniquingKeysWith: { $1 })
        guard !credentials.isEmpty, !credentials.values.contains(where: \.isEmpty) else {
            throw HTTPError(.conflict, message: PageText.of("add.empty"))
        }
        return credentials
    }

    private func add(
        _ script: ReadScript, _ credentials: [String: Secret], signingIn signsIn: Bool,
        with verification: any UserVerification, _ session: PageSession
    ) async throws {
        guard let banks = configuration.banks else { throw PageRefusal.notFound }
        try await state.add(
            script, credentials, signingIn: signsIn && script.offersTestLogin, through: banks, with: verification,
            session: session)
    }

    // MARK: The end

    private func ending(_ addition: BankAddition, _ session: PageSession) async throws -> Response {
        _ = try await state.unlocked()
        // Counted first: an end that comes while the page is made is fetched once more.
        let version = String(state.changes.count)
        let accepted = try? AcceptedScripts(home: state.home.folder).digests()
        var values = AddBankView.values(
            of: addition, isAccepted: accepted?.contains(addition.script.digest) == true
        ) { PageErrors.describe($0).1 }
        if addition.end == nil, let question = await state.prompt.open {
            values["question"] = PageViews.values(question, session: session, now: .now)
        }
        if values["failed"] != nil {
            let mayTypeAgain = await state.readScript(addition.script.digest.hex, of: session) != nil
            values["again"] = mayTypeAgain ? "add-bank/\(addition.script.digest.hex)" : "banks/add"
        }
        values["version"] = version
        return PageViews.page(
            "addedBank", title: PageText.of("add.heading-of", ["bank": addition.script.name.inLine(limit: 80)]),
            session: session,
            in: .banks, isLive: addition.end == nil, values)
    }
}
