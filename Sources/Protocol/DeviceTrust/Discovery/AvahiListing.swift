/// The output of `avahi-browse --parsable --resolve`: one line for each service and each of its addresses. `;`
/// separates the fields; bytes other than letters and digits are `\` and three decimal digits.
enum AvahiListing {
    static func brokers(in output: String) -> [DiscoveredBroker] {
        var found: [ServerID: DiscoveredBroker] = [:]
        for line in output.split(separator: "\n") {
            guard let broker = broker(line) else { continue }
            // Avahi lists a broker once for each interface and protocol; prefer its IPv4 address.
            if let known = found[broker.announcement.server], !known.address.contains(":") { continue }
            found[broker.announcement.server] = broker
        }
        return found.values.sorted { ($0.announcement.name, $0.endpoint) < ($1.announcement.name, $1.endpoint) }
    }

    private static func broker(_ line: Substring) -> DiscoveredBroker? {
        let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false)
        guard fields.count == 10, fields[0] == "=", fields[4] == BrokerAnnouncement.serviceType,
            let port = Int(fields[8]), (1...65_535).contains(port),
            // A link-local address is useless without the interface.
            !fields[7].lowercased().hasPrefix("fe80:")
        else { return nil }
        let texts = texts(fields[9])
        guard texts["v"] == BrokerAnnouncement.version, let server = texts["id"].flatMap({ ServerID($0) }) else {
            return nil
        }
        let certificate = texts["tls_sha256"].flatMap { CertificateFingerprint($0) }
        guard (texts["tls"] == "1") == (certificate != nil) else { return nil }
        return DiscoveredBroker(
            announcement: BrokerAnnouncement(
                name: DeviceName.checked(unescaped(fields[3])) ?? "", port: port, certificate: certificate,
                server: server),
            address: String(fields[7]))
    }

    private static func texts(_ field: Substring) -> [String: String] {
        let pairs = field.split(separator: "\"").compactMap { text -> (String, String)? in
            let parts = text.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        // The first value of a key counts (RFC 6763, section 6.4).
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private static func unescaped(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if rest.count >= 3, let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self)) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else if let next = rest.popFirst() {
                bytes.append(next)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
