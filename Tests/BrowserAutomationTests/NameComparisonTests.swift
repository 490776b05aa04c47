import Testing

/// The comparison that judges our names: it notices what is not listed, and forgives what is.
@Suite("A comparison with Chromium's names")
struct NameComparisonTests {
    private static let listed = [
        ListedDifference(on: "a.html", "Pay now", "Pay", "a person sees it"),
        ListedDifference("Menu", "Menu", role: "menuitem", "it is followed as a link"),
    ]

    private static func control(
        _ page: String, _ name: String, _ label: String, _ kind: ComparedControl.Kind = .button, role: String = "button"
    ) -> ComparedControl {
        ComparedControl(page: page, element: "<button>", kind: kind, name: name, label: label, role: role)
    }

    static let controls: [(ComparedControl, Bool)] = [
        (control("b.html", "Pay", "Pay"), true),
        (control("b.html", "Pay  now", "Pay now"), true),
        (control("b.html", "Pay now", "Paynow"), false),
        (control("b.html", "Pay now", "Pay"), false),
        (control("a.html", "Pay now", "Pay"), true),
        (control("a.html", "Pay now", " Pay"), true),
        (control("a.html", "Pay now", "Pay later"), false),
        (control("a.html", "Pay now", "Pay", role: "link"), false),
        (control("a.html", "Pay", "Pay", role: "link"), false),
        (control("c.html", "Menu", "Menu", .link, role: "menuitem"), true),
        (control("c.html", "Menu", "Menu", .link, role: "menu"), false),
        (control("c.html", "Date", "Date", .field, role: "Date"), true),
    ]

    @Test("accepts what is equal or listed, and nothing else", arguments: controls)
    func unlisted(_ control: ComparedControl, _ isAccepted: Bool) {
        var comparison = NameComparison(listing: Self.listed)
        comparison.add(control)
        #expect(comparison.unlisted == (isAccepted ? [] : [control.description]))
    }

    @Test("says what is listed in vain, without an error")
    func stale() {
        var comparison = NameComparison(listing: Self.listed)
        comparison.add(Self.control("a.html", "Pay now", "Pay"))
        comparison.add(Self.control("c.html", "Menu", "Menu", .link, role: "link"))
        #expect(comparison.unlisted == [])
        #expect(comparison.stale == [Self.listed[1].description])
        #expect(
            comparison.summary(of: "two pages") == """
                two pages: 2 controls; 1 as Chromium computes them, 1 listed as exceptions.
                Listed, but Chromium computes no such difference here: \(Self.listed[1])
                """)
    }
}
