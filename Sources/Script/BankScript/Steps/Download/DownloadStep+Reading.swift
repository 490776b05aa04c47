import Encodings
import Messages
import Selectors

// Reading a download.

extension ScriptNode {
    func download() throws(ScriptSyntaxError) -> DownloadStep {
        if scalar != nil { return DownloadStep(source: .control(try locator(as: .control))) }
        let members = try members("download")
        func part(_ name: String) -> ScriptNode? { members.first { $0.key.scalar == name }?.value }
        let limit = try part("at most")?.size("at most") ?? DownloadStep.defaultLimit
        if part("as")?.scalar == "transactions" { return try transactions(atMost: limit) }
        let content = try content(as: part("as"), holding: part("holding"), named: part("named"))
        let others = ["as", "holding", "named", "at most"]
        if let pages = part("pages") {
            guard content == .document(.json), let request = part("request") else {
                throw pages.error("“pages” needs a request, and as: json or as: transactions")
            }
            _ = try fields("download", known: ["request", "pages"] + others)
            return DownloadStep(
                source: .request(try request.request()), content: content, pages: try pages.answerPages(), limit: limit)
        }
        if let reference = part("open") {
            _ = try fields("download", known: ["open"] + others)
            return DownloadStep(source: .open(try reference.template("open")), content: content, limit: limit)
        }
        if let request = part("request") {
            _ = try fields("download", known: ["request"] + others)
            return DownloadStep(source: .request(try request.request()), content: content, limit: limit)
        }
        if let form = part("submit") {
            _ = try fields("download", known: ["submit"] + others)
            return DownloadStep(source: .submit(try form.submit()), content: content, limit: limit)
        }
        if let path = part("json") {
            _ = try fields("download", known: ["json", "decode"] + others)
            guard part("decode")?.scalar == "base64" else {
                throw (part("decode") ?? path).error(
                    "a document inside an answer is read out of base64 and nothing else", hint: "decode: base64")
            }
            return DownloadStep(source: .encoded(in: try path.template("a JSONPath")), content: content, limit: limit)
        }
        if let printed = part("print") {
            _ = try fields("download", known: ["print", "at most"])
            guard printed.scalar == "page" else {
                throw printed.error("“print” prints the page that is open and nothing else", hint: "print: page")
            }
            return DownloadStep(source: .printedPage, limit: limit)
        }
        let control = try locator(as: .control, besides: others)
        return DownloadStep(source: .control(control), content: content, limit: limit)
    }

    /// Reads `as: csv`, or `as: zip` with `holding: [pdf, camt]`, and perhaps `named: "{{ year }}-{{ month | pad }}"`.
    private func content(
        as kind: ScriptNode?, holding: ScriptNode?, named: ScriptNode?
    ) throws(ScriptSyntaxError) -> DownloadStep.Content {
        guard let kind, kind.scalar == "zip" else {
            if let holding { throw holding.error("“holding” needs as: zip") }
            if let named { throw named.error("“named” needs as: zip") }
            return .document(try kind?.documentKind(or: ["zip", "transactions"]) ?? .pdf)
        }
        guard let holding else {
            throw kind.error("the archive's content is not named", hint: "holding: [pdf, camt]")
        }
        var kinds: [DocumentKind] = []
        for item in try holding.items("holding") {
            let kind = try item.documentKind()
            guard !kinds.contains(kind) else { throw item.error("“\(kind.rawValue)” is given twice") }
            kinds.append(kind)
        }
        guard !kinds.isEmpty else { throw holding.error("“holding” names nothing", hint: "holding: [pdf, camt]") }
        return .zip(of: kinds.sorted(), named: try named?.template("named"))
    }

    private func documentKind(or others: [String] = []) throws(ScriptSyntaxError) -> DocumentKind {
        let name = try text("a kind of document")
        let known = DocumentKind.allCases.map(\.rawValue) + others
        guard let kind = DocumentKind(rawValue: name) else {
            throw error(
                "“\(name)” is not a kind of document",
                hint: nearest(to: name, among: known).map { "did you mean “\($0)”?" }
                    ?? "the kinds are: \(known.joined(separator: ", "))")
        }
        return kind
    }

