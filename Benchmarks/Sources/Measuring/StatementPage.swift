/// A bank's page of transactions, of about the requested size.
public enum StatementPage {
    public static func html(bytes: Int) -> String {
        let head = """
            <!doctype html><html lang=en><head><meta charset=utf-8><title>Bookings – Example Bank</title>
            <style>\(String(repeating: ".booking td { padding: 2px 4px; color: #123 }\n", count: 20))</style>
            <script>window.page = { kind: "bookings", rows: "<tr></tr>" };</script></head><body class="page page--wide">
            <header><nav aria-label=Main><ul>
            """
        let links = (1...20).map {
            "<li class=\"nav__item\"><a class=\"nav__link\" href=\"/service/\($0)?ref=nav&amp;lang=en\">Service \($0)</a>\n"
        }
        let form = """
            </ul></nav></header><main id=main><h1>Bookings</h1><form action=/search method=post>
            <input type=hidden name=csrf value=4f1c><label>From <input type=date name=from required></label>
            <select name=year><option>2024<option>2025<option selected>2026</select><button class="btn btn--go">Show</button>
            </form><table class="bookings"><thead><tr><th>Date<th>Text<th>Amount<th>Document</thead><tbody>
            """
        var page = head + links.joined() + form
        var row = 0
        while page.utf8.count < bytes - 60 {
            row += 1
            let kind = row.isMultiple(of: 7) ? "booking booking--credit" : "booking"
            page += """
                <tr class="\(kind)" data-id="\(row)"><td class="date">\(row % 28 + 1) January 2026</td><td>Café Zoë &amp; Co,
                  <span class="note">card payment no. \(row)</span></td><td class="num">−\(row % 900).\(row % 90 + 10)&nbsp;€</td>
                <td><a class="doc" href="/documents/\(row)?type=pdf" title="Receipt \(row)">PDF</a></td></tr>

                """
        }
        return page + "</tbody></table></main><footer id=end><p>© Example Bank</footer></body></html>"
    }
}
