import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import WebServing

/// The HTML pages, made from the API's answers.
enum PageViews {
    /// A page of the bar at the top.
    enum Place: String, CaseIterable {
        case today, connections, settings, data

        var name: String { PageText.of("place.\(rawValue)") }

        var path: String {
            switch self {
            case .today: "/"
            case .connections: "/connections"
            case .settings: "/settings"
            case .data: "/data"
            }
        }
    }

    /// - Parameters:
    ///   - session: nil for a page that strangers see.
    ///   - place: the place that the page belongs to.
    static func page(
        _ body: String, title: String, session: BrowserSession?, in place: Place? = nil, notice: String? = nil,
        _ values: [String: Any?] = [:], status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values.compactMapValues { $0 }
        values["title"] = title
        values["csrf"] = session?.formToken
        values["signedIn"] = session != nil
        values["places"] = Place.allCases.map {
            ["name": $0.name, "path": $0.path, "current": $0 == place] as [String: Any]
        }
        values["notice"] = notice
        values["content"] = render(body, values)
        return html(PageTemplates.isolating(render("page", values)), status: status)
    }

    /// Returns a part of a page, which a script puts in its place.
    static func fragment(_ body: String, _ values: [String: Any?]) -> Response {
        .json(["html": .string(PageTemplates.isolating(render(body, values.compactMapValues { $0 })))])
    }

    static func message(
        _ status: HTTPResponse.Status, _ title: String, _ text: String, session: BrowserSession?
    ) -> Response {
        page("message", title: title, session: session, ["text": text], status: status)
    }

    private static func render(_ template: String, _ values: [String: Any]) -> String {
        PageResources.libraries[PageText.sentences.language]?.render(values, withTemplate: template) ?? ""
    }

    private static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: .init(string: text)))
    }
}
