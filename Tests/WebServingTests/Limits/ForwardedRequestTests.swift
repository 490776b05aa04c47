import HTTPTypes
import Testing

@testable import WebServing

@Suite("A proxy's word about a request") struct ForwardedRequestTests {
    @Test(
        "only this machine's own addresses may forward",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.0.2.1", false),
            ("::2", false), ("::ffff:192.0.2.1", false), ("unknown", false), ("12.7.0.0", false),
        ])
    func peers(_ peer: String, isBelieved: Bool) {
        var headers = HTTPFields()
        headers[.xForwardedProto] = "https"
        headers[.xForwardedFor] = "192.0.2.7"
        #expect((try? ForwardedRequest(headers, from: peer))?.client == (isBelieved ? "192.0.2.7" : nil))
    }
}
