import Testing

/// A small page with a list of documents, made for this purpose, and the document that a person would take.
struct ListPage: Sendable, CustomTestStringConvertible {
    let name: String
    /// In it, `{R}` is the wanted link and `{W}` one of a neighbour.
    let html: String
    let row: String
    let control: String
    /// False where a person, too, would have to guess, or where the month has no document.
    let isFound: Bool

    var testDescription: String { name }

    init(_ name: String, _ html: String, row: String = "April 2025", control: String = "Download", isFound: Bool = true)
    {
        self.name = name
        self.html = html.replacing("{R}", with: "<a id=right href=/r>Download</a>")
            .replacing("{W}", with: "<a id=wrong href=/w>Download</a>")
        self.row = row
        self.control = control
        self.isFound = isFound
    }

    static let withDocument: [ListPage] = [
        // Cards and their headings.
        .init(
            "two headings of one rank in a card",
            "<div class=card><h3>May 2025</h3><h3>Statement of account</h3>{W}</div><div class=card><h3>April 2025</h3><h3>Statement of account</h3>{R}</div>"
        ),
        .init(
            "two headings of one rank, the month second",
            "<div class=card><h3>Statement of account</h3><h3>April 2025</h3>{R}</div><div class=card><h3>Statement of account</h3><h3>March 2025</h3>{W}</div>"
        ),
        .init(
            "two headings of one rank with a period below",
            "<section><article><h4>April 2025</h4><h4>Giro 1234</h4><p>1.4.2025 to 30.4.2025</p>{R}</article><article><h4>March 2025</h4><h4>Giro 1234</h4><p>1.3.2025 to 31.3.2025</p>{W}</article></section>"
        ),
        .init(
            "cards of several documents",
            "<div class=card><h3>May 2025</h3><p>Statement {W}</p></div><div class=card><h3>April 2025</h3><p>Statement {R}</p></div>"
        ),
        .init(
            "cards with a footer",
            "<article><div class=body><b>April 2025</b></div><footer>{R}</footer></article><article><div class=body><b>May 2025</b></div><footer>{W}</footer></article>"
        ),
        .init(
            "cards with an icon of a file and a size",
            "<div class=doc><svg aria-hidden=true></svg><span>April 2025</span><small>PDF, 120 kB</small>{R}</div><div class=doc><svg aria-hidden=true></svg><span>May 2025</span><small>PDF, 98 kB</small>{W}</div>"
        ),
        .init(
            "a card of one document and a card of two",
            "<div class=card><b>May 2025</b><p>{W}</p><p><a href=/x>Details</a></p></div><div class=card><b>April 2025</b><p>{R}</p></div>"
        ),
        .init(
            "cards in columns",
            "<div class=grid><div class=col><div class=card><b>May 2025</b>{W}</div><div class=card><b>March 2025</b>{W}</div></div><div class=col><div class=card><b>April 2025</b>{R}</div></div></div>"
        ),
        .init(
            "cards with an account and a day",
            "<div class=card><b>Account 1234</b><h3>May 2025</h3><p>Issued: 2 June 2025</p>{W}</div><div class=card><b>Account 1234</b><h3>April 2025</h3><p>Issued: 2 May 2025</p>{R}</div>"
        ),
        .init(
            "texts of one line without a space between",
            "<div class=l>{W}<i>PDF</i><span>March 2025</span></div><div class=l>{R}<i>PDF</i><span>April 2025</span></div>"
        ),
        // Flat lists.
        .init(
            "lines below the months that say what the file is",
            "<div><div>May 2025</div><div>Statement as PDF {W}</div><div>April 2025</div><div>Statement as PDF {R}</div></div>"
        ),
        .init(
            "paragraphs below the months that say what the file is",
            "<p>May 2025</p><p>Your statement as PDF {W}</p><p>April 2025</p><p>Your statement as PDF {R}</p><p>March 2025</p><p>Your statement as PDF {W}</p>"
        ),
        .init(
            "entries of a list below the months",
            "<ul><li>May 2025<li>Statement as PDF {W}<li>April 2025<li>Statement as PDF {R}</ul>"
        ),
        .init(
            "headings and sizes",
            "<h3>May 2025</h3><p>Statement (PDF, 98 kB) {W}</p><h3>April 2025</h3><p>Statement (PDF, 120 kB) {R}</p>"
        ),
        .init(
            "rules between the entries",
            "<p>May 2025</p><p>{W}</p><hr><p>April 2025</p><p>{R}</p><hr><p>March 2025</p><p>{W}</p>"
        ),
        .init(
            "a link back above the months, the last without a link",
            "<div><a href=/x>Back</a></div><div>April 2025</div><div>{R}</div><div>March 2025</div><div>not yet</div>"),
        // Tables.
        .init(
            "a month over two rows, the second with the link",
            "<table><tr><td rowspan=2>May 2025<td>Giro<td>EUR 10<tr><td colspan=2>{W}<tr><td rowspan=2>April 2025<td>Giro<td>EUR 20<tr><td colspan=2>{R}</table>"
        ),
        .init(
            "a year over several rows",
            "<table><tr><th rowspan=3>2025<td>May 2025<td>{W}<tr><td>April 2025<td>{R}<tr><td>March 2025<td>{W}</table>"
        ),
        .init(
            "a row of the year before its months",
            "<table><tr><th colspan=2>2025<tr><td>May 2025<td>{W}<tr><td>April 2025<td>{R}<tr><th colspan=2>2024<tr><td>December 2024<td>{W}</table>"
        ),
        .init(
            "a table with a head that stays in place",
            "<table><thead style='position: sticky'><tr><th>Month<th>File<tbody><tr><td>May 2025<td>{W}<tr><td>April 2025<td>{R}</table>"
        ),
        .init(
            "a head that is there twice",
            "<table aria-hidden=true><tr><th>Month<th>File</table><table><tr><th>Month<th>File<tr><td>April 2025<td>{R}<tr><td>March 2025<td>{W}</table>"
        ),
        .init(
            "a table in the cell of a table",
            "<table><tr><td>Giro<td><table><tr><td>May 2025<td>{W}<tr><td>April 2025<td>{R}</table></table>"
        ),
        .init(
            "a table in a row's cell with the link",
            "<table><tr><td>May 2025<td><table><tr><td>PDF<td>{W}</table><tr><td>April 2025<td><table><tr><td>PDF<td>{R}</table></table>"
        ),
        .init(
            "hidden rows of other months",
            "<table><tr hidden><td>April 2025<td>{W}<tr><td>April 2025<td>{R}<tr style='display: none'><td>April 2025<td>{W}</table>"
        ),
        .init(
            "a hidden row of details below each",
            "<table><tr><td>May 2025<td>{W}<tr hidden><td colspan=2>Statement of May 2025 and of April 2025<tr><td>April 2025<td>{R}<tr hidden><td colspan=2>Statement</table>"
        ),
        .init(
            "a table from left to right",
            "<table><tr><th>{W}<td>May 2025<tr><th>{R}<td>April 2025<tr><th>{W}<td>March 2025</table>"
        ),
        .init(
            "a period in two cells",
            "<table><tr><td>1.4.2025<td>30.4.2025<td>{R}<tr><td>1.3.2025<td>31.3.2025<td>{W}</table>", row: "30.4.2025"),
        .init(
            "dates that begin like another",
            "<table><tr><td>11.4.2025<td>{W}<tr><td>1.4.2025<td>{R}<tr><td>21.4.2025<td>{W}</table>", row: "1.4.2025"),
        .init(
            "months and years in two columns",
            "<table><tr><td>May<td>2025<td>{W}<tr><td>April<td>2025<td>{R}<tr><td>April<td>2024<td>{W}</table>"),
        .init(
            "a column that is the same in each row, in the form of a month",
            "<table><tr><td>May 2025<td>Statements 2025<td>{W}<tr><td>April 2025<td>Statements 2025<td>{R}</table>"),
        .init(
            "an account, an amount and a day beside the month",
            "<table><tr><td>May 2025<td>Account 1234<td>EUR 2000.00<td>2 June 2025<td>{W}<tr><td>April 2025<td>Account 5678<td>EUR 1000.00<td>2 May 2025<td>{R}</table>"
        ),
        .init(
            "the month in the second column of each row",
            "<table><tr><td>Giro<td>May 2025<td>{W}<tr><td>Giro<td>April 2025<td>{R}</table>"),
        // Definition lists.
        .init("a definition list", "<dl><dt>May 2025<dd>{W}<dt>April 2025<dd>{R}<dt>March 2025<dd>{W}</dl>"),
        .init(
            "a definition list with a text before the link",
            "<dl><dt>May 2025<dd>Statement as PDF<dd>{W}<dt>April 2025<dd>Statement as PDF<dd>{R}</dl>"),
        .init(
            "a definition list in blocks",
            "<dl><div><dt>May 2025<dd>Statement as PDF {W}</div><div><dt>April 2025<dd>Statement as PDF {R}</div></dl>"),
        // Groups.
        .init(
            "the month as a heading of its rows",
            "<h2>May 2025</h2><table><tr><td>Giro<td>{W}</table><h2>April 2025</h2><table><tr><td>Giro<td>{R}</table>"),
        .init(
            "the month as a heading of a list",
            "<section><h2>May 2025</h2><ul><li>Statement {W}</ul></section><section><h2>April 2025</h2><ul><li>Statement {R}</ul></section>"
        ),
        .init(
            "years with a list of months each",
            "<h2>2025</h2><ul><li>May 2025 {W}<li>April 2025 {R}</ul><h2>2024</h2><ul><li>May 2024 {W}<li>April 2024 {W}</ul>"
        ),
        .init(
            "years that open by a click",
            "<details open><summary>2025</summary><ul><li>May 2025 {W}<li>April 2025 {R}</ul></details><details><summary>2024</summary><ul><li>April 2024 {W}</ul></details>"
        ),
        // Names of the links.
        .init(
            "links named by the month and the kind",
            "<ul><li>May 2025 <a id=wrong href=/w aria-label='Download statement of May 2025'>PDF</a><li>April 2025 <a id=right href=/r aria-label='Download statement of April 2025'>PDF</a></ul>"
        ),
        .init(
            "links of a picture with a title",
            "<table><tr><td>May 2025<td><a id=wrong href=/w title=Download><img src=d.png alt=''></a><tr><td>April 2025<td><a id=right href=/r title=Download><img src=d.png alt=''></a></table>"
        ),
        .init(
            "buttons of a form each",
            "<div class=l><form action=/w><span>May 2025</span><button id=wrong>Download</button></form><form action=/r><span>April 2025</span><button id=right>Download</button></form></div>"
        ),
        .init(
            "two kinds of file",
            "<ul><li>April 2025 <a id=right href=/r>PDF</a> <a href=/c>CSV</a><li>March 2025 <a id=wrong href=/w>PDF</a> <a href=/c>CSV</a></ul>",
            control: "PDF"),
        // Grids.
        .init(
            "an ARIA table",
            "<div role=table><div role=row><span role=cell>May 2025</span><span role=cell>{W}</span></div><div role=row><span role=cell>April 2025</span><span role=cell>{R}</span></div></div>"
        ),
        .init(
            "an ARIA grid with row groups",
            "<div role=grid><div role=rowgroup><div role=row><div role=columnheader>Month</div><div role=columnheader>File</div></div></div><div role=rowgroup><div role=row><div role=gridcell>May 2025</div><div role=gridcell>{W}</div></div><div role=row><div role=gridcell>April 2025</div><div role=gridcell>{R}</div></div></div></div>"
        ),
        .init(
            "an ARIA list",
            "<div role=list><div role=listitem>May 2025 {W}</div><div role=listitem>April 2025 {R}</div></div>"),
        .init(
            "a grid of blocks",
            "<div class=grid><div class=r><div class=c>May 2025</div><div class=c>Statement</div><div class=c>{W}</div></div><div class=r><div class=c>April 2025</div><div class=c>Statement</div><div class=c>{R}</div></div></div>"
        ),
        .init(
            "a grid of blocks without rows",
            "<div class=grid><div class=m>May 2025</div><div class=s>Statement</div><div class=d>{W}</div><div class=m>April 2025</div><div class=s>Statement</div><div class=d>{R}</div></div>"
        ),
        .init(
            "custom elements",
            "<bank-list><bank-row><bank-cell>May 2025</bank-cell><bank-cell>{W}</bank-cell></bank-row><bank-row><bank-cell>April 2025</bank-cell><bank-cell>{R}</bank-cell></bank-row></bank-list>"
        ),
        // Orders and languages.
        .init(
            "months from the first to the last",
            "<ul><li>January 2025 {W}<li>February 2025 {W}<li>March 2025 {W}<li>April 2025 {R}<li>May 2025 {W}</ul>"),
        .init(
            "German months",
            "<div class=k><h3>Mai 2025</h3><h3>Kontoauszug</h3>{W}</div><div class=k><h3>März 2025</h3><h3>Kontoauszug</h3>{R}</div>",
            row: "März 2025"),
        .init(
            "French months",
            "<p>juillet 2025</p><p>Relevé en PDF {W}</p><p>août 2025</p><p>Relevé en PDF {R}</p>", row: "août 2025"),
        .init(
            "Italian months",
            "<dl><dt>Maggio 2025<dd>Estratto conto {W}<dt>Aprile 2025<dd>Estratto conto {R}</dl>", row: "Aprile 2025"),
        .init(
            "Spanish months",
            "<div>Mayo de 2025</div><div>Extracto en PDF {W}</div><div>Abril de 2025</div><div>Extracto en PDF {R}</div>",
            row: "Abril de 2025"),
        .init(
            "months in capitals",
            "<div><div>MAY 2025</div><div>Statement as PDF {W}</div><div>APRIL 2025</div><div>Statement as PDF {R}</div></div>",
            row: "APRIL 2025"),
        .init(
            "months as numbers",
            "<div><div>05/2025</div><div>Statement as PDF {W}</div><div>04/2025</div><div>Statement as PDF {R}</div></div>",
            row: "04/2025"),
        .init(
            "months without a year below a year",
            "<h2>2025</h2><ul><li>May {W}<li>April {R}</ul>", row: "April"),
        // A month in a sentence of another's entry.
        .init(
            "a span of days, and a sentence about the month after",
            "<div class=c><b>1 May – 31 May 2026</b><p>Sent in June 2026.</p>{R}</div><div class=c><b>1 April – 30 April 2026</b><p>Sent in May.</p>{W}</div>",
            row: "May 2026"),
        .init(
            "a day before the title of each row",
            "<table><tr><td>02.05.2025<td>Statement April 2025<td>{R}<tr><td>01.04.2025<td>Statement March 2025<td>{W}</table>"
        ),
        .init(
            "a sentence about the month above the list",
            "<p>The statement of April 2025 is here.</p><div class=m>May 2025</div><div class=d>{W}</div><div class=m>April 2025</div><div class=d>{R}</div>"
        ),
        .init(
            "a card of the month in capitals and digits",
            "<div class=c><b>APR 2025</b><p>04/2025</p>{R}</div><div class=c><b>MAR 2025</b><p>03/2025</p>{W}</div>",
            row: "APR 2025"),
        // Words that say that there is nothing, and classes.
        .init(
            "lines of a month in two colours, each link in its month's",
            "<div class=a>May 2025</div><div class=a>{W}</div><div class=b>April 2025</div><div class=b>{R}</div><div class=a>March 2025</div><div class=a>{W}</div>"
        ),
        .init(
            "a link of the newest month with a class more",
            "<div class=m>April 2025</div><div class='d new'>{R}</div><div class=m>March 2025</div><div class=d>{W}</div>"
        ),
        .init(
            "a note below each month that says what the file is not",
            "<h3>May 2025</h3><p>Not for tax</p><p>{W}</p><h3>April 2025</h3><p>Not for tax</p><p>{R}</p>"),
        .init(
            "a card that says that it was not read",
            "<div class=c><b>May 2025</b><i>not read</i>{W}</div><div class=c><b>April 2025</b><i>not read</i><small>sent on 2 May 2025</small>{R}</div>"
        ),
        .init(
            "a day of the wanted month in the last entry of a list with headings",
            "<section><h3 class=c>Statement May 2025</h3><span class=c>{R}</span><h3 class=c>Statement April 2025</h3><span class=c>{W}</span><span class=c>made on 2 May 2025</span></section>",
            row: "May 2025"),
        .init(
            "a day that another day's entry has below its link",
            "<dl><dt>30.4.2025<dd>{R}<dt>31.3.2025<dd>Statement<dd>{W}<dd>30.4.2025</dl>",
            row: "30.4.2025"),
        .init(
            "a name of a month below another's, which has no document",
            "<div class=m>August</div><div class=s>Statement</div><div class=n>July</div><div class=m>July</div><div class=l>Statement {R}</div><div class=n>available since August</div>",
            row: "July"),
        .init(
            "a number after “No.”",
            "<ul><li>April 2025 Statement No. 4 {R}<li>March 2025 Statement No. 3 {W}</ul>"),
        // One month in two forms.
        .init(
            "a day, and the month as the number of the statement",
            "<table><tr><td>30.09.2026<td>Statement no. 9/2026<td>{R}<tr><td>31.08.2026<td>Statement no. 8/2026<td>{W}</table>",
            row: "09.2026"
        ),
        .init(
            "a day, and the month with the year first",
            "<table><tr><td>30.09.2026<td>2026-9<td>{R}<tr><td>31.08.2026<td>2026-8<td>{W}</table>", row: "09.2026"
        ),
    ]

