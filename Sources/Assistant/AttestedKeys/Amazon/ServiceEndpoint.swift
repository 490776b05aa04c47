import Foundation

/// The address of a service of AWS, and the `Host` of a request to it.
package struct ServiceEndpoint: Sendable, Hashable {
    /// With a slash at the end.
    let url: String
    /// The name in lower case, or an IPv6 address in brackets. The port follows, unless it is the scheme's own (RFC 9110,
    /// section 7.2).
    let host: String

    /// - Parameter text: `http://` or `https://`, a host, and maybe a port. It has no path.
    /// - Throws: ``AmazonKeysError``.
    package init(_ text: String) throws(AmazonKeysError) {
        guard let url = URL(string: text), let name = url.host(), !name.isEmpty, ["", "/"].contains(url.path()),
            url.query() == nil, url.fragment() == nil, url.user() == nil, url.password() == nil,
            let scheme = url.scheme?.lowercased(), let ownPort = ["http": 80, "https": 443][scheme]
        else {
            throw AmazonKeysError("\(text) is not the address of a key service: it must have a host and no path")
        }
        var host = name.lowercased()
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        if let port = url.port, port != ownPort { host += ":\(port)" }
        self.host = host
        self.url = "\(scheme)://\(host)/"
    }

    /// The domains of AWS's partitions by the beginning of their regions' names. All others are in `amazonaws.com`.
    private static let domains = [
        ("cn-", "amazonaws.com.cn"), ("eusc-", "amazonaws.eu"), ("us-iso-", "c2s.ic.gov"),
        ("us-isob-", "sc2s.sgov.gov"), ("us-isof-", "csp.hci.ic.gov"), ("eu-isoe-", "cloud.adc-e.uk"),
    ]

    /// Returns the address of AWS KMS in a region.
    package static func keyManagement(in region: String) -> String {
        let domain = domains.first { region.hasPrefix($0.0) }?.1 ?? "amazonaws.com"
        return "https://kms.\(region).\(domain)"
    }
}
