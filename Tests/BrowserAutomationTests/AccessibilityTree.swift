import DOM
import HTMLEngine
import JSON

@testable import BrowserAutomation

// What the tests of accessible names share.

extension BrowserNavigationEngine {
    /// Returns the name and the role of an element in Chromium's accessibility tree.
    func node(of element: Element) async throws -> (name: String, role: String)? {
        let reference = try await value(PageScripts.element, element.number)
        // The shared id ends with Chromium's number of the node.
        guard let id = reference["sharedId"]?.stringValue?.split(separator: ".").last.flatMap({ Int($0) }) else {
            return nil
        }
        let session = try await connection.call("goog:cdp.getSession", ["context": .string(context)])["session"]
        let answer = try await connection.call(
            "goog:cdp.sendCommand",
            [
                "method": "Accessibility.getPartialAXTree", "session": session ?? .null,
                "params": ["backendNodeId": .number(Double(id)), "fetchRelatives": false],
            ])
        guard let known = (answer["result"] ?? answer)["nodes"]?.arrayValue?.first else { return nil }
        return (known["name"]?["value"]?.stringValue?.spaced ?? "", known["role"]?["value"]?.stringValue ?? "")
    }
}

extension Element {
    var isButton: Bool {
        name == "button"
            || name == "input" && ["submit", "button", "image", "reset"].contains(self[attribute: "type"] ?? "")
    }

    var isVisibleControl: Bool {
        ["button", "input", "select", "textarea"].contains(name) && self[attribute: "type"] != "hidden"
            && !([self] + ancestors).contains { $0[attribute: "hidden"] != nil }
    }
}

extension String {
    var spaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
