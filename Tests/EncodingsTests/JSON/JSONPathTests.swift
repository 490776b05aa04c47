import Testing

@testable import Encodings

struct JSONPathTests {
    private static let store: JSONValue = [
        "store": [
            "book": [
                [
                    "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century",
                    "price": .number(8.95),
                ],
                ["category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": .number(12.99)],
                [
                    "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3",
                    "price": .number(8.99),
                ],
                [
                    "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings",
                    "isbn": "0-395-19395-8", "price": .number(22.99),
                ],
            ],
            "bicycle": ["color": "red", "price": 399],
        ]
    ]

    @Test(
        "answers the examples of RFC 9535, section 1.5",
        arguments: [
            ("$.store.book[*].author", ["Nigel Rees", "Evelyn Waugh", "Herman Melville", "J. R. R. Tolkien"]),
            ("$..author", ["Nigel Rees", "Evelyn Waugh", "Herman Melville", "J. R. R. Tolkien"]),
            ("$..book[2].author", ["Herman Melville"]), ("$..book[2].publisher", []),
            ("$..book[-1].title", ["The Lord of the Rings"]),
            ("$..book[0,1].title", ["Sayings of the Century", "Sword of Honour"]),
            ("$..book[:2].title", ["Sayings of the Century", "Sword of Honour"]),
            ("$..book[?@.isbn].title", ["Moby Dick", "The Lord of the Rings"]),
            ("$..book[?@.price<10].title", ["Sayings of the Century", "Moby Dick"]),
            ("$.store..price", [.number(399), .number(8.95), .number(12.99), .number(8.99), .number(22.99)]),
        ] as [(String, [JSONValue])])
    func bookstore(path: String, expected: [JSONValue]) throws {
        #expect(try JSONPath(path).values(in: Self.store) == expected)
    }

    private static let mixed: JSONValue = [
        "a": [3, 5, 1, 2, 4, 6, ["b": "j"], ["b": "k"], ["b": [:]], ["b": "kilo"]],
        "o": ["p": 1, "q": 2, "r": 3, "s": 5, "t": ["u": 6]], "e": "f", "j j": ["k.k": 3], "'": ["@": 2], "☺": "smile",
        "null": nil, "yes": true,
    ]

    @Test(
        "answers the examples of RFC 9535, section 2",
        arguments: [
            ("$", 1), ("$['j j']['k.k']", 1), ("$[\"'\"][\"@\"]", 1), ("$['\\'']['@']", 1), ("$.☺", 1),
            ("$['\\u263A']", 1),
            ("$.o[*]", 5), ("$.o[*, *]", 10), ("$.a[1:3]", 2), ("$.a[5:]", 5), ("$.a[1:5:2]", 2), ("$.a[5:1:-2]", 2),
            ("$.a[::-1]", 10), ("$.a[0:0]", 0), ("$.a[::0]", 0), ("$.a[-2:]", 2), ("$.a[-100:100]", 10),
            ("$.a[100:-100:-1]", 10),
            ("$.a[?@.b == 'kilo']", 1), ("$.a[?(@.b == 'kilo')]", 1), ("$.a[?@>3.5]", 3), ("$.a[?@.b]", 4),
            ("$[?@.*]", 4),
            ("$[?@[?@.b]]", 1), ("$.o[?@<3, ?@<3]", 4), ("$.a[?@<2 || @.b == \"k\"]", 2),
            ("$.a[?match(@.b, \"[jk]\")]", 2), ("$.a[?search(@.b, \"[jk]\")]", 3), ("$.o[?@>1 && @<4]", 2),
            ("$.o[?@.u || @.x]", 1), ("$.a[?@.b == $.x]", 6), ("$.a[?@ == @]", 10), ("$.a[?!@.b]", 6),
            ("$.a[?!(@.b || @ > 1)]", 1), ("$[?length(@) == 10]", 1), ("$[?length(@) > 1]", 3),
            ("$[?count(@.*) == 5]", 1),
            ("$.a[?value(@..b) == 'j']", 1), ("$.a[?length(@.b) == 4]", 1), ("$[?@ == null]", 1), ("$[?@ == true]", 1),
            ("$..*", 30), ("$..b", 4), ("$..[?@.u]", 1), ("$ .o\n['p']", 1), ("$.a[ 0 , 1 ]", 2), ("$.a[?@<=-0]", 0),
            ("$.a[?@ == 3.0e0]", 1), ("$.a[?'a' < 'b']", 10), ("$.a[?match(@.b, 'k..o')]", 1),
            ("$.a[?match(@.b, '^k')]", 0),
            ("$.a[?match(@.b, '(?:k)')]", 0), ("$.a[?match(@.b, '[')]", 0), ("$.a[?search(@, 'k')]", 0), ("$.e.f", 0),
            ("$.o[0]", 0), ("$.a.length", 0),
        ])
    func counts(path: String, count: Int) throws {
        #expect(try JSONPath(path).values(in: Self.mixed).count == count)
    }

