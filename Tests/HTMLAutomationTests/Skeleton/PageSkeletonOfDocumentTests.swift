import Automation
import Encodings
import Markup
import Testing

@testable import HTMLAutomation

@Suite("The skeleton of a page")
struct PageSkeletonOfDocumentTests {
    private func skeleton(_ body: String, title: String = "", knowing texts: Set<String> = []) throws -> PageSkeleton {
        let html = "<!doctype html><title>\(title)</title><body>\(body)"
        return PageSkeleton(try Document.parse(Array(html.utf8), url: "https://b.example/"), knowing: texts)
    }

    @Test("has the bank's links, buttons and fields")
    func own() throws {
        let page = try skeleton(
            """
            <nav><a href=/>Accounts</a><a href=/p>Post &amp; documents</a></nav>
            <form><label>Username <input name=u></label><label>Mother's maiden name <input name=m></label>
            <input type=hidden name=h value=x><button>Sign in</button></form>
            <a href=/s>Zippy deals</a>
            """, title: "Welcome to Northern Bank", knowing: ["zippy deals"])
        #expect(page.title == "Welcome to … Bank")
        #expect(
            page.parts.map(\.words) == [
                "field “Username”", "field “… name”", "link “Accounts”", "link “Post & documents”", "button “Sign in”",
                "link “Zippy deals”",
            ])
        #expect(page.parts.filter(\.isUsed).map(\.name) == ["Zippy deals"])
    }

    /// Texts of a person's in the places that a page has for them.
    private static let canaries = [
        "Aurelia", "Quintanilla-Vasquez", "Honeymoon", "40-20-71", "8836", "Elm Street", "aurelia@mail.example",
        "Dr. Petrosyan", "£1,204.33", "QX-5531",
    ]

    @Test(
        "has nothing of a person's, wherever the page shows it",
        arguments: [
            "<a href=/me>CANARY</a>", "<a href='/a/CANARY'>Account</a>", "<a href=/a title='CANARY'>Account</a>",
            "<a href=/a aria-label='Account of CANARY'>x</a>", "<button>CANARY</button>",
            "<button>Sign out CANARY</button>",
            "<form><label>CANARY<input name=a value='CANARY'></label><button name='CANARY'>Save</button></form>",
            "<form><input placeholder='CANARY' name='CANARY' id='CANARY'></form>",
            "<form><select aria-label=Account><option>CANARY</option></select></form>",
            "<table><tr><td>CANARY</td><td><a href=/1>CANARY statement</a></td></tr></table>",
            "<ul><li><a href=/1>CANARY</a></li></ul>", "<h1>Welcome CANARY</h1>", "<img alt='CANARY'>",
            "<a href=/a><img alt='CANARY'></a>", "<input type=submit value='CANARY'>",
            "<form><label for=a>CANARY</label><input id=a type=password></form>", "<p>CANARY</p>",
        ])
    func canary(pattern: String) throws {
        for canary in Self.canaries {
            let page = try skeleton(pattern.replacing("CANARY", with: canary), title: "Account of \(canary)")
            let kept = page.json.compactText().lowercased()
            for word in canary.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) where word.count > 2 {
                // Words that every bank uses tell nothing of one person.
                guard !BankingVocabulary.contains(word) else { continue }
                #expect(!kept.contains(word.lowercased()), "\(word) of \(pattern) is in \(kept)")
            }
        }
    }

    @Test("of a page without end has an end")
    func large() throws {
        let page = try skeleton(String(repeating: "<a href=/x>Accounts</a><button>Show</button>", count: 5000))
        #expect(page.parts.count == PageSkeleton.mostParts)
    }
}
