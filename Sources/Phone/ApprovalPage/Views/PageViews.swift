import Foundation
import HTTPTypes
import Hummingbird
import Languages
import Mustache
import WebServing

/// The HTML pages, made from the page's state.
struct PageViews: Sendable {
    /// A page of the bar at the top.
    enum Place: String, CaseIterable {
        case inbox
        case documents
        case banks
        case settings

        var name: String { PageText.of("place.\(rawValue)") }
        var path: String { self == .inbox ? "/" : "/" + rawValue }
    }

    /// - Parameters:
    ///   - place: the place that the page belongs to.
    ///   - isLive: whether the page renews itself.
    static func page(
        _ body: String, title: String, session: PageSession?, in place: Place? = nil, notice: String? = nil,
        isLive: Bool = false, _ values: [String: Any] = [:], status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: PageText.sentences.language.rawValue,
            ],
            body: .init(
                byteBuffer: .init(
                    string: text(
                        body, title: title, session: session, in: place, notice: notice, isLive: isLive, values))))
    }

    /// Returns the text of a page.
    static func text(
        _ body: String, title: String, session: PageSession?, in place: Place? = nil, notice: String? = nil,
        isLive: Bool = false, _ values: [String: Any] = [:]
    ) -> String {
        var values = values
        values["title"] = values["title"] ?? title
        values["csrf"] = session?.csrfToken
        values["base"] = session?.base ?? ""
        values["signedIn"] = session?.isSignedIn ?? false
        values["places"] = Place.allCases.map {
            ["name": $0.name, "path": $0.path, "current": $0 == place] as [String: Any]
        }
        values["notice"] = notice
        values["live"] = isLive
        values["foreign"] = PageText.isForeign
        let content = render(values, body) ?? ""
        values["title"] = title
        return shell(values, content)
    }

    /// Returns a page's body inside the common frame.
    private static func shell(_ values: [String: Any], _ content: String) -> String {
        var values = values
        values["content"] = content
        return PageTemplates.isolating(render(values, "page") ?? content)
    }

    private static func render(_ values: [String: Any], _ template: String) -> String? {
        PageResources.libraries[PageText.sentences.language]?.render(values, withTemplate: template)
    }

    static func message(_ status: HTTPResponse.Status, _ title: String, _ text: String, session: PageSession?)
        -> Response
    {
        page("message", title: title, session: session, ["text": text], status: status)
    }
}
