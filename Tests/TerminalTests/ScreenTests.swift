import Testing

@testable import Terminal

@Suite("The rows of a terminal")
struct ScreenTests {
    @Test("a line that fits is one row")
    func short() {
        let line = "    the password  in a form"
        #expect(Screen(columns: 30, rows: 24).rows(of: line) == [line])
        #expect(Screen(columns: 30, rows: 24).rows(of: "") == [""])
    }

    @Test("a longer line goes on further to the right, and loses nothing", arguments: [24, 30, 80])
    func long(columns: Int) {
        let path = String(repeating: "a", count: 60)
        let line = "    - request POST https://bank.example/\(path) Accepted: all of it "
        let rows = Screen(columns: columns, rows: 24).rows(of: line)
        #expect(rows.count > 1 && rows.allSatisfy { $0.count <= columns }, "\(rows)")
        #expect(rows[0].hasPrefix("    - request"))
        #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("          ") }, "\(rows)")
        #expect(rows.joined().filter { $0 != " " } == line.filter { $0 != " " })
    }

    @Test("a terminal too narrow for an indent gets the line as it is")
    func narrow() {
        let line = String(repeating: "b", count: 40)
        #expect(Screen(columns: 10, rows: 4).rows(of: line) == [line])
    }
}
