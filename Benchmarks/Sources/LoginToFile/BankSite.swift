import Hummingbird
import HummingbirdTLS
import Logging
import NIOSSL

/// A small bank in this process: nine exchanges from its front page to a statement.
struct BankSite {
    static let credentials = "csrf=4f1c&username=jane&password=correct+horse"
    static let code = "csrf=4f1c&code=123456"
    static let statement = [UInt8]("%PDF-1.7\n".utf8) + [UInt8](repeating: 0x20, count: 100_000)

    /// The frame of every page: navigation, a footer and styles, about 4 KB.
    private static let furniture: String = {
        let links = (1...15).map {
            "<li class=\"nav__item\"><a class=\"nav__link\" href=\"/info/\($0)\">Service \($0)</a></li>"
        }
        let rows = (1...15).map {
            "<tr><td>Notice \($0)</td><td class=\"num\">\($0 * 37) €</td><td><span>posted</span></td></tr>"
        }
        return
            "<nav><ul>\(links.joined())</ul></nav><table><thead><tr><th>Text<th>Sum<th>State</thead>\(rows.joined())</table>"
    }()

    private static func page(_ title: String, _ content: String) -> String {
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>\(title)</title>"
            + "<style>\(String(repeating: ".a{color:#123}", count: 30))</style></head>"
            + "<body>\(furniture)<main><h1>\(title)</h1>\(content)</main></body></html>"
    }

    private static let hidden = "<input type=hidden name=csrf value=4f1c>"
    private static let pages: [String: String] = [
        "/": page("Welcome", "<a href=/login>Sign in</a>"),
        "/login": page(
            "Sign in",
            "<form action=/session method=post>\(hidden)<label>Username <input name=username required></label>"
                + "<label for=p>Password</label><input id=p type=password name=password required><button>Sign in</button></form>"
        ),
        "/verify": page(
            "Verify",
            "<form action=/verify method=post>\(hidden)<label>One-time code <input name=code maxlength=6></label>"
                + "<button>Continue</button></form>"),
        "/accounts": page("Accounts", "<a href=/statements>Statements</a>"),
        "/statements": page(
            "Statements",
            "<form><label>Year <select name=year><option>2024<option>2025<option>2026</select></label><button>Show</button></form>"
                + "<table><tr><th>Month<th>File<tr><td>January 2026<td><a href=/files/1>PDF</a>"
                + "<tr><td>February 2026<td><a href=/files/2>PDF</a></table>"),
    ]

    /// - Parameter tls: nil for plain HTTP.
    static func application(
        tls: TLSConfiguration?, onReady: @escaping @Sendable (Int) -> Void
    ) throws -> some ApplicationProtocol {
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            if request.method == .post { _ = try await request.body.collect(upTo: 1 << 16) }
            switch (request.method, request.uri.path) {
            case (.post, "/session"):
                return Response(
                    status: .seeOther, headers: [.location: "/verify", .setCookie: "sid=1; Path=/; HttpOnly"])
            case (.post, "/verify"): return Response(status: .seeOther, headers: [.location: "/accounts"])
            case (_, "/files/2"):
                return Response(
                    status: .ok, headers: [.contentType: "application/pdf"],
                    body: .init(byteBuffer: ByteBuffer(bytes: statement)))
            case (_, let path):
                guard let html = pages[path] else { return Response(status: .notFound) }
                return Response(
                    status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                    body: .init(byteBuffer: ByteBuffer(string: html)))
            }
        }
        var logger = Logger(label: "bank")
        logger.logLevel = .critical
        return Application(
            responder: responder, server: try tls.map { try .tls(.http1(), tlsConfiguration: $0) } ?? .http1(),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { onReady(port) }
            }, logger: logger)
    }
}
