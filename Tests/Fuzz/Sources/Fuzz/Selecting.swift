@testable import Markup
@testable import Selectors

/// A page with a match for every kind of selector.
private let page = """
    <!DOCTYPE html><html lang="en-GB"><head><title>t</title></head><body class="a b" data-x="one two">
    <form id="f"><label for="i">Name</label><input id="i" name="n" required value="v" type="TEXT">
    <fieldset disabled><input type="checkbox" checked><input type="radio" name="r" readonly></fieldset>
    <select name="s"><option selected value="1">One<option>Two</select><textarea readonly></textarea>
    <button class="b c" title="é">Go</button></form>
    <table id="t"><thead><tr><th>Month<th>Link</thead>
    <tr class="odd"><td>January 2026<td><a href="/1" rel="next nofollow">PDF</a>
    <tr class="even"><td>February 2026<td><a>none</a></table>
    <ul lang="de"><li>1<li class="a">2<li>3<li><p></p><p>x</p></li></ul><p></p><div><p><b>deep</b></p></div>
    <svg><circle id="c"/></svg></body></html>
    """

/// Checks the relations between selections that derive from one selector (Selectors Level 4).
func fuzzSelector(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let document: Document
    do {
        document = try Document.parse(
            Array(page.utf8), contentType: "text/html; charset=utf-8", url: "https://a.example/")
    } catch {
        fatalError("the page is one: \(error)")
    }
    let all = (try? document.select(css: "*")) ?? []
    for path in [text, "//*[\(text)]"] {
        let found = (try? document.select(xpath: path)) ?? []
        promise(Set(found).isSubset(of: all), "an XPath's elements are the page's")
    }
    let list: SelectorList
    do {
        list = try SelectorList(parsing: text)
    } catch {
        promise((1...text.unicodeScalars.count + 1).contains(error.column), "an error is at a place of the text")
        return
    }
    // A selection that exceeds its time limit promises nothing.
    try? checkSelections(
        of: list, all, in: document, mayHoldScope: text.lowercased().contains("scope") || text.contains("\\"))
}

private func checkSelections(
    of list: SelectorList, _ all: [Element], in document: Document, mayHoldScope: Bool
) throws(SelectionTooLong) {
    let found = try document.select(list)
    promise(Set(found).count == found.count, "an element is found once")
    promise(found == all.filter(Set(found).contains), "what is found stands in the page's order")
    let same = try document.select(selecting(.is(list)))
    promise(same == found, ":is() of a selector is the selector")
    let others = try document.select(selecting(.not(list)))
    promise(others == all.filter { !found.contains($0) }, ":not() is all others")
    for selector in list.selectors {
        let alone = try document.select(SelectorList(selectors: [selector]))
        promise(Set(alone).isSubset(of: found), "a selector of a list finds no more than the list")
    }
    if list.selectors.allSatisfy({ $0.parts.count == 1 }) {
        let holders = try document.select(selecting(.has(list.selectors)))
        promise(Set(holders) == Set(found.flatMap { Array($0.ancestors) }), ":has() is what has one below it")
    }
    // `:scope` is a different element in each.
    if mayHoldScope { return }
    for scope in all.prefix(12) {
        let inside = try document.select(list, in: scope)
        promise(inside == scope.descendants.filter(found.contains), "a scope narrows what is found to what is in it")
    }
}

private func selecting(_ simple: SimpleSelector) -> SelectorList {
    let compound = CompoundSelector(type: nil, simple: [simple])
    return SelectorList(selectors: [ComplexSelector(parts: [.init(combinator: .descendant, compound: compound)])])
}
