import Testing

@testable import HouseholdCommands

@Suite("The phones of a removed household")
struct OtherPhonesTests {
    @Test(
        "tells of other people's phones, and of its own alone nothing",
        arguments: [
            ([], false, nil), ([], true, nil), (["Phone"], true, nil), (["Tablet"], false, "Tablet"),
            (["Phone", "Tablet"], true, "Phone, Tablet"),
        ] as [([String], Bool, String?)])
    func phones(names: [String], hasOwn: Bool, told: String?) {
        let words = HouseholdRemoval.words(onPhones: names, hasOwn: hasOwn)
        #expect((words == nil) == (told == nil))
        if let told { #expect(words?.contains("these phones: \(told).") == true) }
    }
}
