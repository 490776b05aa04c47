import CurlClient
import Encodings
import Foundation
import Markup
import WebURL

extension BrowserSession {
    /// Makes an exchange and follows its redirects, checking each hop against the egress policy.
    ///
    /// - Returns: the answer, and the hop that it answers.
    func send(_ first: Hop, following follows: Bool = true) async throws -> (HTTPResponse, Hop) {
        var hop = first
        var trail = RedirectTrail(limit: configuration.maximumRedirects)
        while true {
            try trail.admit(hop, by: configuration.egress)
            let request = request(for: hop)
            let startedAt = Date()
            let response = try await counting { try await http.send(request) }
            observe(request, response.head, body: response.body, bytes: response.body.count, at: startedAt)
            guard follows, let next = try hop.redirected(by: response.head) else { return (response, hop) }
            if next.body != nil, next.bodyLeft == nil { try checkBeforeRepeating?() }
            hop = next
        }
    }

    func request(for hop: Hop) -> HTTPRequest {
        var headers = [
            HTTPHeader("Accept", hop.accept), HTTPHeader("Accept-Language", configuration.acceptLanguage),
        ]
        if let referrer = hop.referrerValue { headers.append(HTTPHeader("Referer", referrer)) }
        if let type = hop.contentType { headers.append(HTTPHeader("Content-Type", type)) }
        if let origin = hop.origin { headers.append(HTTPHeader("Origin", origin)) }
        for header in hop.headers {
            headers.removeAll { $0.isNamed(header.name) }
            headers.append(HTTPHeader(header.name, header.value.revealed))
        }
        return HTTPRequest(hop.method, hop.url.withoutFragment.description, headers: headers, body: hop.body)
    }

    func observe(
        _ request: HTTPRequest, _ head: HTTPResponseHead, body: [UInt8]?, bytes: Int, at startedAt: Date
    ) {
        guarded.see(head.headers)
        configuration.observer?(
            Exchange(
                startedAt: startedAt, method: request.method, url: request.url, requestHeaders: request.headers,
                requestBody: request.body, status: head.status, version: head.version, responseHeaders: head.headers,
                responseBody: body, responseBytes: bytes, timings: head.timings))
    }

    // MARK: Hops

    func resolve(_ reference: String) throws -> URLRecord {
        guard let page else { return try URLRecord(parsing: reference) }
        return try URLRecord(parsing: reference, base: page.base, encoding: page.document.encoding.queryEncoding)
    }

    func hop(opening reference: String) throws -> Hop {
        hop(to: try resolve(reference), from: nil)
    }

    func hop(_ request: JSONRequest) throws -> Hop {
        try request.checkHead()
        let body =
            try request.form.map(JSONRequest.formData) ?? request.body?.jsonValue(\.revealed).canonicalBytes()
        var url = try resolve(request.reference)
        if !request.query.isEmpty {
            let added = String(decoding: JSONRequest.formData(request.query), as: UTF8.self)
            url = url.replacing(
                query: [url.query, added].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&"))
        }
        var hop = hop(to: url, from: nil)
        hop.secretQuery = request.query.compactMap { field in
            if case .secret(let secret) = field.value { secret } else { nil }
        }
        hop.method = request.method
        hop.body = body
        hop.bodyStays = true
        hop.contentType = body == nil ? nil : request.form == nil ? "application/json" : JSONRequest.formType
        hop.headers = request.headers.map { Hop.Header(name: $0.name, value: $0.value) }
        hop.accept = "application/json, */*;q=0.1"
        return hop
    }

    /// Returns a request from an element of the current page, with the referrer that the page allows.
    func hop(to url: URLRecord, from element: Element?) -> Hop {
        var hop = Hop(url: url, referrer: page?.location)
        if let page { hop.referrerPolicy = page.referrerPolicy }
        if let policy = ReferrerPolicy(list: element?[attribute: "referrerpolicy"]) { hop.referrerPolicy = policy }
        let relations = element?[attribute: "rel"]?.lowercased().words ?? []
        if relations.contains("noreferrer") { hop.referrerPolicy = .noReferrer }
        return hop
    }
}
