import FinTS
import Testing

@Suite("Parameters of a bank")
struct BankParametersTests {
    private func parameters(_ text: String) throws -> BankParameters {
        var parameters = BankParameters()
        try parameters.take(try SegmentReader.segments(of: Array(text.utf8)))
        return parameters
    }

    private static let head = "HIBPA:2:3:4+78+280:12345678+Test Bank+1+1+300'"

    @Test("reads methods of HITANS 6 and 7, and leaves out those of older versions and of process variant 1")
    func methods() throws {
        let methods = try parameters(
            Self.head + "HITANS:3:5:4+1+1+1+J:N:0:942:2:M:mobileTAN::mobile TAN:6:1:SMS:3:1:J:1:0:N:0:2:N:J:00:1:1'"
                + "HITANS:4:6:4+1+1+1+J:N:0:942:2:M:mobileTAN::mobile TAN:6:1:SMS:3:J:1:N:0:0:N:J:00:2:N:2:"
                + "943:1:M:old::old:6:1:SMS:3:J:1:N:0:0:N:J:00:0:N:1'"
                + "HITANS:5:7:4+1+1+1+N:N:0:946:2:P:Decoupled::App::::3:J:1:N:0:0:N:J:00:0:N:1:99:3:5:N:J'"
        ).tanMethods
        #expect(methods.map(\.securityFunction) == ["942", "946"])
        #expect(methods.map(\.version) == [6, 7])
        #expect(methods[0].needsMedium && methods[0].polling == nil && methods[0].longestTAN == 6)
        #expect(methods[0].name == "mobile TAN")
        #expect(methods[1].polling == .init(most: 99, secondsBeforeFirst: 3, secondsBetween: 5))
    }

    @Test("chooses the newest version of a job that both sides know")
    func versions() throws {
        let bank = try parameters(Self.head + "HIKAZS:3:5:4+1+1'HIKAZS:4:7:4+1+1+1+365'HIKAZS:5:9:4+1+1+1'")
        #expect(bank.version(of: "HKKAZ", among: [5, 6, 7]) == 7)
        #expect(bank.version(of: "HKKAZ", among: [6]) == nil)
        #expect(bank.version(of: "HKCAZ", among: [1]) == nil)
    }

    @Test("reads which jobs need a TAN")
    func rules() throws {
        let bank = try parameters(Self.head + "HIPINS:3:1:4+1+1+1+5:20:6:Login::HKKAZ:J:HKSAL:N'")
        #expect(bank.needsTAN(for: "HKKAZ"))
        #expect(!bank.needsTAN(for: "HKSAL") && !bank.needsTAN(for: "HKCAZ"))
    }

    @Test(
        "refuses parameters that cannot be read",
        arguments: [
            head + head, "HIBPA:2:3:4+x+280:1'", "HIBPA:2:3:4'", head + "HITANS:4:6:4+1+1+1+J:N:0:94:2:M'",
            head + "HITANS:4:6:4+1+1+1+J:N:0:942:9:M'", head + "HIPINS:3:1:4+1+1+1+5:20:6:L::@1@x:J'",
        ])
    func refuses(_ text: String) {
        #expect(throws: FinTSFailure.self) { try parameters(text) }
    }

    @Test("a message without parameters keeps those that were received")
    func keeps() throws {
        var bank = try parameters(Self.head)
        try bank.take([])
        #expect(bank.version == 78 && bank.bankCode == "12345678" && bank.bankName == "Test Bank")
    }
}
