import Foundation
import TestSupport
import Testing

@testable import Broker

@Suite("The broker's settings")
struct BrokerSettingTests {
    @Test("each has one name and one group")
    func names() {
        #expect(Set(BrokerSetting.all.map(\.name)).count == BrokerSetting.all.count)
    }

    @Test("each is in the guide's table, with its value without the variable")
    func guide() throws {
        let text = try String(contentsOf: Repository.file("docs/broker.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for setting in BrokerSetting.all {
            let row = try #require(rows.first { $0.contains("`\(setting.name)`") }, "\(setting.name)")
            if let standard = setting.standard { #expect(row.contains("`\(standard)`"), "\(setting.name)") }
        }
        let named = rows.flatMap { $0.matches(of: /`((?:BROKER|TELEGRAM|PHONE|ICLOUD|PAPERLESS)_[A-Z_]+)`/) }.map {
            String($0.1)
        }
        #expect(Set(named).subtracting(BrokerSetting.all.map(\.name)) == [])
    }

    @Test("each number's own value is in its range, and the one that the code starts with")
    func standards() {
        var reader = EnvironmentReader([:])
        for setting in BrokerSetting.all {
            guard case .number(let range) = setting.form else { continue }
            let value = reader.whole(setting)
            #expect(value.map { range.contains($0) && setting.standard == "\($0)" } == true, "\(setting.name)")
        }
        let limits = reader.limits()
        #expect(limits.rates.perSecond == BrokerLimits().rates.perSecond)
        #expect(limits.timeouts == BrokerLimits().timeouts)
        #expect(limits.connections == BrokerLimits().connections)
        #expect(reader.problems == [])
    }
}
