import CLibCurl
import Testing

@testable import CurlClient

@Suite("An error of libcurl")
struct CurlErrorTests {
    private static func error(
        _ code: CURLcode, _ detail: String = "", _ verification: Int = 0, wasSent: Bool = false
    ) -> CurlError {
        CurlError(
            code, detail: detail, verification: verification, host: "bank.example", limits: HTTPLimits(),
            hadConnected: true,
            wasSent: wasSent)
    }

    @Test("is told in our words first, whatever its code is", arguments: 1..<CURL_LAST.rawValue)
    func everyCode(code: UInt32) {
        for wasSent in [false, true] {
            let message = Self.error(CURLcode(code), wasSent: wasSent).message
            let words = String(cString: curl_easy_strerror(CURLcode(code)))
            #expect(!message.hasPrefix(words) && !message.hasPrefix("bank.example: "), "\(code): \(message)")
            let subjects = ["bank.example", "address", "this machine"]
            #expect(subjects.contains(where: message.contains), "\(code): \(message)")
        }
    }

    @Test(
        "of a handshake is one of several, each with what to do",
        arguments: [
            (
                CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: unable to get local issuer certificate", 20,
                "intermediate"
            ),
            (
                CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: self-signed certificate in certificate chain",
                19, "authority"
            ),
            (CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: self-signed certificate", 18, "authority"),
            (CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate has expired", 10, "expired"),
            (CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate is not yet valid", 9, "clock"),
            (
                CURLE_PEER_FAILED_VERIFICATION,
                "SSL: no alternative certificate subject name matches target host name 'bank.example'", 0,
                "another name"
            ),
            (CURLE_SSL_CONNECT_ERROR, "error:0A000102:SSL routines::unsupported protocol", 1, "old version of TLS"),
            (
                CURLE_SSL_CONNECT_ERROR, "error:0A00042E:SSL routines::tlsv1 alert protocol version", 1,
                "old version of TLS"
            ),
            (
                CURLE_SSL_CONNECT_ERROR, "error:0A000152:SSL routines::unsafe legacy renegotiation disabled", 1,
                "old version of TLS"
            ),
            (
                CURLE_RECV_ERROR,
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", 0,
                "customer"
            ),
            (CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: Connection reset by peer", 1, "broke off"),
        ])
    func handshake(code: CURLcode, detail: String, verification: Int, words: String) {
        let error = Self.error(code, detail, verification)
        #expect(error.code == .tls)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains("SSL"))
    }

    /// A report of a run keeps 300 characters, and its last ones say what to do.
    @Test(
        "of a certificate is short enough to be reported whole, with a long name too",
        arguments: [0, 2, 9, 10, 18, 20, 62, 99])
    func length(verification: Int) {
        let longest = String(repeating: "fints.", count: 8) + "bank.example:443"
        for detail in ["", "subject name does not match target host name", "unsupported protocol", "packet length"] {
            let error = CurlError(
                CURLE_PEER_FAILED_VERIFICATION, detail: detail, verification: verification, host: longest,
                limits: HTTPLimits(), hadConnected: true, wasSent: false)
            #expect(error.message.count <= 300, "\(error.message)")
        }
    }

    @Test(
        "of a connection that ended says what to do",
        arguments: [CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR])
    func connectionLost(code: CURLcode) {
        let error = Self.error(code)
        #expect(error.code == .connectionLost && error.message.hasSuffix("run again"), "\(error.message)")
    }

    @Test("of authorities that cannot be read does not blame the server")
    func unreadableAuthorities() {
        let error = Self.error(CURLE_SSL_CACERT_BADFILE, "error setting certificate file: /etc/ssl/certs/x.crt")
        #expect(error.code == .tls)
        #expect(!error.message.contains("handshake") && error.message.contains("ca-certificates"), "\(error.message)")
    }

    @Test("of an unknown authority, of a real handshake, says so")
    func real() async throws {
        let server = try await TLSServer()
        let session = CurlSession(CurlConfiguration())
        let error = await #expect(throws: CurlError.self) { try await session.send(HTTPRequest("GET", server.url)) }
        #expect(
            error?.message.contains("comes from an unknown authority") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("--ca FILE") == true)
        await session.close()
        await server.stop()
    }
}
