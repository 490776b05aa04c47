import Hummingbird

// Second factors that a customer enters character by character: a memorable word, and a pad of keys.

extension BankRoutes {
    private static let mostTries = 3

    func addCharacters(to router: Router<BasicRequestContext>) {
        switch scenario {
        case .memorableWord:
            router.get("/word") { request, _ in await wordPage(request) }
            router.post("/word") { request, _ in try await word(request) }
        case .pinPad:
            router.get("/pin") { request, _ in await padPage(request) }
            router.post("/pin") { request, _ in try await key(request) }
            router.get("/keys/:key") { request, context in await keyPicture(request, context) }
        default: break
        }
    }

    private func session(of request: Request) async -> (token: String, session: Sessions.Session)? {
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted
        else { return nil }
        return (token, session)
    }

    // MARK: The memorable word

    private func wordPage(_ request: Request, error: String? = nil) async -> Response {
        guard let (_, session) = await session(of: request) else { return redirect("/login") }
        return page(pages.word(places: places(of: session), csrf: session.csrf, error: error))
    }

    /// The three positions that this session asks for, counted from 1.
    private func places(of session: Sessions.Session) -> [Int] {
        let count = configuration.memorableWord.count
        let first = session.wordStart % max(1, count - 2)
        return [first + 1, first + 2, count]
    }

    private func word(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let (token, session) = await session(of: request), form["_csrf"] == session.csrf else {
            return redirect("/login")
        }
        let letters = configuration.memorableWord.map(String.init)
        guard places(of: session).allSatisfy({ form["character\($0)"] == letters[$0 - 1] }) else {
            guard await sessions.countCodeTry(token) < Self.mostTries else {
                await sessions.end(token)
                return redirect("/login")
            }
            return await wordPage(request, error: "These characters are not right.")
        }
        return await letIn(token, at: request)
    }

    // MARK: The pad

    private func padPage(_ request: Request, error: String? = nil) async -> Response {
        guard let (token, _) = await session(of: request), let session = await sessions.shufflePad(token) else {
            return redirect("/login")
        }
        return page(
            pages.pad(session.pad, entered: session.typed.count, csrf: session.csrf, error: error))
    }

    private func key(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let (token, session) = await session(of: request), form["_csrf"] == session.csrf else {
            return redirect("/login")
        }
        guard let digit = session.pad.first(where: { $0.key == form["key"] })?.digit else {
            return await padPage(request)
        }
        let typed = await sessions.type(digit, in: token)
        guard typed.count >= configuration.pin.count else { return redirect("/pin") }
        guard typed == configuration.pin else {
            guard await sessions.countCodeTry(token) < Self.mostTries else {
                await sessions.end(token)
                return redirect("/login")
            }
            await sessions.clearTyped(token)
            return await padPage(request, error: "That PIN is not right.")
        }
        return await letIn(token, at: request)
    }

    private func keyPicture(_ request: Request, _ context: BasicRequestContext) async -> Response {
        guard let (_, session) = await session(of: request),
            let key = session.pad.first(where: { $0.key == context.parameters.get("key") })
        else { return page(pages.notFound(), status: .notFound) }
        return Response(bytes: Array(pages.challenge(code: key.digit).utf8), type: "image/svg+xml")
    }
}
