import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import WebURL

/// A page or a document that a person reached, with the first request and the answer after all redirects.
struct RecordedVisit: Sendable {
    /// The first request: a link, a form, or a typed address.
    let request: Exchange
    /// The first answer that is not a redirect.
    let landed: Exchange
    /// The page; nil for a document, and for a page whose body the recording lacks.
    let document: Document?

    /// Returns the visits of a recording in order, without pictures, styles and scripts.
    static func all(in exchanges: [Exchange]) -> [RecordedVisit] {
        var visits: [RecordedVisit] = []
        var used: Set<Int> = []
        for index in exchanges.indices where !used.contains(index) {
            var last = index
            while exchanges[last].isRedirect, let next = target(of: last, in: exchanges, used) {
                used.insert(next)
                last = next
            }
            let landed = exchanges[last]
            guard landed.isPage || landed.isPDF, landed.status != 0 else { continue }
            visits.append(RecordedVisit(exchanges[index], landed))
        }
        return visits
    }

    private init(_ request: Exchange, _ landed: Exchange) {
        self.request = request
        self.landed = landed
        document =
            landed.isPage
            ? landed.responseBody.flatMap {
                try? Document.parse($0, contentType: landed.header("content-type"), url: landed.url)
            } : nil
    }

    /// Returns the exchange that a redirect led to.
    private static func target(of index: Int, in exchanges: [Exchange], _ used: Set<Int>) -> Int? {
        guard let location = exchanges[index].header("location"),
            let base = try? URLRecord(parsing: exchanges[index].url),
            let url = try? URLRecord(parsing: location, base: base).withoutFragment.description
        else { return nil }
        return exchanges.indices.first { next in
            guard next > index, !used.contains(next) else { return false }
            let candidate = exchanges[next].url.prefix { $0 != "#" }
            return candidate == url
                || RecordedRequest(method: "GET", url: url, body: nil, contentType: nil)
                    == RecordedRequest(exchanges[next])
        }
    }

    /// The request's address without the fragment.
    var url: String { String(request.url.prefix { $0 != "#" }) }

    /// The names and values sent in the address or the body.
    var sent: FormFields {
        if let body = request.requestBody {
            let type = request.requestHeader("content-type")?.lowercased() ?? ""
            if type.hasPrefix("multipart/") {
                let names = FormFields.names(inMultipart: body)
                if !names.isEmpty { return FormFields(names.map { FormFields.Field(name: $0, value: "") }) }
            }
            return FormFields(urlEncoded: String(decoding: body, as: UTF8.self))
        }
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return FormFields(urlEncoded: query)
    }
}
