import Testing

@testable import AttestedKeys

@Suite("Addresses of AWS's services") struct ServiceEndpointTests {
    @Test(
        "the signed host has brackets around IPv6, and no port that is the scheme's own",
        arguments: [
            ("https://kms.example", "kms.example", "https://kms.example/"),
            ("https://KMS.Example/", "kms.example", "https://kms.example/"),
            ("https://kms.example:443", "kms.example", "https://kms.example/"),
            ("https://kms.example:443/", "kms.example", "https://kms.example/"),
            ("https://kms.example:8443", "kms.example:8443", "https://kms.example:8443/"),
            ("https://kms.example:80", "kms.example:80", "https://kms.example:80/"),
            ("http://127.0.0.1:80", "127.0.0.1", "http://127.0.0.1/"),
            ("http://127.0.0.1:443", "127.0.0.1:443", "http://127.0.0.1:443/"),
            ("HTTP://[::1]:5000", "[::1]:5000", "http://[::1]:5000/"), ("http://[::1]", "[::1]", "http://[::1]/"),
            ("https://[2001:DB8::1]:443/", "[2001:db8::1]", "https://[2001:db8::1]/"),
        ])
    func hosts(_ text: String, _ host: String, _ url: String) throws {
        let endpoint = try ServiceEndpoint(text)
        #expect(endpoint.host == host && endpoint.url == url)
    }

    @Test(
        "what is not the address of a service is refused",
        arguments: [
            "", "kms", "https://", "ftp://kms.example", "https://kms.example/path", "https://kms.example?x=1",
            "https://kms.example#x", "https://user@kms.example", "https://user:word@kms.example",
        ])
    func wrong(_ text: String) {
        #expect {
            try ServiceEndpoint(text)
        } throws: {
            ($0 as? AmazonKeysError)?.description.contains("it must have a host and no path") == true
        }
    }

    @Test(
        "each partition of AWS has its domain",
        arguments: [
            ("eu-central-1", "https://kms.eu-central-1.amazonaws.com"),
            ("us-gov-west-1", "https://kms.us-gov-west-1.amazonaws.com"),
            ("cn-north-1", "https://kms.cn-north-1.amazonaws.com.cn"),
            ("cn-northwest-1", "https://kms.cn-northwest-1.amazonaws.com.cn"),
            ("eusc-de-east-1", "https://kms.eusc-de-east-1.amazonaws.eu"),
            ("us-iso-east-1", "https://kms.us-iso-east-1.c2s.ic.gov"),
            ("us-isob-east-1", "https://kms.us-isob-east-1.sc2s.sgov.gov"),
        ])
    func partitions(_ region: String, _ url: String) {
        #expect(ServiceEndpoint.keyManagement(in: region) == url)
    }
}
