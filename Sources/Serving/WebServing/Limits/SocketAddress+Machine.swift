import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SocketAddress {
    /// The machine's address as text, as the same machine has it everywhere: a socket for both families sees `192.0.2.1` as
    /// `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2).
    package var machine: String? {
        guard case .v6(let v6) = self, v6.address.isMapped else { return ipAddress }
        return ipAddress.map { String($0.dropFirst("::ffff:".count)) }
    }
}

extension sockaddr_in6 {
    /// True for an IPv4 address in the form of an IPv6 one.
    var isMapped: Bool {
        withUnsafeBytes(of: sin6_addr) { $0.prefix(10).allSatisfy { $0 == 0 } && $0[10] == 0xFF && $0[11] == 0xFF }
    }
}