    /// Reads `{ request: …, pages: …, as: transactions, account: …, each: …, entry: … }`.
    func transactions(atMost limit: Int) throws(ScriptSyntaxError) -> DownloadStep {
        let fields = try fields(
            "download", known: ["request", "pages", "as", "account", "each", "entry", "at most"])
        guard let request = fields["request"] else {
            throw error("“as: transactions” needs a request", hint: "request: { GET: /transactions }")
        }
        guard let each = fields["each"], let entry = fields["entry"], let account = fields["account"] else {
            throw error(
                "“as: transactions” needs “account”, “each” and “entry”",
                hint: "each: \"$.transactions[*]\", the JSONPath of the entries in an answer")
        }
        let mapping = try entry.mapping(
            entries: try each.template("a JSONPath"), account: try account.template("account"))
        return DownloadStep(
            source: .request(try request.request()), content: .transactions(mapping),
            pages: try fields["pages"]?.answerPages(), limit: limit)
    }

    /// Reads `{ next: $.links.next, at most: 40 pages }`, with `as: NAME` for a cursor, or `{ offset: skip, of: "$.items[*]", … }`.
    func answerPages() throws(ScriptSyntaxError) -> AnswerPages {
        let fields = try fields("pages")
        guard let limit = fields["at most"] else {
            throw error("“pages” has no “at most”", hint: "give the number of pages to ask for: at most: 40 pages")
        }
        let next: AnswerPages.Next
        switch (fields["next"], fields["as"], fields["offset"], fields["of"]) {
        case (let path?, nil, nil, nil): next = .link(try path.text("a JSONPath"))
        case (let path?, let name?, nil, nil):
            next = .cursor(try path.text("a JSONPath"), parameter: try name.text("a parameter's name"))
        case (nil, nil, let name?, let items?):
            next = .offset(parameter: try name.text("a parameter's name"), items: try items.text("a JSONPath"))
        default:
            throw error(
                "“pages” must have either “next”, perhaps with “as”, or “offset” with “of”",
                hint: "next: $.links.next for an address, and as: cursor for a mark")
        }
        return AnswerPages(next: next, limit: try limit.pages())
    }

    private func mapping(entries: Template, account: Template) throws(ScriptSyntaxError) -> TransactionMapping {
        let fields = try fields("entry")
        func path(_ name: String) throws(ScriptSyntaxError) -> String? { try fields[name]?.text("a JSONPath") }
        func required(_ name: String, _ example: String) throws(ScriptSyntaxError) -> String {
            guard let path = try path(name) else {
                throw error("“entry” has no “\(name)”", hint: "\(name): \(example)")
            }
            return path
        }
        var mapping = TransactionMapping(
            entries: entries, account: account, id: try required("id", "$.id"),
            booked: try required("booked", "$.date"),
            amount: try required("amount", "$.amount"), currency: try required("currency", "$.currency, or EUR"))
        mapping.made = try path("made")
        mapping.valued = try path("valued")
        mapping.payee = try path("payee")
        mapping.payer = try path("payer")
        mapping.purpose = try path("purpose")
        mapping.balance = try path("balance")
        mapping.outgoing = try fields["outgoing"]?.transactionMark()
        mapping.pending = try fields["pending"]?.transactionMark()
        if let besides = fields["besides"] {
            guard mapping.balance == nil else {
                throw besides.error("“balance” cannot stand with “besides”: it does not say after which booking it is")
            }
            mapping.besides = try besides.secondBooking()
        }
        if let unit = fields["in"] {
            guard unit.scalar == "minor units" else {
                throw unit.error("amounts are whole, or in hundredths", hint: "in: minor units, or leave it out")
            }
            mapping.countsMinorUnits = true
        }
        if let sign = fields["sign"] {
            guard sign.scalar == "inverted" else {
                throw sign.error(
                    "the sign of amounts is as given, or inverted", hint: "sign: inverted, or leave it out")
            }
            guard mapping.outgoing == nil else { throw sign.error("“sign” and “outgoing” say the same thing") }
            mapping.isInverted = true
        }
        return mapping
    }

    /// Reads `{ amount: $.roundUp.amount, payee: Round Up }`.
    private func secondBooking() throws(ScriptSyntaxError) -> TransactionMapping.Besides {
        let example = "{ amount: $.roundUp.amount, payee: Round Up }"
        let fields = try fields("besides", example: example)
        guard let amount = fields["amount"], let payee = fields["payee"] else {
            throw error("“besides” needs “amount” and “payee”", hint: example)
        }
        return .init(amount: try amount.text("a JSONPath"), payee: try payee.text("a text"))
    }

    /// Reads `{ json: $.direction, is: OUT }`.
    private func transactionMark() throws(ScriptSyntaxError) -> TransactionMapping.Mark {
        let fields = try fields("a mark", example: "{ json: $.direction, is: OUT }")
        guard let path = fields["json"], let text = fields["is"] else {
            throw error("a mark needs “json” and “is”", hint: "{ json: $.direction, is: OUT }")
        }
        return .init(path: try path.text("a JSONPath"), is: try text.text("a text"))
    }
}
