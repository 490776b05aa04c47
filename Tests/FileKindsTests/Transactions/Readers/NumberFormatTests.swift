import Testing

@testable import FileKinds

@Suite("Number formats of spreadsheets")
struct NumberFormatTests {
    @Test(
        "show dates, or the currency of an amount",
        arguments: [
            ("[$€-407]#,##0.00", false, "€"), ("#,##0.00\\ \"USD\"", false, "USD"), ("[$$-409]#,##0.00", false, "$"),
            ("[$CHF-807]\\ #,##0.00;[Red]\\-#,##0.00", false, "CHF"), ("#,##0.00\\ _D_M", false, ""),
            ("_-* #,##0.00\\ _D_M_-", false, ""), ("#,##0.00;[Red](#,##0.00)", false, ""), ("0.00%", false, ""),
            ("[Red]dd.mm.yyyy", true, ""), ("[$-407]d. mmmm yyyy", true, ""), ("mmm-yy", true, ""),
            ("#,##0.00\\ \"zł\"", false, "zł"), ("General", false, ""), ("#,##0.00 \"net\"", false, ""),
            ("0.00E+00", false, ""), ("[>=100]0.0;0.00", false, ""),
        ])
    func codes(code: String, showsDate: Bool, currency: String) {
        let format = NumberFormat(code: code)
        #expect(format.showsDate == showsDate)
        #expect(format.currency == currency)
    }
}
