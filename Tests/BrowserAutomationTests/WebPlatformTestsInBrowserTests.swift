import Automation
import BankScript
import DOM
import Foundation
import HTMLEngine
import LoopbackSite
import TestSupport
import Testing

@testable import BrowserAutomation

/// The cases of the web platform tests under `accname/name`, from the checkout that `COUNTERSIGN_WPT` names. Chromium judges:
/// where it differs from a case's expected label, that is its own affair, and is counted.
@Suite("The web platform tests of accessible names", .serialized)
struct WebPlatformTestsInBrowserTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_WPT"].map {
        URL(filePath: $0, directoryHint: .isDirectory).appending(path: "accname/name")
    }

    private static let seen = "text and fields with aria-hidden count, because a person sees them on the page"
    private static let drawn = "generated content is not in the document, and the page may change it with its style"
    private static let hiddenLabel = "a hidden label is a name in the standard and in the case; this Chromium has none"
    private static let unused = "the role “none” of a disabled field speaks to screen readers; a person sees the field"
    private static let below =
        "Chromium lays the part out when it is scrolled to, and this engine scrolls before it acts"
    private static let menu = "a link that is an item of a menu is followed as a link"

    /// The names and roles that differ on purpose.
    private static let exceptions: [Difference] = [
        .init("comp_content_visibility.tentative", "test button", "", below),
        .init("comp_content_visibility.tentative", "test link", "", below),
        .init("comp_hidden_not_referenced", "hidden, visible to all users", "visible to all users", seen),
        .init(
            "comp_hidden_not_referenced",
            "visible to all users, hidden, hidden but referenced, hidden from all users but referenced",
            "visible to all users, hidden but referenced, hidden from all users but referenced", seen),
        .init("comp_host_language_label", "input label", "", hiddenLabel),
        .init("comp_host_language_label", "label", "", seen),
        .init("comp_host_language_label.tentative", "input label", "", unused),
        .init("comp_labelledby_hidden_nodes", "foo bar baz", "foo", seen),
        .init("comp_name_from_content", "label", "before label", drawn),
        .init("comp_name_from_content", "label", "label after", drawn),
        .init("comp_name_from_content", "label", "before label after", drawn),
        .init("comp_name_from_content", "طابع", "من قبل طابع خلف", drawn),
        .init("comp_name_from_content_menuitem", "Description", "Description", menu),
    ]

    @Test(
        "give every control the name and the role that Chromium computes", .needsChromedriver,
        .enabled(if: Self.folder != nil, "COUNTERSIGN_WPT is not set; see CONTRIBUTING.md"), .timeLimit(.minutes(5)))
    func accessibleNames() async throws {
        let pages = try Self.pages(in: try #require(Self.folder))
        let site = try await LoopbackSite.start { path in
            // The harness is not served: only the markup of the cases counts.
            guard let page = pages[String(path.dropFirst())] else {
                return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
            return "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n" + page
        }
        let origin = "http://localhost:\(site.port)"
        let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(for: script)
        var cases: [Case] = []
        do {
            for name in pages.keys.sorted() {
                try await engine.open("\(origin)/\(name)")
                cases += try await engine.cases(of: name)
            }
        } catch {
            Issue.record(error)
        }
        await engine.close()
        await site.stop()
        let located = cases.filter { $0.kind != nil }
        let differing = located.filter { !$0.isEqual }
        let unexplained = differing.filter { found in !Self.exceptions.contains { $0.explains(found) } }
        #expect(unexplained.map(\.description) == [])
        let stale = Self.exceptions.filter { exception in !differing.contains { exception.explains($0) } }
        #expect(stale.map(\.description) == [])
        print(
            """
            accname/name: \(pages.count) files, \(cases.count) cases, \(cases.count { $0.computed == $0.expected }) as Chromium \
            computes. Scripts can name \(located.count) of the elements: \(located.count - differing.count) as Chromium does, \
            \(differing.count) listed as exceptions; \(located.count { $0.ours == $0.expected }) as the case expects.
            """)
        // Fewer would mean that the pages did not load.
        #expect(located.count > 200, "\(located.count) controls were compared")
    }

    /// Returns the pages by their paths in the folder.
    private static func pages(in folder: URL) throws -> [String: String] {
        var pages: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".html") {
            pages[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        return pages
    }
}

/// An element with an expected label.
private struct Case: CustomStringConvertible {
    let file: String
    let name: String
    let expected: String
    /// `link`, `button` or `field`; nil for an element that no locator of a script names, or that a person does not see.
    let kind: String?
    let ours: String
    let computed: String
    let role: String

    /// The roles of Chromium's accessibility tree that each kind of control may have.
    private static let roles: [String: Set<String>] = [
        "link": ["link"], "button": ["button", "PopUpButton"],
        "field": [
            "textbox", "searchbox", "spinbutton", "combobox", "ComboBoxSelect", "checkbox", "radio", "listbox",
            "slider",
            "Date", "DateTime", "InputTime", "ColorWell",
        ],
    ]

    var isEqual: Bool { ours == computed && hasRole }
    var hasRole: Bool { kind.flatMap { Self.roles[$0] }?.contains(role) ?? false }

    var description: String {
        "\(file), “\(name)”: a \(kind ?? "thing") named “\(ours)”; Chromium says \(role) “\(computed)”, and the case "
            + "“\(expected)”"
    }
}

/// A difference that is meant.
private struct Difference: CustomStringConvertible {
    let file: String
    let ours: String
    let computed: String
    let reason: String

    init(_ file: String, _ ours: String, _ computed: String, _ reason: String) {
        self.file = file
        self.ours = ours
        self.computed = computed
        self.reason = reason
    }

    var description: String { "\(file): “\(ours)” and not “\(computed)”, because \(reason)" }

    /// White space does not count: the standard leaves it open where parts are joined.
    func explains(_ found: Case) -> Bool {
        found.file == file + ".html" && found.ours == ours
            && found.computed.filter { !$0.isWhitespace } == computed.filter { !$0.isWhitespace }
    }
}

extension BrowserNavigationEngine {
    /// Returns the elements of the open page with an expected label.
    fileprivate func cases(of file: String) async throws -> [Case] {
        let page = try await openPage()
        let pressed = page.document.controlsToPress
        var cases: [Case] = []
        for element in page.document.root.map({ Array($0.descendants) }) ?? [] {
            guard let expected = element[attribute: "data-expectedlabel"], let known = try await node(of: element)
            else {
                continue
            }
            let isLink = (["a", "area"].contains(element.name) || element[attribute: "role"] == "link")
            let kind: String? =
                if pressed.contains(element) {
                    isLink && element[attribute: "role"] != "button" ? "link" : "button"
                } else {
                    element.isVisibleControl ? "field" : nil
                }
            cases.append(
                Case(
                    file: file, name: element[attribute: "data-testname"] ?? "", expected: expected.spaced, kind: kind,
                    ours: element.accessibleName, computed: known.name, role: known.role))
        }
        return cases
    }
}
