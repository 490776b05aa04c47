import CurlClient
import Foundation

/// A request and its answer, for a trace. Any part may hold secrets: pass it through `Redactor` first.
public struct Exchange: Sendable {
    public var startedAt: Date
    public var method: String
    public var url: String
    public var requestHeaders: [HTTPHeader]
    public var requestBody: [UInt8]?
    public var status: Int
    /// The HTTP version, such as `1.1` or `2`.
    public var version: String
    public var responseHeaders: [HTTPHeader]
    /// Nil for a download.
    public var responseBody: [UInt8]?
    public var responseBytes: Int
    public var timings: HTTPTimings

    public init(
        startedAt: Date, method: String, url: String, requestHeaders: [HTTPHeader], requestBody: [UInt8]?, status: Int,
        version: String, responseHeaders: [HTTPHeader], responseBody: [UInt8]?, responseBytes: Int,
        timings: HTTPTimings
    ) {
        self.startedAt = startedAt
        self.method = method
        self.url = url
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.status = status
        self.version = version
        self.responseHeaders = responseHeaders
        self.responseBody = responseBody
        self.responseBytes = responseBytes
        self.timings = timings
    }
}

extension Exchange {
    /// Returns the value of the answer's last header with a name; case is ignored.
    public func header(_ name: String) -> String? {
        responseHeaders.last { $0.isNamed(name) }?.value
    }

    public func requestHeader(_ name: String) -> String? {
        requestHeaders.last { $0.isNamed(name) }?.value
    }

    /// The answer's media type in lower case, without parameters.
    public var mediaType: String? {
        header("content-type")?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }
}
