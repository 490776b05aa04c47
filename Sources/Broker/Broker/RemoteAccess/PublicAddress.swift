import Foundation

/// Judges whether an address of the Internet protocol is anybody's: one of this machine, of a private network, or kept for a
/// special purpose is not (the registries of RFC 6890). A server that fetches what a stranger names must not be led to those.
enum PublicAddress {
    /// The special blocks of IPv4, each with the length of its prefix.
    private static let special4: [(UInt32, Int)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    /// - Parameter text: as `getnameinfo` writes it, in digits.
    static func isPublic(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return isPublic4(UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        // Only 2000::/3 is given out; in it, 2001:0::/23 and 2001:db8::/32 are special, and 2002::/16 holds an IPv4 address.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x01 {
            return bytes[2] & 0xFE != 0 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        }
        // 3fff::/20 is for documentation (RFC 9637).
        if bytes[0] == 0x3F, bytes[1] == 0xFF, bytes[2] & 0xF0 == 0 { return false }
        return !(bytes[0] == 0x20 && bytes[1] == 0x02)
    }

    private static func isPublic4(_ address: UInt32) -> Bool {
        !special4.contains { block, length in address >> (32 - length) == block >> (32 - length) }
    }
}
