import Foundation
import Secrets
import Testing
import WebURL

@testable import HTMLEngine

struct BrowserSessionTests {
    private static let bank: LoopbackSite.Site = { asked in
        switch (asked.method, asked.path) {
        case ("GET", "/"): .html("<title>Bank</title><a href='/login?next=%2Faccounts'>Sign in</a>")
        case ("GET", "/login"):
            .html(
                """
                <title>Sign in</title><form action="/session" method=post>
                <input type=hidden name=csrf value="t&amp;1"><label>Username <input name=user required></label>
                <label>Password <input type=password name=pass required maxlength=12></label>
                <label><input type=checkbox name=remember> Remember me</label>
                <button name=go value=1>Sign in</button></form>
                """)
        case ("POST", "/session"):
            .redirect("/accounts#top", status: 303, headers: [("set-cookie", "sid=abc; Path=/; HttpOnly")])
        case ("GET", "/accounts"):
            .html(
                """
                <title>Accounts</title><h1>Accounts</h1><table><thead><tr><th>Month<th>Balance<th>File</thead>
                <tr><td>January 2026<td>1,000.00<td><a href="/s/1.pdf">PDF</a>
                <tr><td>February 2026<td>2,000.00<td><a href="/s/2.pdf">PDF</a></table>
                <form action=/list><label>Year <select name=year><option>2025<option selected>2026</select></label>
                <input type=submit value=Show></form>
                """)
        case ("GET", "/s/2.pdf"): .redirect("/files/2")
        case ("GET", "/files/2"): .bytes(Array("%PDF-1.7 two".utf8), type: "application/pdf")
        case ("GET", "/list"): .html("<title>List</title><p>\(asked.target)")
        default: .html("<title>Not found</title><h1>Not found</h1>", status: 404)
        }
    }

    @Test("goes from login to a statement's file as a person would")
    func loginToFile() async throws {
        try await LoopbackSite.run(Self.bank) { site in
            let session = try site.session()
            try await session.open(site.origin)
            try await session.follow(.link("Sign in"))
            try await session.fill(.field("username"), with: .text("jane & co"))
            try await session.fill(.field("Password"), with: .secret(Secret("pä ss")))
            try await session.check(.field("Remember me"), true)
            let accounts = try await session.press(.button("Sign in"))
            #expect(accounts.title == "Accounts")
            #expect(accounts.url == site.origin + "/accounts")
            #expect(try accounts.element(.cell(header: "Balance").within(.row("February 2026"))).text == "2,000.00")

            let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "2.pdf")
            let download = try await session.download(
                .control(.link("PDF").within(.row("February 2026"))), to: file, limit: 1000)
            #expect(download.status == 200)
            #expect(try Data(contentsOf: file) == Data("%PDF-1.7 two".utf8))
            #expect(await session.page?.title == "Accounts")

            try await session.choose("2025", in: .field("Year"))
            let list = try await session.press(.button("Show"))
            #expect(list.text == "/list?year=2025")
            #expect(try await session.back().title == "Accounts")
            await session.close()

            let post = try #require(site.asked.first { $0.method == "POST" })
            #expect(post.body == "csrf=t%261&user=jane+%26+co&pass=p%C3%A4+ss&remember=on&go=1")
            #expect(post.headers["content-type"] == "application/x-www-form-urlencoded")
            #expect(post.headers["referer"] == site.origin + "/login?next=%2Faccounts")
            #expect(post.headers["origin"] == site.origin)
            #expect(site.asked.filter { $0.headers["cookie"] == "sid=abc" }.count == 4)
        }
    }

    @Test("an error status gives a page too, and a reload requests it again")
    func statusAndReload() async throws {
        try await LoopbackSite.run(Self.bank) { site in
            let session = try site.session()
            let page = try await session.open(site.origin + "/nothing")
            #expect(page.status == 404)
            #expect(page.headline == "Not found")
            try await session.reload()
            #expect(site.targets == ["GET /nothing", "GET /nothing"])
        }
    }

    @Test("a page from a submitted form is not requested again")
    func reloadOfForm() async throws {
        let site: LoopbackSite.Site = {
            $0.method == "POST" ? .html("done") : .html("<form method=post><button>Go</button></form>")
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            try await session.open(site.origin + "/form?a=1#b")
            try await session.press(.button("Go"))
            let error = await #expect(throws: NavigationError.self) { try await session.reload() }
            #expect(error?.code == .notRepeatable)
            #expect(site.targets == ["GET /form?a=1", "POST /form?a=1"])
        }
    }

    @Test("keeps the last page whole and requests earlier ones again")
    func history() async throws {
        let titles: LoopbackSite.Site = { .html("<title>\($0.target)</title>") }
        try await LoopbackSite.run(titles) { site in
            let session = try site.session()
            for number in 1...5 { try await session.open("\(site.origin)/\(number)") }
            for number in [4, 3, 2, 1] { #expect(try await session.back().title == "/\(number)") }
            await #expect(throws: NavigationError.self) { try await session.back() }
            #expect(site.targets.count == 8)
        }
    }

    @Test("needs an open page for every action on one")
    func noPage() async throws {
        try await LoopbackSite.run(Self.bank) { site in
            let session = try site.session()
            let error = await #expect(throws: NavigationError.self) { try await session.follow(.link("x")) }
            #expect(error?.code == .noPage)
            await #expect(throws: URLParsingError.self) { try await session.open("/relative") }
        }
    }

    @Test("enters and leaves frames by name, title or selector, including those in the page's source")
    func frames() async throws {
        let site: LoopbackSite.Site = { asked in
            switch asked.path {
            case "/":
                .html(
                    "<title>Outer</title><iframe name=main title='Account area' src=/inner></iframe><iframe id=s srcdoc='<p>in &quot;line&quot;</p><a href=/x>x</a>'></iframe><iframe id=e></iframe>"
                )
            case "/inner": .html("<title>Inner</title><a href=/deep>Deep</a>")
            default: .html("<title>\(asked.path)</title>")
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            let missing = await #expect(throws: LocatorError.self) { try await session.follow(.link("Deep")) }
            #expect(missing?.message.contains("frame") == true)
            #expect(try await session.enter(frame: .text("Account area")).title == "Inner")
            #expect(try await session.follow(.link("Deep")).title == "/deep")
            try await session.back()
            #expect(try await session.back().title == "Outer")
            #expect(try await session.enter(frame: .css("#s")).text == "in \"line\" x")
            #expect(try await session.follow(.link("x")).title == "/x")
            try await session.back()
            try await session.back()
            await #expect(throws: NavigationError.self) { try await session.enter(frame: .css("#e")) }
            await #expect(throws: NavigationError.self) { try await session.enter(frame: .text("Nowhere")) }
            #expect(site.asked.first { $0.path == "/inner" }?.headers["referer"] == site.origin + "/")
        }
    }
}
