import Encodings
import Messages

/// The schema of a download.
enum DownloadSchema {
    static let json: JSONValue = {
        let kinds = DocumentKind.allCases.map(\.rawValue)
        let size: [String: JSONValue] = [
            "at most": ["$ref": "#/$defs/size"],
            "as": ScriptSchema.words(
                kinds + ["zip"], "The kind of the file; pdf when it says nothing. A zip is unpacked."),
            "holding": ScriptSchema.list(of: ScriptSchema.words(kinds), "The kinds of the documents in a zip."),
            "named": ["$ref": "#/$defs/scalar"],
        ]
        return [
            "description": "Download a document.",
            "anyOf": [
                ["$ref": "#/$defs/scalar"], ScriptSchema.locator(besides: size),
                ScriptSchema.object(["open": ["$ref": "#/$defs/scalar"]].merging(size) { $1 }, required: ["open"]),
                ScriptSchema.object(
                    ["request": ["$ref": "#/$defs/request"]].merging(size) { $1 }, required: ["request"]),
                ScriptSchema.object(["submit": SubmitStep.schema].merging(size) { $1 }, required: ["submit"]),
                ScriptSchema.object(
                    [
                        "request": ["$ref": "#/$defs/request"], "pages": pages, "as": ScriptSchema.words(["json"]),
                        "at most": ["$ref": "#/$defs/size"],
                    ], required: ["request", "pages", "as"]),
                ScriptSchema.object(
                    [
                        "request": ["$ref": "#/$defs/request"], "pages": pages,
                        "as": ScriptSchema.words(["transactions"], "The entries of the answer become a CAMT file."),
                        "account": ScriptSchema.described(
                            ["$ref": "#/$defs/scalar"], "The account's number or name, for the file."),
                        "each": ScriptSchema.described(
                            ["$ref": "#/$defs/scalar"], "The JSONPath of the entries in an answer: `$.transactions[*]`."
                        ),
                        "entry": entry, "at most": ["$ref": "#/$defs/size"],
                    ], required: ["request", "as", "account", "each", "entry"]),
                ScriptSchema.object(
                    [
                        "json": ["$ref": "#/$defs/scalar"],
                        "decode": ScriptSchema.words(
                            ["base64"], "The document is a text of the latest JSON answer, in base64."),
                    ].merging(size) { $1 }, required: ["json", "decode"]),
                ScriptSchema.object(
                    [
                        "print": ScriptSchema.words(
                            ["page"], "Print the page that is open, as a PDF. It needs engine: browser."),
                        "at most": ["$ref": "#/$defs/size"],
                    ], required: ["print"]),
            ],
        ]
    }()

    private static let path = ScriptSchema.text("A JSONPath inside an entry: `$.date`.")

    private static let mark = ScriptSchema.object(
        ["json": ["type": "string"], "is": ["$ref": "#/$defs/scalar"]], required: ["json", "is"])

    private static let besides = ScriptSchema.described(
        ScriptSchema.object(
            ["amount": path, "payee": ["$ref": "#/$defs/scalar"]], required: ["amount", "payee"]),
        "An amount that an entry states beside its own, as a booking of its own: what was rounded up and set aside.")

    private static let entry = ScriptSchema.object(
        [
            "id": path, "booked": path, "made": ScriptSchema.described(path, "The day of an entry that is pending."),
            "valued": path,
            "amount": path, "in": ScriptSchema.words(["minor units"], "Amounts are in hundredths, such as cents."),
            "sign": ScriptSchema.words(["inverted"], "A positive amount has left the account."),
            "outgoing": ScriptSchema.described(mark, "Marks an entry that has left the account."),
            "currency": ScriptSchema.text("Three capital letters, or a JSONPath."), "payee": path, "payer": path,
            "purpose": path,
            "balance": ScriptSchema.described(path, "The balance after the entry."),
            "pending": ScriptSchema.described(mark, "Marks an entry that is not booked yet. It is never counted."),
            "besides": besides,
        ], required: ["id", "booked", "amount", "currency"])

    private static let pages: JSONValue = [
        "description": "The further pages of an answer.",
        "oneOf": [
            ScriptSchema.object(
                [
                    "next": ScriptSchema.text("A JSONPath of the next page's address, or of its mark."),
                    "as": ScriptSchema.text("The parameter of the query that the mark is sent as."),
                    "at most": ScriptSchema.pageCount,
                ], required: ["next", "at most"]),
            ScriptSchema.object(
                [
                    "offset": ScriptSchema.text(
                        "The parameter of the query that the number of items so far is sent as."),
                    "of": ScriptSchema.text("The JSONPath of the items on a page."), "at most": ScriptSchema.pageCount,
                ], required: ["offset", "of", "at most"]),
        ],
    ]
}
