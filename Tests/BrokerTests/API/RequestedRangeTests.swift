import Testing

@testable import Broker

@Suite("A requested range")
struct RequestedRangeTests {
    @Test(
        "is one part of the file, the whole, or nothing that is there",
        arguments: [
            (nil, 10, .whole), ("bytes=0-0", 10, .part(0..<1)), ("bytes=2-5", 10, .part(2..<6)),
            ("bytes=2-", 10, .part(2..<10)), ("bytes=-3", 10, .part(7..<10)), ("bytes=-99", 10, .part(0..<10)),
            ("bytes=9-99", 10, .part(9..<10)), ("BYTES=0-1", 10, .part(0..<2)),
            ("bytes=0-99999999999999999999999", 10, .part(0..<10)),
            ("bytes=10-", 10, .unsatisfiable), ("bytes=-0", 10, .unsatisfiable), ("bytes=0-", 0, .unsatisfiable),
            ("bytes=99999999999999999999999-", 10, .unsatisfiable),
            ("bytes=5-2", 10, .whole), ("bytes=0-1,3-4", 10, .whole), ("bytes=-", 10, .whole),
            ("bytes=a-b", 10, .whole),
            ("bytes=+1-2", 10, .whole), ("items=0-1", 10, .whole), ("bytes", 10, .whole), ("", 10, .whole),
            ("bytes=0--1", 10, .whole),
        ] as [(String?, Int, RequestedRange)])
    func read(field: String?, size: Int, range: RequestedRange) {
        #expect(RequestedRange(field, of: size) == range)
    }
}
