import CurlClient
import Foundation

/// One request and its answer, for a trace. Everything in it may hold secrets: pass it through `Redactor` before it
/// goes anywhere.
public struct Exchange: Sendable {
    public var startedAt: Date
    public var method: String
    public var url: String
    public var requestHeaders: [HTTPHeader]
    public var requestBody: [UInt8]?
    public var status: Int
    public var responseHeaders: [HTTPHeader]
    /// Nil for a download.
    public var responseBody: [UInt8]?
    public var responseBytes: Int
    public var timings: HTTPTimings
}