    @Test(
        "refuses what the grammar does not have, and says where",
        arguments: [
            ("", 0), ("a", 0), (" $", 0), ("$ ", 1), ("$.", 2), ("$.1", 2), ("$..", 3), ("$...a", 3), ("$[", 2),
            ("$[]", 2),
            ("$['a'", 5), ("$['a", 2), ("$[a]", 2), ("$[01]", 2), ("$[-0]", 2), ("$[- 1]", 3),
            ("$[9007199254740992]", 2),
            ("$[1.0]", 3), ("$['\\x']", 3), ("$['\\ud800']", 3), ("$[\"\\'\"]", 3), ("$['\n']", 3), ("$[?]", 3),
            ("$[?@.a==]", 8),
            ("$[?1]", 3), ("$[?'a']", 3), ("$[?@.*==1]", 3), ("$[?@..a==1]", 3), ("$[?@[0:1]==1]", 3),
            ("$[?length(@)]", 3),
            ("$[?match(@,'a')==true]", 3), ("$[?count(1)==1]", 9), ("$[?length(@.*)==1]", 10),
            ("$[?length(@,@)==1]", 3),
            ("$[?foo(@)]", 3), ("$[?(@.a]", 7), ("$[?@.a=1]", 6), ("$[?!@.a==1]", 4), ("$[?@.a==01]", 8),
            ("$[?@.a==1.]", 8),
            ("$[?True]", 3), ("$.a b", 3), ("$[?@.a&@.b]", 6), ("$[0,]", 4), ("$[?@==[1]]", 6), ("$[?@.a == -]", 10),
        ])
    func errors(path: String, offset: Int) {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(path) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
    }

    @Test("bounds how deep a query nests, how long it is and how much it visits")
    func limits() throws {
        let deep = "$" + String(repeating: "[?(", count: 5_000)
        #expect(throws: JSONPathError.self) { try JSONPath(deep) }
        #expect(throws: JSONPathError.self) { try JSONPath("$" + String(repeating: ".a", count: 5_000)) }
        var value: JSONValue = 1
        for _ in 0..<40 { value = [value, value.objectValue.map { _ in value } ?? 1] }
        let greedy = try JSONPath("$..*..*..*..*..*..*..*..*")
        #expect(throws: JSONPathError.self) { try greedy.values(in: value) }
    }

    @Test(
        "limits the time of all expressions in a query", .timeLimit(.minutes(3)),
        arguments: ["$[?search(@, '(a+)+b')]", "$[?match(@, '(a|aa)+b')]", "$[?search(@, $[0])]"])
    func endlessExpressions(path: String) throws {
        let endless = JSONValue.string(String(repeating: "a", count: 60))
        let value = JSONValue.array(["(a+)+b"] + Array(repeating: endless, count: 1_000))
        let error = #expect(throws: JSONPathError.self) { try JSONPath(path).values(in: value) }
        #expect(error?.message.contains("takes too long") == true, "\(error?.message ?? "")")
    }

    @Test("compares strings scalar by scalar, as JSON does")
    func composition() throws {
        let value: JSONValue = ["e\u{301}", "\u{E9}"]
        #expect(try JSONPath("$[?@=='\u{E9}']").values(in: value).count == 1)
        #expect(try JSONPath("$[?length(@)==2]").values(in: value).count == 1)
    }
}
