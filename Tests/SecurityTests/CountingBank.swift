import BankScript
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestServers

/// A bank on loopback that counts how often each password and each code arrives, and refuses all of them.
final class CountingBank: Sendable {
    /// How `POST /login` answers.
    enum Login: Sendable {
        /// With the form again and a notice; the third refusal locks the account.
        case refuses
        /// With the form again and no notice, as after the end of a session.
        case asksAgain
        /// With a redirect that repeats the body: to the same address, or each time to another one.
        case repeatsBody(growing: Bool)
        /// With a request for a code, which it refuses.
        case refusesCodes
        /// With 204, which leaves the page open as it was filled in.
        case answersNothing
        /// With a page whose script sends the password again, in a way of ``Resending``.
        case sendsAgain(Resending)
        /// With a status of refusal, and a page that says nothing.
        case rejects(Int)
    }

    enum Resending: String, Sendable, CaseIterable {
        case form, fetch, beacon
    }

    static let password = "analytical engine"

    private let login: Login
    /// The address that the form of the sign-in leads to.
    private let action: String
    private let bodies = Mutex<[String]>([])

    init(_ login: Login, action: String = "/login") {
        self.login = login
        self.action = action
    }

    /// The bodies that held this text.
    func count(of text: String = password) -> Int {
        let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        let plus = encoded.replacing("%20", with: "+")
        return bodies.withLock { $0.count { [text, encoded, plus].contains(where: $0.contains) } }
    }

    /// The number of sign-ins, whatever was in them.
    var signIns: Int { bodies.withLock { $0.count { $0.contains("password") } } }

    /// Serves while `body` runs, which gets the bank's origin.
    func serve<Success: Sendable>(
        _ body: @escaping @Sendable (String) async throws -> Success
    ) async throws -> Success {
        let router = Router()
        router.get("/login") { _, _ in Self.page(self.form()) }
        for path in ["/login", "/login/:part", "/code", "/api/poll"] as [RouterPath] {
            router.post(path) { request, _ in try await self.take(request) }
        }
        return try await LoopbackServer.run(router) { try await body("http://127.0.0.1:\($0)") }
    }

    private func take(_ request: Request) async throws -> Response {
        let buffer = try await request.body.collect(upTo: 1 << 16)
        let count = bodies.withLock { bodies in
            bodies.append(String(buffer: buffer))
            return bodies.count
        }
        if request.uri.path == "/api/poll" { return Self.json(#"{"ok": 0}"#) }
        if request.uri.path == "/code" {
            return Self.page("<p class=notice>The code is not right.</p>" + Self.codeForm)
        }
        switch login {
        case .refuses:
            let notice = count < 3 ? "The password is not right." : "Account locked."
            return Self.page("<p class=notice>\(notice)</p>" + form())
        case .asksAgain: return Self.page(form())
        case .sendsAgain(let way): return Self.page(Self.resending(way))
        case .rejects(let status):
            var answer = Self.page("<h1>No entry</h1>")
            answer.status = .init(code: status)
            return answer
        case .answersNothing: return Response(status: .noContent)
        case .refusesCodes: return Self.page(Self.codeForm)
        case .repeatsBody(let growing):
            return Response(
                status: .temporaryRedirect, headers: [.location: growing ? "/login/\(count)" : "/login"])
        }
    }

    private func form() -> String {
        """
        <form method=post action=\(action)><label>Username <input name=username></label>
        <label>Password <input type=password name=password></label><button>Sign in</button></form>
        """
    }

    private static func resending(_ way: Resending) -> String {
        let send =
            switch way {
            case .form: "document.forms[0].submit()"
            case .fetch: "fetch('/api/poll', {method: 'POST', body: JSON.stringify({p: '\(password)'})})"
            case .beacon: "navigator.sendBeacon('/api/poll', new URLSearchParams({p: '\(password)'}))"
            }
        return
            "<form method=post action=/login><input name=password value='\(password)'></form><script>\(send)</script>"
    }

    private static let codeForm =
        "<form method=post action=/code><label>Code <input name=code></label><button>Go on</button></form>"

    private static func page(_ body: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/html"],
            body: .init(byteBuffer: ByteBuffer(string: "<title>Bank</title><main>\(body)</main>")))
    }

    private static func json(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension BankScript {
    /// A script for ``CountingBank`` that signs in and looks for a notice.
    static func countingBank(at origin: String) -> BankScript {
        BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            Fail(.bankLoginFailed, when: ".notice", reason: .wrongCredentials)
            Download("PDF")
        }
    }

    /// A script for ``CountingBank`` that signs in with a password, and then with a PIN.
    static func countingBankWithPIN(at origin: String) -> BankScript {
        BankScript(
            "default", named: "Counting Bank", at: origin, isForTesting: true,
            credentials: ["username", "password", "pin"]
        ) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            Fill("Code", with: .credential("pin"))
            Press("Go on")
            Download("PDF")
        }
    }

    /// A script for ``CountingBank`` that signs in, answers the question for a code, and asks for a page instead of a PDF for
    /// each month.
    static func countingBankWithCodeForMonths(at origin: String) -> BankScript {
        BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            SecondFactor("Code", from: .person, within: .seconds(20))
        } forEachPeriod: {
            Download(from: .open("/login"))
        }
    }

    /// A script for ``CountingBank`` that signs in and answers the question for a code.
    ///
    /// - Parameter looksForNotice: ends the run when the bank says that the code is wrong.
    static func countingBankWithCode(at origin: String, tries: Int = 1, looksForNotice: Bool = true) -> BankScript {
        BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            SecondFactor("Code", from: .person, tries: tries, within: .seconds(20))
            if looksForNotice { Fail(.bankLoginFailed, when: ".notice", reason: .wrongCode) }
            Download("PDF")
        }
    }
}
