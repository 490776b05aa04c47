/// Controls whose names follow from the rules of Accessible Name and Description Computation 1.2, section 4.3.2. The control
/// in question has the id `x`.
struct AccessibleNameCase: Sendable, CustomStringConvertible {
    /// The rule's name in the standard, such as `2B`.
    let rule: String
    let html: String
    /// The name that Chromium computes.
    let name: String
    /// The name that scripts know it by, where that differs on purpose, with the reason.
    var exception: (name: String, reason: String)?

    var description: String { "\(rule): \(html)" }

    var difference: ListedDifference? {
        exception.map { ListedDifference(on: description, $0.name, name, $0.reason) }
    }

    private init(_ rule: String, _ html: String, _ name: String, _ exception: (String, String)? = nil) {
        self.rule = rule
        self.html = html
        self.name = name
        self.exception = exception.map { (name: $0.0, reason: $0.1) }
    }

    private static let seen = "a person sees it on the page, so a script may name it"
    private static let drawn = "generated content is not in the document, and the page may change it with its style"

    private static let changing = "the value changes with what a person enters, and a script needs a name that stays"
    private static let layout = "names are read from the tree, and both engines have to find the same ones"

    static let all: [AccessibleNameCase] = [
        // Hidden, and not referenced.
        .init("2A", "<button id=x><span hidden>not </span>Pay</button>", "Pay"),
        .init("2A", "<button id=x>Pay<span style='display: none'> now</span></button>", "Pay"),
        .init("2A", "<button id=x>Pay<span style='visibility: hidden'> now</span></button>", "Pay"),
        .init("2A", "<button id=x>Pay<span aria-hidden=true> now</span></button>", "Pay", ("Pay now", seen)),
        .init("2A", "<a id=x href=/>Next<span hidden><b>!</b></span></a>", "Next"),
        // LabelledBy.
        .init("2B", "<i id=a>Billing</i><i id=b>address</i><input id=x aria-labelledby='a b'>", "Billing address"),
        .init("2B", "<i id=a hidden>Amount</i><input id=x aria-labelledby=a>", "Amount"),
        .init("2B", "<i id=a>Amount</i><input id=x aria-labelledby=a aria-label=Sum title=Total>", "Amount"),
        .init("2B", "<label for=x>Amount</label><input id=x aria-labelledby=nope>", "Amount"),
        .init(
            "2B", "<button id=x aria-label=Delete aria-labelledby='x f'></button><a id=f>May.pdf</a>", "Delete May.pdf"),
        .init("2B", "<i id=a aria-label=IBAN>number</i><input id=x aria-labelledby=a>", "IBAN"),
        .init("2B", "<i id=a aria-labelledby=b>One</i><i id=b>Two</i><input id=x aria-labelledby=a>", "One"),
        .init("2B", "<i id=a>Amount</i><input id=x aria-labeledby=a aria-label=Sum>", "Amount"),
        .init("2B", "<i id=a>Amount</i><i id=b>Sum</i><input id=x aria-labelledby=a aria-labeledby=b>", "Amount"),
        .init(
            "2B",
            "<i id=a hidden>Amount <b hidden>in <i style='display: none'>euros</i></b></i><input id=x aria-labelledby=a>",
            "Amount in euros"),
        .init(
            "2B", "<div hidden><i id=a>Amount <b hidden>due</b></i></div><input id=x aria-labelledby=a>", "Amount due"),
        .init(
            "2B", "<i id=a style='visibility: collapse'>Amount <b>due</b></i><input id=x aria-labelledby=a>",
            "Amount due"),
        .init(
            "2B", "<i id=a>Amount<b style='visibility: collapse'> due</b></i><input id=x aria-labelledby=a>", "Amount"),
        .init("2B", "<img id=a alt=Branch src=/no><input id=x aria-labelledby=a>", "Branch"),
        // Embedded control.
        .init(
            "2C",
            "<label for=x>Pay <select><option>daily<option selected>monthly</select> please</label>"
                + "<input type=checkbox id=x>", "Pay monthly please", ("Pay please", changing)),
        .init(
            "2C", "<label for=x>Wait <input value=3> days</label><input type=checkbox id=x>", "Wait 3 days",
            ("Wait days", changing)),
        .init("2C", "<label>Wait <input id=x value=3> days</label>", "Wait days"),
        // AriaLabel.
        .init("2D", "<input id=x aria-label=Sum>", "Sum"),
        .init("2D", "<button id=x aria-label=Close>×</button>", "Close"),
        .init("2D", "<a id=x href=/ aria-label='Statement of May'>PDF</a>", "Statement of May"),
        .init("2D", "<a id=x href=/ aria-label='  '>PDF</a>", "PDF"),
        .init("2D", "<label for=x>Amount</label><input id=x aria-label=Sum>", "Sum"),
        // Host language label.
        .init("2E", "<label for=x>User name</label><input id=x>", "User name"),
        .init("2E", "<label>User name <input id=x></label>", "User name"),
        .init("2E", "<label for=x>User</label><label for=x>name</label><input id=x>", "User name"),
        .init("2E", "<label for=x>  User\n  <b>name</b> </label><input id=x>", "User name"),
        .init("2E", "<label for=x>Year</label><select id=x><option>2025</select>", "Year"),
        .init("2E", "<label for=x>Note</label><textarea id=x>text</textarea>", "Note"),
        .init("2E", "<label><input type=radio id=x> By app</label>", "By app"),
        .init("2E", "<label for=x><img alt=Language src=/no></label><select id=x><option>en</select>", "Language"),
        .init("2E", "<input type=submit id=x value='Sign in'>", "Sign in"),
        .init("2E", "<input type=submit id=x>", "Submit"),
        .init("2E", "<input type=reset id=x>", "Reset"),
        .init("2E", "<input type=button id=x value=Show>", "Show"),
        .init("2E", "<input type=image id=x alt=Search src=/no>", "Search"),
        .init("2E", "<input type=image id=x alt='' src=/no>", "Submit"),
        .init("2E", "<input type=image id=x src=/no>", "Submit"),
        .init(
            "2E", "<input type=image id=x src=/no title=Find>", "Find", ("Submit", "the browser shows “Submit” itself")),
        .init("2E", "<label for=x>Do it</label><input type=submit id=x value=Go>", "Do it"),
        .init("2E", "<label for=x>Do it</label><button id=x>Go</button>", "Do it"),
        .init("2E", "<a id=x href=/><img alt=Home src=/no></a>", "Home"),
        .init("2E", "<a id=x href=/><svg width=9 height=9><title>Home</title></svg></a>", "Home"),
        // Name from content.
        .init("2F", "<button id=x>Pay <b>now</b></button>", "Pay now"),
        .init("2F", "<a id=x href=/>May<b>2026</b></a>", "May2026"),
        .init("2F", "<a id=x href=/><div>May</div><div>2026</div></a>", "May 2026"),
        .init("2F", "<a id=x href=/>May<br>2026</a>", "May 2026"),
        .init("2F", "<a id=x href=/>May <img alt=as src=/no> PDF</a>", "May as PDF"),
        .init("2F", "<button id=x><img alt='' src=/no>Pay</button>", "Pay"),
        .init(
            "2F", "<a id=x href=/><span style='display: inline-block'>May</span><span>2026</span></a>", "May 2026",
            ("May2026", layout)),
        .init(
            "2F", "<style>#x::before { content: 'Go ' }</style><a id=x href=/>home</a>", "Go home", ("home", drawn)),
        .init("2F", "<div role=button id=x tabindex=0>Pay</div>", "Pay"),
        .init("2F", "<span role=link id=x tabindex=0>Home</span>", "Home"),
        .init("2F", "<details><summary id=x>More</summary><p>Text</details>", "More"),
        // Text node, and recursion.
        .init("2G", "<button id=x>\n   Pay\t\tnow  \n</button>", "Pay now"),
        .init("2G", "<button id=x>Pay&nbsp;now</button>", "Pay now"),
        .init("2H", "<a id=x href=/>Open <i aria-label=May>5</i></a>", "Open May"),
        .init("2H", "<button id=x><span><span>Pay</span> <em>now</em></span></button>", "Pay now"),
        .init("2H", "<a id=x href=/>Open <i title=May>5</i></a>", "Open 5"),
        // Tooltip.
        .init("2I", "<input id=x title=Code>", "Code"),
        .init("2I", "<button id=x><img src=/no title=Print></button>", "Print"),
        .init("2I", "<a id=x href=/><img src=/no alt='' title=Decoration>Open</a>", "Open"),
        .init("2I", "<i id=a title=Amount></i><button id=x aria-labelledby=a>Go</button>", "Amount"),
        .init("2I", "<a id=x href=/ title=Home></a>", "Home"),
        .init("2I", "<button id=x title=Close></button>", "Close"),
        .init("2I", "<input id=x placeholder=Code>", "Code"),
        .init("2I", "<input id=x placeholder=Code title=TAN>", "TAN"),
        .init("2I", "<label for=x>Amount</label><input id=x title=TAN placeholder=Code>", "Amount"),
    ]
}
