import Foundation

/// The addresses at which other machines can reach this one.
enum MachineAddresses {
    /// The addresses of the interfaces that are up, IPv4 first, without loopback and link-local ones.
    static var all: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let first = list else { return [] }
        defer { freeifaddrs(list) }
        let texts = sequence(first: first, next: { $0.pointee.ifa_next }).compactMap { text(of: $0.pointee) }
        var seen: Set<String> = []
        return texts.sorted { !$0.contains(":") && $1.contains(":") }.filter { seen.insert($0).inserted }
    }

    private static func text(of interface: ifaddrs) -> String? {
        guard let address = interface.ifa_addr, interface.ifa_flags & UInt32(IFF_UP) != 0,
            interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
        else { return nil }
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // A link-local address is valid on one link only.
        return text.contains("%") || text.hasPrefix("169.254.") ? nil : text
    }

    /// Returns an address's bytes in network order; nil for a name.
    static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
        return nil
    }
}
