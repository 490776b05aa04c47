import HTMLEngine
import Markup

/// A control as a script knows it, beside the name and the role that Chromium computes for it.
struct ComparedControl: Sendable, Hashable, CustomStringConvertible {
    /// The kind of control that a script names.
    enum Kind: String, Sendable {
        case link, button, field

        /// The roles that Chromium may compute for it. Where ARIA has no role for a control, these are Chromium's own.
        var roles: Set<String> {
            switch self {
            case .link: ["link"]
            case .button: ["button"]
            case .field:
                [
                    "textbox", "searchbox", "spinbutton", "combobox", "listbox", "checkbox", "radio", "switch",
                    "slider",
                    "Date", "DateTime", "InputTime", "ColorWell",
                ]
            }
        }
    }

    /// The page's title, or the test file's path.
    let page: String
    let element: String
    let kind: Kind
    let name: String
    let label: String
    let role: String

    var hasSameName: Bool { name.spaced == label.spaced }
    var hasSameRole: Bool { kind.roles.contains(role) }

    var description: String { "\(page): \(element), a \(kind) named “\(name)”; Chromium computes \(role) “\(label)”" }
}

/// A name or a role that differs from Chromium's on purpose.
struct ListedDifference: Sendable, CustomStringConvertible {
    /// The page that it is on; nil for any page.
    let page: String?
    let name: String
    let label: String
    /// The role that Chromium computes, if the kind does not have it.
    let role: String?
    let reason: String

    init(on page: String? = nil, _ name: String, _ label: String, role: String? = nil, _ reason: String) {
        self.page = page
        self.name = name
        self.label = label
        self.role = role
        self.reason = reason
    }

    /// White space does not count: the standard leaves it open where parts are joined.
    func explains(_ control: ComparedControl) -> Bool {
        page ?? control.page == control.page && control.name == name
            && control.label.filter { !$0.isWhitespace } == label.filter { !$0.isWhitespace }
            && (control.hasSameRole || control.role == role)
    }

    var description: String {
        "\(page.map { "\($0): " } ?? "")“\(name)” and not \(role.map { "\($0) " } ?? "")“\(label)”, because \(reason)"
    }
}

/// The controls of some pages, compared with what Chromium computes.
struct NameComparison: Sendable {
    let listed: [ListedDifference]
    private(set) var controls: Set<ComparedControl> = []

    init(listing listed: [ListedDifference]) {
        self.listed = listed
    }

    mutating func add(_ control: ComparedControl) { controls.insert(control) }

    private var differing: [ComparedControl] { controls.filter { !$0.hasSameName || !$0.hasSameRole } }

    /// The differences that are not listed: each is our own fault, or the browser's.
    var unlisted: [String] {
        differing.filter { control in !listed.contains { $0.explains(control) } }.map(\.description).sorted()
    }

    /// The listed differences that Chromium does not show. Another version may compute another name, and another checkout of
    /// the cases has other pages, so they are printed and fail nothing.
    var stale: [String] {
        listed.filter { difference in !differing.contains { difference.explains($0) } }.map(\.description).sorted()
    }

    /// One line for each kind of outcome, for the person who reads the test's output.
    func summary(of what: String) -> String {
        let explained = differing.count - unlisted.count
        let equal = controls.count - differing.count
        return
            ([
                "\(what): \(controls.count) controls; \(equal) as Chromium computes them, \(explained) listed as exceptions."
            ]
            + stale.map { "Listed, but Chromium computes no such difference here: \($0)" }).joined(separator: "\n")
    }
}

extension Document {
    /// The visible controls that a locator of a script can name, with their kinds.
    var comparableControls: [(element: Element, kind: ComparedControl.Kind)] {
        let pressed = Set(controlsToPress)
        return (root.map { Array($0.descendants) } ?? []).compactMap { element in
            if pressed.contains(element) { return (element, element.isLink ? .link : .button) }
            return element.isVisibleField ? (element, .field) : nil
        }
    }
}

extension Element {
    fileprivate var isLink: Bool {
        (["a", "area"].contains(name) || self[attribute: "role"] == "link") && self[attribute: "role"] != "button"
    }

    fileprivate var isVisibleField: Bool {
        ["input", "select", "textarea"].contains(name) && self[attribute: "type"]?.lowercased() != "hidden"
            && !([self] + ancestors).contains { $0[attribute: "hidden"] != nil }
    }
}

extension String {
    /// With one space for each run of white space.
    var spaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
