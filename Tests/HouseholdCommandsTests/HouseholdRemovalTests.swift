import Testing

@testable import HouseholdCommands

@Suite("The removal of a household")
struct HouseholdRemovalTests {
    @Test(
        "names the statements with readable names first, and no place without any",
        arguments: [
            ("/home/robin/Statements", [], "Its statements are in /home/robin/Statements."),
            (
                "/home/robin/Statements", ["/d/inbox", "/d/kept"],
                "Its statements are in /home/robin/Statements; the files from which they were filed are in /d/inbox and "
                    + "/d/kept."
            ),
            (nil, ["/d/inbox"], "Its statements are in /d/inbox."), (nil, [], "It had no statements."),
        ] as [(String?, [String], String)])
    func words(filed: String?, places: [String], words: String) {
        #expect(HouseholdRemoval.words(filed: filed, asTheyCame: places) == "The household is removed. \(words)")
    }
}
