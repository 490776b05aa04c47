import Encodings
import HTTPTypes
import Hummingbird
import Messages
import Secrets
import WebServing

/// The pages that a person sees in the browser that a program has opened. They ask for nothing: the person decides on the
/// household's own page.
enum AuthorizationPage {
    static let policy =
        "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

    static let style = """
        :root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 34rem; padding: 2rem 1rem; }
        .number { font: 700 2.25rem/1.4 ui-monospace, monospace; letter-spacing: 0.08em; }
        .small { font-size: 0.9rem; overflow-wrap: anywhere; }
        """

    /// The page that waits for the person's decision; it looks again every three seconds.
    static func waiting(number: Secret) -> Response {
        let shown = ClientNumber.shown(number).map(\.escapedForHTML).revealed()
        return page(
            "A program asks",
            """
            <h1>A program asks for your bank documents</h1>
            <p>Did you just connect a program to Countersign? Then open your household's page, where you approve requests, and \
            choose <strong>Settings</strong>, then <strong>Programs elsewhere</strong>. Type this number there:</p>
            <p class="number">\(shown)</p>
            <p>Type it nowhere else, and tell it to no one. If you did not begin this, close the page: nothing happens.</p>
            <p class="small" role="status">Waiting for your decision…</p>
            """, renews: true)
    }

    static func over() -> Response {
        page(
            "Over",
            """
            <h1>This question is over</h1>
            <p>It was answered, took more than ten minutes, or belongs to another browser. Begin again at the program.</p>
            """, status: .gone)
    }

    static func refused(_ error: OAuthError) -> Response { refused(error, "") }

    /// The page of a refusal with the way back to the program, and the name of the place to which it leads.
    static func refused(_ returned: AuthorizationServer.Returned) -> Response {
        refused(
            returned.error,
            """
            <p>The program wants you at <strong>\(returned.place.escapedForHTML)</strong>. Go there only if you \
            know it:</p>
            <p class="small"><a href="\(returned.address.escapedForHTML)">Go back to the program</a></p>
            """)
    }

    private static func refused(_ error: OAuthError, _ way: String) -> Response {
        page(
            "Not understood",
            """
            <h1>The program's question is not taken</h1>
            <p>Nothing was allowed. Tell its maker:</p>
            <p class="small"><code>\(error.code.rawValue)</code>: \(error.message.visible.escapedForHTML)</p>
            \(way)
            """, status: error.status == .tooManyRequests ? .tooManyRequests : .badRequest)
    }

    /// The page with the way back to a program that is not of the web.
    static func back(to address: Secret) -> Response {
        page(
            "Decided",
            """
            <h1>You have decided</h1>
            <p><a href="\(address.map(\.escapedForHTML).revealed())">Go back to the program</a></p>
            """)
    }

    private static func page(
        _ title: String, _ body: String, status: HTTPResponse.Status = .ok, renews: Bool = false
    ) -> Response {
        let renewal = renews ? "<meta http-equiv=\"refresh\" content=\"3\">" : ""
        let text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title) · Countersign</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">\(renewal)
            <link rel="stylesheet" href="/authorize/style.css"></head><body><main>
            \(body)
            </main></body></html>
            """
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: .init(string: text)))
    }
}
