// Downloads that are made of JSON answers.

extension ScriptNode {
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
        mapping.purpose = try path("purpose")
        mapping.balance = try path("balance")
        mapping.outgoing = try fields["outgoing"]?.transactionMark()
        mapping.pending = try fields["pending"]?.transactionMark()
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

    /// Reads `{ json: $.direction, is: OUT }`.
    private func transactionMark() throws(ScriptSyntaxError) -> TransactionMapping.Mark {
        let fields = try fields("a mark", example: "{ json: $.direction, is: OUT }")
        guard let path = fields["json"], let text = fields["is"] else {
            throw error("a mark needs “json” and “is”", hint: "{ json: $.direction, is: OUT }")
        }
        return .init(path: try path.text("a JSONPath"), is: try text.text("a text"))
    }
}
