import Automation
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// Menus, lists and fields for one character each, which pages make of other elements than browsers have for it.
@Suite("Controls that a page makes, in the browser", .serialized)
struct MadeControlsInBrowserTests {
    private static let pages: [String: String] = [
        "/list": """
        <div id=box role=combobox aria-expanded=false tabindex=0 aria-label=Account>Choose…</div>
        <ul id=list role=listbox style="display:none"><li role=option>Current</li><li role=option>Savings</li></ul>
        <p>Savings are safe here.</p><script>
        box.onclick = () => { list.style.display = 'block'; };
        for (const option of list.children) {
          option.onclick = () => { box.textContent = option.textContent; list.style.display = 'none'; };
        }
        </script>
        """,
        "/menu": """
        <style>.menu ul { display: none } .menu:hover ul { display: block }</style>
        <ul><li class=menu><span>Accounts</span><ul><li><a href=/statements>Statements</a></li></ul></li></ul>
        """,
        "/scripted-menu": """
        <div><span id=trigger>Accounts</span><div id=menu hidden><a href=/statements>Statements</a></div></div><script>
        trigger.onmouseenter = () => setTimeout(() => { menu.hidden = false; }, 50);
        </script>
        """,
        "/hidden": "<div hidden><a href=/statements>Statements</a></div>",
        "/code": """
        <fieldset><legend>Code</legend><div id=digits></div></fieldset><script>
        for (let i = 0; i < 6; i++) {
          const digit = document.createElement('input');
          digit.maxLength = 1;
          digit.setAttribute('maxlength', 1);
          digit.oninput = () => {
            digit.nextElementSibling?.focus();
            const code = [...digits.children].map((field) => field.value).join('');
            if (code.length == 6) location = '/sent?' + code;
          };
          digits.append(digit);
        }
        </script>
        """,
    ]

    @Test("are chosen from a list", .needsChromedriver, .timeLimit(.minutes(3)))
    func list() async throws {
        try await visit("/list") { engine in
            try await engine.choose("Savings", in: .field("Account"))
            #expect(try await engine.text(of: .css("#box")) == "Savings")
            // What shows the choice is pressed by its name, as a button is.
            try await engine.press(.button("Account"))
            try await engine.press(.button("Current"))
            #expect(try await engine.text(of: .css("#box")) == "Current")
        }
    }

    @Test(
        "are followed in a menu that opens under the pointer", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: ["/menu", "/scripted-menu"])
    func menu(_ path: String) async throws {
        try await visit(path) { engine in
            try await engine.follow(.link("Statements"))
            #expect(await engine.page()?.path == "/statements")
        }
    }

    @Test("are not used where the pointer does not open them", .needsChromedriver, .timeLimit(.minutes(3)))
    func hidden() async throws {
        let paths = try await visit("/hidden") { engine in
            let error = await #expect(throws: EngineError.self) { try await engine.follow(.link("Statements")) }
            #expect(error?.kind == .notFound)
        }
        #expect(!paths.contains("/statements"))
    }

    @Test("hold one character of a code each", .needsChromedriver, .timeLimit(.minutes(3)))
    func code() async throws {
        let paths = try await visit("/code") { engine in
            let parts = try await engine.characterFields(of: .field("Code"))
            #expect(parts.count == 6)
            for (part, character) in zip(parts, "839174") {
                try await engine.fill(part, with: .secret(Secret(String(character))))
            }
            #expect(await engine.page()?.path == "/sent")
        }
        #expect(paths.contains("/sent?839174"))
    }

    @discardableResult private func visit(
        _ path: String, _ body: (BrowserNavigationEngine) async throws -> Void
    ) async throws -> Set<String> {
        try await BrowserVisit.run(
            page: { "<title>Bank</title>" + (Self.pages[$0] ?? "<p>Here</p>") },
            { engine, origin in
                try await engine.open(origin + path)
                try await body(engine)
            })
    }
}
