import Automation
import Encodings
import HTMLEngine
import Markup
import Selectors
import WebURL

// Frames: a step works on one page, and `enter` goes into a frame's. A page inside a frame of the same origin is looked
// through for an error's advice.

extension BrowserNavigationEngine {
    /// The number of frames that are looked through for one error.
    private static let mostFrames = 20
    /// The longest time to look into one of them.
    private static let frameLookLimit: Duration = .seconds(2)

    /// Returns the error for what the page does not have, which names the frames that have it.
    ///
    /// - Parameter find: returns the element on a page, or throws what is wrong with it.
    func missing(
        _ error: LocatorError, on page: Page, _ find: (Page) throws -> Element
    ) async -> any Error {
        var ways: [String] = []
        var waiting = [(context: context, page: page, way: [String](), store: PageScripts.usualStore)]
        var looked = 0
        while !waiting.isEmpty, looked < Self.mostFrames {
            let outer = waiting.removeFirst()
            for frame in outer.page.document.frames {
                guard looked < Self.mostFrames else { break }
                looked += 1
                guard let inner = try? await innerContext(of: frame, in: outer.context, outer.store),
                    let inside = try? await self.page(in: inner)
                else { continue }
                let way = outer.way + ["enter: \"\(frame.frameSelector)\""]
                if Self.has(inside, find) { ways.append(way.joined(separator: ", then ")) }
                waiting.append((inner, inside, way, PageScripts.searchStore))
            }
        }
        guard let first = ways.first else { return error }
        let place =
            ways.count == 1
            ? "it is in a frame, whose page is its own; write before the step \(first)"
            : "\(ways.count) frames have it; write before the step the one that is meant: "
                + ways.joined(separator: ", or ")
        return EngineError(
            .notFound, "nothing is found by: \(error.locator); \(place)",
            candidates: error.candidates.map(\.description))
    }

    /// True if the page has what is looked for, once or several times, also where it cannot be used.
    private static func has(_ page: Page, _ find: (Page) throws -> Element) -> Bool {
        do {
            _ = try find(page)
            return true
        } catch let error as LocatorError {
            return error.kind == .several
        } catch {
            return true
        }
    }

    /// Returns the window inside a frame; nil for one of another origin.
    private func innerContext(of frame: Element, in context: String, _ store: String) async throws -> String? {
        let answer = try await connection.call(
            "script.callFunction",
            [
                "functionDeclaration": .string(PageScripts.guarded(PageScripts.innerWindow)), "awaitPromise": false,
                "arguments": [
                    ["type": "number", "value": frame.number], ["type": "string", "value": .string(store)],
                ],
                "target": ["context": .string(context), "sandbox": .string(PageScripts.sandbox)],
            ], limit: Self.frameLookLimit)
        return answer["result"]?["value"]?["context"]?.stringValue
    }

    /// Reads the page of a frame. The elements that steps work with keep their numbers.
    ///
    /// - Parameter showsHidden: reads what the layout hides as if it did not.
    func page(in context: String, showingHidden showsHidden: Bool = false) async throws -> Page? {
        let answer = try await connection.call(
            "script.callFunction",
            [
                "functionDeclaration": .string(PageScripts.guarded(PageScripts.write)), "awaitPromise": false,
                "arguments": [
                    ["type": "string", "value": .string(PageScripts.searchStore)],
                    ["type": "boolean", "value": .bool(!showsHidden)],
                ],
                "target": ["context": .string(context), "sandbox": .string(PageScripts.sandbox)],
            ], limit: Self.frameLookLimit)
        guard let text = answer["result"]?["value"]?.stringValue,
            let json = try? JSONReader.read(text, limits: JSONLimits(size: BiDiConnection.maximumMessage)),
            let address = json["url"]?.stringValue, let source = json["source"]?.stringValue
        else { return nil }
        return try Page(
            rendered: source, contentType: "text/html; charset=utf-8", status: 200, headers: [],
            url: try URLRecord(parsing: address))
    }
}

extension Document {
    fileprivate var frames: [Element] {
        root?.descendants.filter { $0.name == "iframe" || $0.name == "frame" } ?? []
    }
}

extension Element {
    /// Selects the frame by its id; without one, by its name, its title or its address.
    fileprivate var frameSelector: String {
        if let id = self[attribute: "id"], id.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil { return "#\(id)" }
        for attribute in ["name", "title", "src"] {
            if let value = self[attribute: attribute], !value.isEmpty,
                !value.contains(where: { "'\"\\\n".contains($0) })
            {
                return "\(name)[\(attribute)='\(value)']"
            }
        }
        return name
    }
}
