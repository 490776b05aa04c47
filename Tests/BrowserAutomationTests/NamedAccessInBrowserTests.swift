import Automation
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// A page whose markup or scripts stand in the place of what the engine reads: fields, images and ids with the names of members
/// (HTML: "The form element", "DOM tree accessors", "Named access on the Window object"), and members replaced by a script.
@Suite("Names of a hostile page in the browser", .serialized)
struct NamedAccessInBrowserTests {
    private static let ofForms = [
        "localName", "nodeType", "childNodes", "attributes", "shadowRoot", "textContent", "childElementCount",
        "getAttribute", "checkVisibility", "querySelectorAll", "querySelector", "elements", "append", "submit",
        "noValidate", "isConnected", "parentNode", "parentElement", "contains", "matches", "closest", "id", "name",
        "getClientRects", "getBoundingClientRect", "previousElementSibling", "scrollIntoView", "scrollTop", "labels",
        "constructor", "__proto__",
    ]
    private static let ofDocuments = [
        "body", "documentElement", "contentType", "querySelector", "querySelectorAll", "evaluate", "createElement",
        "elementFromPoint", "scrollingElement",
    ]
    private static let ofWindows = [
        "countersign", "kept", "elements", "elementsKeys", "press", "filled", "navigation", "uncover", "read", "ask",
    ]

    /// A form with the fields of a sign-in, and others that stand for the members of forms.
    private static let form = """
        <form action=/sent onsubmit="return user.value !== ''"><p><label>Customer <input name=user required></label></p>
        <p><label>Password <input name=secret type=password></label></p><p><button>Sign in</button></p>
        """

    private static let scripts = """
        <script>
        const nothing = () => null;
        for (const type of [Element, HTMLElement, Node, Document, HTMLInputElement, HTMLFormElement, Event]) {
          for (const name of Object.getOwnPropertyNames(type.prototype)) {
            if (name !== 'constructor') {
              try { Object.defineProperty(type.prototype, name, { get: nothing, set: nothing }); } catch { }
            }
          }
        }
        Reflect.get = Object.getPrototypeOf = Symbol.for = JSON.stringify = nothing;
        </script>
        """

    private static let pages: [String: String] = [
        "/fields": page([form] + ofForms.map { "<input type=hidden name='\($0)' value=other>" } + [end]),
        "/lists": page(
            [form] + ofForms.map { "<select hidden name='\($0)'><option>other<option>another</select>" } + [end]),
        "/parts": page(
            ["<form name=scripts></form>"]
                + ofDocuments.map { "<img name='\($0)' alt='' width=1 height=1><form name='\($0)'></form>" }
                + ofWindows.map { "<form id='\($0)'><input type=hidden value=other></form>" } + [form, end]),
        "/replaced": page([form, end, scripts]),
    ]
    private static let end = "</form><script></script>"

    private static func page(_ parts: [String]) -> String { parts.joined() }

    @Test(
        "are not taken for members of the page", .needsChromedriver, .timeLimit(.minutes(4)),
        arguments: ["/fields", "/lists", "/parts", "/replaced"])
    func filled(_ path: String) async throws {
        let paths = try await visit(path) { engine in
            #expect(try await engine.texts(.css("button")) == ["Sign in"])
            // The browser would not submit the form, and says which field it would stop at.
            let error = await #expect(throws: EngineError.self) { try await engine.press(.button("Sign in")) }
            #expect(error?.message.contains("A browser would not submit the form") == true, "\(error?.message ?? "")")
            try await engine.fill(.field("Customer"), with: .text("casey"))
            try await engine.fill(.field("Password"), with: .secret(Secret("correct-staple")))
            #expect(try await engine.call("() => kept.filled.length") == 2)
            try await engine.press(.button("Sign in"))
            #expect(await engine.page()?.path == "/sent")
        }
        let sent = paths.filter { $0.hasPrefix("/sent?") }
        #expect(sent.count == 1)
        #expect(sent.allSatisfy { $0.hasPrefix("/sent?user=casey&secret=correct-staple") })
    }

    @Test(
        "do not hide a form's fields from a script that submits it", .needsChromedriver, .timeLimit(.minutes(4)),
        arguments: ["/fields", "/lists", "/parts"])
    func submitted(_ path: String) async throws {
        let paths = try await visit(path) { engine in
            try await engine.submit(
                form: .css("form[onsubmit]"), with: [("user", .text("casey")), ("month", .text("11"))])
        }
        let sent = paths.filter { $0.hasPrefix("/sent?") }
        // The field that there is got the value, and the one that there was not came last.
        #expect(sent.count == 1)
        #expect(sent.allSatisfy { $0.hasPrefix("/sent?user=casey&secret=&") && $0.hasSuffix("month=11") })
        #expect(sent.allSatisfy { $0.split(separator: "user=").count == 2 })
    }

    @discardableResult private func visit(
        _ path: String, _ body: (BrowserNavigationEngine) async throws -> Void
    ) async throws -> Set<String> {
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: .seconds(10)),
            page: { "<title>Bank</title>" + (Self.pages[$0] ?? "<p>Sent</p>") },
            { engine, origin in
                try await engine.open(origin + path)
                try await body(engine)
            })
    }
}
