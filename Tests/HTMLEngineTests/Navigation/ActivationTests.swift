import Secrets
import Testing

@testable import HTMLEngine

struct ActivationTests {
    private static let page = """
        <a href="javascript:go()">Script</a><a onclick="go()">Nowhere</a><a href="#" onclick="go()">Hash</a><span>Span</span>
        <button>Alone</button><div role=button>Drawn</div><a href=/linked>Linked</a>
        <form id=f action="/sent" method=post><label>Name <input name=n></label><button type=button>Inert</button>
        <button type=reset>Reset</button><button disabled>Disabled</button><input type=checkbox aria-label=Box></form>
        <button form=f name=b value=1><span>Out</span><i>side</i></button>
        <form action="javascript:void(0)"><button>Scripted form</button></form>
        <form action=/single><label>Search <input name=q></label></form>
        <form><label>First <input></label><label>Second <input></label></form>
        <form method=get><label>Password <input type=password name=p></label><button>Get</button></form>
        """

    private static let site: LoopbackSite.Site = { asked in
        asked.path == "/" ? .html(page) : .html("<title>\(asked.method) \(asked.target) \(asked.body)</title>")
    }

    @Test(
        "says that an element needs JavaScript, and what to do instead",
        arguments: [
            "Script", "Nowhere", "Hash", "Span", "Alone", "Drawn", "Inert", "Scripted form",
        ])
    func javaScript(name: String) async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            let error = await #expect(throws: NavigationError.self) { try await session.press(.text(.exact(name))) }
            #expect(error?.code == .needsJavaScript)
            #expect(error?.message.contains("JSON") == true)
            #expect(error?.message.contains("“engine: browser”") == true)
            #expect(site.asked.count == 1)
        }
    }

    @Test("presses everything that a person could press")
    func pressing() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            #expect(try await session.press(.button("Linked")).title == "GET /linked")
            try await session.back()
            try await session.fill(.field("Name"), with: .text("x"))
            try await session.press(.button("Reset"))
            #expect(try await session.value(of: .field("Name")).revealed == "")
            try await session.fill(.field("Name"), with: .text("y"))
            #expect(try await session.press(.button("Outside")).title == "POST /sent n=y&b=1")
            try await session.back()
            await #expect(throws: FormError.self) { try await session.press(.button("Disabled")) }
            await #expect(throws: FormError.self) { try await session.press(.field("Box")) }
            await #expect(throws: LocatorError.self) { try await session.press(.button("Missing")) }
        }
    }

    @Test("submits the place where an image button was pressed")
    func picture() async throws {
        let site: LoopbackSite.Site = { asked in
            .html("<title>\(asked.target)</title><form action=/go><input type=image name=map alt=Map></form>")
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            let point = ImagePoint(x: 12, y: 34)
            #expect(try await session.press(.button("Map"), at: point).title == "/go?map.x=12&map.y=34")
            #expect(try await session.press(.button("Map")).title == "/go?map.x=0&map.y=0")
        }
    }

    @Test("Enter in a field submits its form as a browser does")
    func implicitSubmission() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            try await session.fill(.field("Search"), with: .text("x y"))
            #expect(try await session.submit(formOf: .field("Search")).title == "GET /single?q=x+y")
            try await session.back()
            await #expect(throws: NavigationError.self) { try await session.submit(formOf: .field("First")) }
            await #expect(throws: FormError.self) { try await session.submit(formOf: .field("Name")) }
        }
    }

    @Test("a form that would put a secret into a URL is not sent")
    func secretInURL() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            try await session.fill(.field("Password"), with: .secret(Secret("correct horse")))
            let error = await #expect(throws: FormError.self) { try await session.press(.button("Get")) }
            #expect(error?.code == .secretInURL)
            #expect(site.asked.count == 1)
        }
    }
}
