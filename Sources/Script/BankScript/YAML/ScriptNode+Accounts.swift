import Selectors

extension ScriptNode {
    /// Reads `accounts:`.
    func accountList() throws(ScriptSyntaxError) -> AccountList {
        let fields = try fields("accounts", example: "accounts: { names: .account-name, alias: \"^[A-Za-z ]+\" }")
        let alias = try fields["alias"]?.text("alias")
        if let json = fields["json"] {
            if let names = fields["names"] { throw names.error("“names” is for a page; in an answer, give “name”") }
            guard let name = fields["name"] else {
                throw error("“accounts” does not say where the name of each is", hint: "name: $.name")
            }
            return AccountList(
                json: try json.text("a JSONPath"), name: try name.text("a JSONPath"),
                id: try fields["id"]?.text("a JSONPath"), alias: alias)
        }
        for name in ["name", "id"] {
            if let field = fields[name] { throw field.error("“\(name)” needs json: \"$.accounts[*]\"") }
        }
        guard let names = fields["names"] else {
            throw error("“accounts” does not say where their names are", hint: "names: .account-name")
        }
        return AccountList(names: try names.locator(as: .css), alias: alias)
    }
}
