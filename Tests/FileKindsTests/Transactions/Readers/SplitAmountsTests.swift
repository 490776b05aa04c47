import Testing

@testable import FileKinds

@Suite("Amounts that a comma cuts into two fields")
struct SplitAmountsTests {
    private func read(_ text: String, _ columns: String, mark: Character? = nil) throws -> [String] {
        var options = ReadingOptions()
        (options.currency, options.decimalMark, options.columns) = ("EUR", mark, try CSVColumns(columns))
        return try TransactionFile.read(Array(text.utf8), options: options).flatMap(\.transactions)
            .map(\.amount.description)
    }

    private static let cut: [(text: String, columns: String, line: Int)] = [
        (
            "Date,Amount,Text,Note\n2025-03-13,-12,50,SHOP\n2025-03-14,250,00,FIRM\n",
            "booked=Date,amount=Amount,purpose=Text", 2
        ),
        (
            "Date,Text,Amount,Note\n2025-03-13,A,-12,x\n2025-03-14,B,250,50\n",
            "booked=Date,amount=Amount,purpose=Text", 3
        ),
        (
            "Date,Text,Amount,Currency,Note\n2025-03-13,A,-12,50,EUR\n2025-03-14,B,\"250,00\",EUR,x\n",
            "booked=Date,amount=Amount,purpose=Text", 2
        ),
        (
            "Date,Text,Amount,Note\n2025-03-13,A,-1,250.00\n2025-03-14,B,250.00,x\n",
            "booked=Date,amount=Amount,purpose=Text", 2
        ),
        // A comma in the text moves the amount into the next column.
        (
            "Date,Text,Amount,Note\n2025-03-13,a, 5,-12.50\n2025-03-14,x,3.00,n\n",
            "booked=Date,amount=Amount,purpose=Text", 2
        ),
        ("2025-03-13,-12,50,SHOP\n2025-03-14,250,00,FIRM\n", "booked=1,amount=2,purpose=4", 1),
    ]

    @Test("are refused with their line, and not read without their cents", arguments: cut)
    func refused(text: String, columns: String, line: Int) {
        #expect {
            _ = try read(text, columns)
        } throws: { error in
            let error = error as? ReadingError
            return error?.code == .ambiguous && error?.line == line
        }
    }

    @Test(
        "are not seen where the next column has figures of its own",
        arguments: [
            ("Date,Amount,Balance\n2025-03-13,-12,50\n2025-03-14,20,70\n", "booked=Date,amount=Amount"),
            ("Date,Amount,Code\n2025-03-13,-12,50\n2025-03-14,20,175\n", "booked=Date,amount=Amount"),
            ("Date;Amount;Code\n2025-03-13;-12;50\n2025-03-14;20;70\n", "booked=Date,amount=Amount"),
            ("Date,Amount,Text\n2025-03-13,-12,a\n2025-03-14,20,7\n", "booked=Date,amount=Amount"),
            ("Date,Amount,Fee\n2025-03-13,-12,0.00\n2025-03-14,20,\n", "booked=Date,amount=Amount,fee=Fee"),
            ("Date,Amount,Paid\n2025-03-13,-12,-12.00\n2025-03-14,-20,-20.00\n", "booked=Date,amount=Amount"),
            (
                "Date,Amount,Currency,Code\n2025-03-13,-12,JPY,50\n2025-03-14,20,JPY,70\n",
                "booked=Date,amount=Amount,currency=Currency"
            ),
            (
                "Date,Amount,Code,Currency\n2025-03-13,-12,50,JPY\n2025-03-14,20,70,JPY\n",
                "booked=Date,amount=Amount,currency=Currency"
            ),
        ])
    func quiet(text: String, columns: String) throws {
        #expect(try read(text, columns).count == 2)
    }

    @Test("are whole amounts where the person says so")
    func stated() throws {
        let text = "Date,Amount,Code\n2025-03-13,-12,50\n2025-03-14,20,70\n"
        #expect(throws: ReadingError.self) { try read(text, "booked=Date,amount=Amount") }
        #expect(try read(text, "booked=Date,amount=Amount", mark: ".") == ["-12.00", "20.00"])
    }
}