    static let withoutDocument: [ListPage] = [
        .init(
            "a month without a file, and a card of something else",
            "<div class=card><h3>April 2025</h3><p>not yet</p><h3>Annual report</h3>{W}</div><div class=card><h3>March 2025</h3>{W}</div>",
            isFound: false),
        .init(
            "a month without a file before a heading of another month",
            "<div class=card><h3>April 2025</h3><h3>March 2025</h3>{W}</div><div class=card><h3>February 2025</h3><h3>January 2025</h3>{W}</div>",
            isFound: false),
        .init(
            "a month without a file before a heading with a remark",
            "<div class=card><h3>April 2025</h3><h3>March 2025 (new)</h3>{W}</div><div class=card><h3>February 2025</h3><h3>Tax 2024</h3>{W}</div>",
            isFound: false),
        .init(
            "two headings in the one card that there is",
            "<div class=card><h3>April 2025</h3><h3>Annual report</h3>{W}</div>", isFound: false),
        .init(
            "two headings of other kinds in each card",
            "<div class=card><h3>April 2025</h3><h3>Tax documents</h3>{W}</div><div class=card><h3>March 2025</h3><h3>Statement</h3>{W}</div>",
            isFound: false),
        .init(
            "a line of another document below a month without one",
            "<div><div>May 2025</div><div>Statement as PDF {W}</div><div>April 2025</div><div>Annual report {W}</div></div>",
            isFound: false),
        .init(
            "the same line below months that have none yet",
            "<div><div>May 2025 not yet</div><div>Annual report {W}</div><div>April 2025 not yet</div><div>Annual report {W}</div></div>",
            isFound: false),
        .init(
            "a remark, and the same line below",
            "<div><div>May 2025 - not yet</div><div>Annual report {W}</div><div>April 2025 - not yet</div><div>Annual report {W}</div></div>",
            isFound: false),
        .init(
            "a remark in an element, and the same line below",
            "<div><div><b>May 2025</b> not yet</div><div>Annual report {W}</div><div><b>April 2025</b> not yet</div><div>Annual report {W}</div></div>",
            isFound: false),
        .init(
            "a month at the end without its line",
            "<div><div>May 2025</div><div>Statement as PDF {W}</div><div>March 2025</div><div>Statement as PDF {W}</div><div>April 2025</div></div><p>Terms {W}</p>",
            isFound: false),
        .init(
            "a month directly before another",
            "<div><div>May 2025</div><div>Statement as PDF {W}</div><div>April 2025</div><div>March 2025</div><div>Statement as PDF {W}</div></div>",
            isFound: false),
        .init(
            "two documents of one kind below a month",
            "<ul><li>April 2025 {W} {W}<li>March 2025 {W}</ul>", isFound: false),
        .init(
            "two accounts below a month",
            "<h2>April 2025</h2><table><tr><td>Giro<td>{W}<tr><td>Savings<td>{W}</table><h2>March 2025</h2><table><tr><td>Giro<td>{W}</table>",
            isFound: false),
        .init(
            "the same month of two years",
            "<h2>2025</h2><ul><li>April {W}</ul><h2>2024</h2><ul><li>April {W}</ul>", row: "April", isFound: false),
        .init(
            "a hidden row alone",
            "<table><tr hidden><td>April 2025<td>{W}<tr><td>March 2025<td>{W}</table>", isFound: false),
        .init(
            "a row with a hidden link",
            "<table><tr><td>April 2025<td><span hidden>{W}</span><tr><td>March 2025<td>{W}</table>", isFound: false),
        .init(
            "a table in a row's cell without a link",
            "<table><tr><td>April 2025<td><table><tr><td>PDF<td>not yet</table><tr><td>March 2025<td><table><tr><td>PDF<td>{W}</table></table>",
            isFound: false),
        .init(
            "a period that covers the month",
            "<ul><li>January 2025 to April 2025 {W}<li>March 2025 {W}</ul>", row: "April 2024", isFound: false),
        .init(
            "an ARIA row without a link",
            "<div role=table><div role=row><span role=cell>April 2025</span><span role=cell>not yet</span></div><div role=row><span role=cell>March 2025</span><span role=cell>{W}</span></div></div>",
            isFound: false),
        .init(
            "a grid of blocks without rows and a file",
            "<div class=grid><div class=m>May 2025</div><div class=s>Statement</div><div class=d>{W}</div><div class=m>April 2025</div><div class=s>Statement</div><div class=d>-</div><div class=m>March 2025</div><div class=s>Statement</div><div class=d>{W}</div></div>",
            isFound: false),
        .init(
            "a definition list without a file",
            "<dl><dt>May 2025<dd>Statement as PDF {W}<dt>April 2025<dd>not yet<dt>March 2025<dd>Statement as PDF {W}</dl>",
            isFound: false),
        .init(
            "the month in the list's heading alone",
            "<h1>Statements up to April 2025</h1><ul><li>March 2025 {W}<li>February 2025 {W}</ul>", isFound: false),
        .init(
            "the month in a sentence above the list",
            "<p>April 2025 comes on 2 May.</p><ul><li>March 2025 {W}</ul>", isFound: false),
        .init(
            "a day of the month in another month's row",
            "<table><tr><td>March 2025<td>made on 2 April 2025<td>{W}<tr><td>April 2025<td>not yet<td></table>",
            isFound: false),
        .init(
            "cards in columns without a file",
            "<div class=grid><div class=col><div class=card><b>May 2025</b>{W}</div><div class=card><b>March 2025</b>{W}</div></div><div class=col><div class=card><b>April 2025</b><i>not yet</i></div></div></div>",
            isFound: false),
        // Links above their months.
        .init(
            "a link above each month, in blocks",
            "<div>{W}</div><div>April 2025</div><div>{W}</div><div>March 2025</div>",
            isFound: false),
        .init(
            "a link above each month, in paragraphs",
            "<p>{W}</p><p>May 2025</p><p>{W}</p><p>April 2025</p><p>{W}</p><p>March 2025</p>",
            isFound: false),
        .init(
            "a link before each month, in one line",
            "<div class=l>{W}<span>April 2025</span>{W}<span>March 2025</span></div>",
            isFound: false),
        .init(
            "a link above each month, in entries of a list",
            "<ul><li>{W}<li>April 2025<li>{W}<li>March 2025</ul>",
            isFound: false),
        .init(
            "a link above each heading",
            "<div class=g><div>{W}</div><h3>April 2025</h3><div>{W}</div><h3>March 2025</h3></div>",
            isFound: false),
        .init(
            "a link above each month, in rows of a table",
            "<table><tr><td>{W}<tr><td>April 2025<tr><td>{W}<tr><td>March 2025</table>",
            isFound: false),
        .init(
            "a bare link above each caption",
            "<div class=g>{W}<p>April 2025</p>{W}<p>March 2025</p></div>",
            isFound: false),
        .init(
            "a picture above each caption",
            "<div class=g><a href=/r><img alt=Download></a><span>April 2025</span><a id=wrong href=/w><img alt=Download></a><span>March 2025</span></div>",
            isFound: false),
        .init(
            "a link above each month, in lines",
            "<p>{W}<br>April 2025<br>{W}<br>March 2025</p>",
            isFound: false),
        .init(
            "a link above each month, and one that is below the list",
            "<div>{W}</div><div>April 2025</div><div>{W}</div><div>March 2025</div><div>Terms {W}</div>",
            isFound: false),
        .init(
            "a link above each month, the month without one",
            "<div>{W}</div><div>May 2025</div><div>April 2025</div><div>{W}</div><div>March 2025</div>",
            isFound: false),
        .init(
            "a link above each month, one with a label",
            "<div><p>Invoice {W}</p><div>April 2025</div><p>{W}</p><div>March 2025</div></div>",
            isFound: false),
        .init(
            "a link above each month, with breaks, and one that is below the list",
            "{W}<div>April 2025</div><br>{W}<div>March 2025</div><p>Terms and prices {W}</p>",
            isFound: false),
        // Two months in one entry.
        .init(
            "two months beside each other in rows",
            "<table><tr><th>Month<th>File<th>Month<th>File<tr><td>April 2025<td>not yet<td>October 2024<td>{W}<tr><td>March 2025<td>{W}<td>September 2024<td>{W}</table>",
            isFound: false),
        .init(
            "two months in a row, one with a link in its cell",
            "<table><tr><td>April 2025<td>October 2024 {W}<tr><td>March 2025 {W}<td>September 2024 {W}</table>",
            isFound: false),
        .init(
            "two months in digits in a row",
            "<table><tr><td>1/2025<td>not yet<td>11/2025<td>{W}</table>", row: "1/2025", isFound: false),
        .init(
            "cells of lines",
            "<table><tr><td>April 2025<br>March 2025<td>-<br>{W}</table>",
            isFound: false),
        .init(
            "cells of blocks",
            "<table><tr><td><div>April 2025</div><div>March 2025</div><td><div>-</div><div>{W}</div></table>",
            isFound: false),
        .init(
            "a month that another month's row names",
            "<table><tr><td>March 2025<td>available since April 2025<td>{W}<tr><td>February 2025<td>available since March 2025<td>{W}</table>",
            isFound: false),
        .init(
            "a link in a cell over two months",
            "<table><tr><td>April 2025<td>-<td rowspan=2>{W}<tr><td>March 2025<td>x</table>",
            isFound: false),
        .init(
            "a card that offers the month before",
            "<div class=card><h3>April 2025</h3><div class=card-sub><h4>March 2025</h4>{W}</div></div>",
            isFound: false),
        .init(
            "a card that names the month before after a colon",
            "<div class=card><span>April 2025</span><div class=prev>Previous: March 2025 {W}</div></div>",
            isFound: false),
        .init(
            "a section with the statement before",
            "<section><h3>April 2025</h3><p>Not available. Your last statement:</p><p>March 2025 {W}</p></section>",
            isFound: false),
        .init(
            "an entry of a list that names the month before",
            "<ul><li>April 2025 is not ready. Last: March 2025 {W}</ul>",
            isFound: false),
        .init(
            "a definition with another month",
            "<dl><dt>April 2025</dt><dd>none</dd><dd>March 2025 {W}</dd></dl>",
            isFound: false),
        .init(
            "a card made in the month",
            "<div class=c><b>March 2025</b><small>created April 2025</small>{W}</div><div class=c><b>February 2025</b><small>created March 2025</small>{W}</div>",
            isFound: false),
        .init(
            "a section of another month in a flat list",
            "<div class=m>April 2025</div><section><h3>March 2025</h3>{W}</section><div class=m>May 2025</div>",
            isFound: false),
        .init(
            "rows of a grid with two months",
            "<div role=row><span role=cell>April 2025</span><span role=cell>not yet</span><span role=cell>October 2024</span><span role=cell>{W}</span></div>",
            isFound: false),
        .init(
            "a month in the second column, and in the first of another row",
            "<table><tr><td>Statement March 2025<td>April 2025<td>{R}<tr><td>Statement February 2025<td>March 2025<td>{W}</table>",
            row: "March 2025", isFound: false),
        .init(
            "a month below the title of a card, and in the title of another",
            "<div class=c><div>Statement March 2025</div><div>April 2025</div>{R}</div><div class=c><div>Statement February 2025</div><div>March 2025</div>{W}</div>",
            row: "March 2025", isFound: false),
        // A month in a sentence of another's entry.
        .init(
            "a month named in a sentence of another card",
            "<div class=c><div>Statement March 2025</div><p>Sent in April 2025.</p>{W}</div><div class=c><div>Statement February 2025</div><p>Sent in March 2025.</p>{W}</div>",
            isFound: false),
        .init(
            "a month named in a sentence of another row",
            "<table><tr><td>April 2025<td>none<td>not yet<tr><td>1 March 2025 – 31 March 2025<td>follows April 2025<td>{W}</table>",
            isFound: false),
        .init(
            "a month that is not in the list, but in a sentence",
            "<ul><li>March 2025, payment due by 15 April 2025 {W}<li>February 2025, payment due by 15 March 2025 {W}</ul>",
            isFound: false),
        .init(
            "a month named below the span of another",
            "<article><h4>1 March – 31 March 2025</h4><p>Your bill for April 2025 comes later</p>{W}</article><article><h4>1 February – 28 February 2025</h4>{W}</article>",
            isFound: false),
        .init(
            "a span of days without a document",
            "<div class=c><b>1 May – 31 May 2026</b><p>Replaces the statement of April 2026</p></div><div class=c><b>1 June – 30 June 2026</b><p>Replaces the statement of May 2026</p>{W}</div>",
            row: "May 2026", isFound: false),
        .init(
            "a name of a month in another's card",
            "<div class=c><b>March</b><p>April</p>{W}</div><div class=c><b>February</b><p>March</p>{W}</div>",
            row: "April", isFound: false),
        .init(
            "a month above the title of a card",
            "<div><p>created on April 2025</p><h4>March 2025</h4><p>{W}</p></div><div><p>created on March 2025</p><h4>February 2025</h4><p>{W}</p></div>",
            isFound: false),
        .init(
            "a definition that is the month after",
            "<dl><dt>March 2025<dd>April 2025<dd>{W}<dt>February 2025<dd>March 2025<dd>{W}</dl>",
            isFound: false),
        .init(
            "a remark below another month, in a list without blocks",
            "<h3>March 2025</h3><p>April 2025</p><p>{W}</p><h3>February 2025</h3><p>March 2025</p><p>{W}</p>",
            isFound: false),
        .init(
            "a remark after a link, before another span",
            "<section><b>1 December – 31 December 2024</b><span>{W}</span><span>Created January 2025</span><b>1 November – 30 November 2024</b><span>{W}</span></section>",
            row: "January 2025", isFound: false),
        .init(
            "a line that names the month after",
            "<p>March 2025, available since April 2025 {W}<br>February 2025, available since March 2025 {W}</p>",
            isFound: false),
        .init(
            "a remark in the second row of another month",
            "<table><tr><td colspan=2>Statement May 2025<tr><td>April 2025<td>{W}<tr><td colspan=2>Statement April 2025<tr><td>May 2025<td></table>",
            isFound: false),
        .init(
            "a day after the link of another day",
            "<div><div><h3>31.3.2025</h3>{W}<div>30.4.2025</div></div><div><h3>28.2.2025</h3>{W}</div></div>",
            row: "30.4.2025", isFound: false),
        .init(
            "a remark in a section of several months",
            "<section><div class=a>1 May – 31 May 2025</div><div class=a>not yet</div><div class=b>1 April – 30 April 2025</div>{W}<div class=b>Sent in May 2025.</div></section>",
            row: "May 2025", isFound: false),
        .init(
            "a line of another name of a month",
            "<p>August<br>July PDF {W}</p>",
            row: "August", isFound: false),
        .init(
            "a link above each name of a month, and one below the list",
            "{W}<div class=c>August</div><br>{W}<div class=c>July</div><p>Terms and prices {W}</p>",
            row: "July", isFound: false),
        // Words that say that there is nothing, and links that are another's.
        .init(
            "a month, and a month without a year before the link",
            "<div><span>April 2025</span> <span>March</span> {W}</div>",
            isFound: false),
        .init(
            "the same in a card with its link below it",
            "<div class=c><span>April 2025</span> <span>March</span></div><div class=d>{W}</div><div class=c><span>February 2025</span></div><div class=d>{W}</div>",
            isFound: false),
        .init(
            "a link of another class below the last month",
            "<div class=m>May 2025</div><div class=d>{W}</div><div class=m>April 2025</div><div class=all>{W}</div>",
            isFound: false),
        .init(
            "a bare link of another class below a month in the middle",
            "<h3>May 2025</h3><a class=d href=/w>Download</a><h3>April 2025</h3><a class=ad id=wrong href=/w>Download</a><h3>March 2025</h3><a class=d href=/w>Download</a>",
            isFound: false),
        .init(
            "a line that says not yet, and a link below it",
            "<h3>May 2025</h3><p>{W}</p><h3>April 2025</h3><p>not yet</p><p>{W}</p>",
            isFound: false),
        .init(
            "a definition list with a line that denies it",
            "<dl><dt>May 2025<dd>{W}<dt>April 2025<dd>Kein Auszug<dd>{W}</dl>",
            isFound: false),
        .init(
            "a month that is not ready, with a link to another's",
            "<ul><li>April 2025 – not ready, see March 2025 {W}<li>February 2025 {W}</ul>",
            isFound: false),
        .init(
            "the same in elements of the entry",
            "<ul><li><b>April 2025</b> <i>not ready</i> <small>last one: March 2025</small> {W}<li><b>February 2025</b> {W}</ul>",
            isFound: false),
        .init(
            "the same in a card, with the month before by its name",
            "<div class=c><h3>April 2025</h3><p>not yet</p><p>Previous month: March</p>{W}</div><div class=c><h3>February 2025</h3>{W}</div>",
            isFound: false),
        .init(
            "a row whose month is not ready, with a link to another's",
            "<table><tr><td>April 2025<td>Noch nicht verfügbar, siehe März 2025<td>{W}<tr><td>February 2025<td><td>{W}</table>",
            isFound: false),
        .init(
            "a line whose month is not ready, with a link to another's",
            "<p>May 2025 {W}<br>April 2025 (nicht verfügbar, siehe März 2025) {W}<br>March 2025 {W}</p>",
            isFound: false),
        .init(
            "months of another's below the links of a list",
            "<div class=m>Statement May 2025</div><p>{W}</p><span>April 2025</span>"
                + "<div class=m>Statement March 2025</div><p>{W}</p><span>February 2025</span>",
            isFound: false),
        .init(
            "a day that is not ready, with a link to another's",
            "<section>30.4.2025 – not ready, see 31.3.2025</section><div>{W}</div><section>31.3.2025</section><div>not yet</div>",
            row: "31.3.2025", isFound: false),
        // A month, a day or a number below the document of another's entry.
        .init(
            "a month below another's document, before a line of another kind",
            "<section><div class=m>Statement May 2025</div><div class=l>{W}</div><div class=n>Previous: April 2025</div><div class=o>Annual report {W}</div><div class=m>Statement April 2025</div><div class=l>{W}</div><div class=n>May 2025</div><div class=o>Annual report {W}</div></section><p>Terms and prices {W}</p>",
            row: "May 2025", isFound: false),
        .init(
            "the same in entries of a list, below spans of days",
            "<section><ul><li>1 May – 31 May 2025<li>{W}<li>April 2025<li>Annual report {W}<li>1 April – 30 April 2025<li>{W}<li>May 2025<li>Annual report {W}</ul></section>",
            row: "May 2025", isFound: false),
        .init(
            "the same where the list's own month has a remark, and classes tell",
            "<div class=m>May 2025 new</div><div class=l>{W}</div><div class=n>Sent in February 2025.</div><div class=m>April 2025</div><div class=l>{W}</div><div class=n>available since May 2025</div><div class=o>Terms {W}</div><div class=m>March 2025</div><div class=l>{W}</div><div class=n>May 2025</div><div class=m>February 2025: not yet</div><div class=l>{W}</div><div class=n>May 2025</div><div class=o>Terms {W}</div>",
            row: "May 2025", isFound: false),
        .init(
            "a sentence before the head of the next entry",
            "<main><div class=even>Statement May 2025</div><div class=even>Statement {W}</div><div class=even>Sent in March 2025.</div><div class=odd>Statement April 2025</div><div class=odd> {W}</div><div class=odd>Previous: February 2025</div><div class=even>Statement March 2025</div><div class=even>Statement {W}</div><div class=even>April 2025</div><div class=odd>Statement February 2025</div><div class=odd>Statement {W}</div><div class=odd>May 2025</div></main>",
            row: "March 2025", isFound: false),
        .init(
            "a number below another number's document, and below its own none",
            "<div><h3 class=m>Statement 5</h3><p class=s>Statement as PDF</p><h3 class=m>Statement 4</h3><p class=l>{W}</p><p class=n>Statement 5</p></div>",
            row: "Statement 5", isFound: false),
        .init(
            "a number in the second row of another's",
            "<table><tr><td>Statement 5<tr><td>Statement 4<td>{W}<tr><td>Statement 4 new<tr><td>Statement 5<td></table>",
            row: "Statement 4", isFound: false),
        .init(
            "a day in the second row of another day",
            "<table><tr><td colspan=2>30.4.2025: not yet<tr><td>Sent<td><tr><td colspan=2>31.3.2025<tr><td>30.4.2025<td>{W}</table>",
            row: "30.4.2025", isFound: false),
        .init(
            "a day among the definitions of another day",
            "<main><dl><dt>30.4.2025 – corrected<dd>Statement<dd>{W}<dt>31.3.2025<dd>Statement<dd>{W}<dd>Terms {W}<dt>28.2.2025<dd>Statement<dd>{W}<dd>31.3.2025<dt>31.1.2025<dd>Statement<dd>{W}<dd>30.4.2025<dt>31.12.2024<dd>Statement<dd>{W}<dd>available since 28.2.2025</dl></main>",
            row: "30.4.2025", isFound: false),
        .init(
            "a day below another day of another class, and below its own none",
            "<div><b class=m>30.4.2025</b><b class=n>28.2.2025</b><b class=o>Tax 2024 {W}</b><b class=m>31.3.2025 new</b><b class=l> {W}</b><b class=o>Tax 2024 {W}</b><b class=m>28.2.2025</b><b class=n>not yet</b></div>",
            row: "28.2.2025", isFound: false),
        .init(
            "a section of two months, and a day of the first one below the link",
            "<section><b class=a>Statement May 2025</b><b class=b>Statement April 2025</b>{W}<div class=b>made on 2 May 2025</div></section>",
            row: "May 2025", isFound: false),
        .init(
            "a month that is there twice, each time with a link below it",
            "<section><p class=c>August</p><p class=c>Statement (PDF, 120 kB) {W}</p><p class=c>May</p><p class=c>Tax 2024 {W}</p><p class=c>July</p><p class=c>Statement (PDF, 98 kB) {W}</p><p class=c>available since August</p><p class=c>June</p><p class=c>Statement (PDF, 98 kB) {W}</p><p class=c>April</p><p class=c>Tax 2024 {W}</p><p class=c>May</p><p class=c>Statement (PDF, 98 kB) {W}</p><p class=c>available since July</p><p class=c>Tax 2024 {W}</p><p class=c>April</p><p class=c>Statement (PDF, 98 kB) {W}</p><p class=c>available since July</p><p class=c>Tax 2024 {W}</p></section>",
            row: "May", isFound: false),
        .init(
            "a day below another day, where its own head says not yet",
            "<p>30.4.2025: not yet</p><p>Statement (PDF, 120 kB)</p>{W}<p>31.3.2025</p><p>Annual report {W}</p><p>31.3.2025</p><p>Statement (PDF, 98 kB)</p>{W}<p>30.4.2025</p><p>Annual report {W}</p>",
            row: "30.4.2025", isFound: false),
        .init(
            "two days with a sentence between them, the first one without a document",
            "<div><b class=even>30.4.2025</b><p class=even>Previous: 31.3.2025</p><b class=odd>31.3.2025</b><p class=odd>{W}</p><p class=odd>available since 30.4.2025</p></div>",
            row: "30.4.2025", isFound: false),
        // Links above names of months, and above days.
        .init(
            "links above names of months, with labels of one word",
            "<div class=l> {W}</div><div class=m>August</div> <div class=l>Statement {W}</div><div class=m>July</div> <div class=l>Statement {W}</div><div class=m>June</div> <div class=l>Statement {W}</div><div class=m>May</div>",
            row: "July", isFound: false),
        .init(
            "links above names of months, the last one with a sentence",
            "<p>{W}</p><p>August</p><p>{W}</p><p>July</p><p>{W}</p><p>June is not here. See August</p>",
            row: "July", isFound: false),
        .init(
            "links above months, with a label that is written like a month",
            "<div>Account 1234 {W}</div><div>Statement May 2025</div><div>{W}</div><div>Statement April 2025</div><div>Account 1234 {W}</div><div>Statement March 2025</div>",
            row: "May 2025", isFound: false),
        .init(
            "links before months in lines, and one that is below the list",
            "{W}<span>May 2025</span><br>{W}<span>April 2025</span><br><span>March 2025</span><p>Terms and prices {W}</p>",
            row: "March 2025", isFound: false),
        .init(
            "links before days in lines, the day without one",
            "{W}<b>30.4.2025</b><br><b>31.3.2025</b><br>{W}<b>28.2.2025</b><br><b>31.1.2025</b><br>{W}<b>31.12.2024</b>",
            row: "31.1.2025", isFound: false),
        .init(
            "a link above a name of a month that refers to another, in lines",
            "<div>{W}<section class=m>August is not here. See July</section><br><section class=m>July</section></div>",
            row: "August", isFound: false),
    ]
}
