import Testing

@testable import HouseholdCommands

@Suite("The household's systemd unit")
struct HouseholdServiceTests {
    @Test("starts the program with the household's file, and quotes what systemd would expand")
    func text() {
        let unit = HouseholdService.text(program: "/opt/my tools/countersign", config: #"/home/a%b/$c "d"/config.json"#)
        #expect(unit.contains(#"ExecStart="/opt/my tools/countersign" up --no-open"#))
        #expect(unit.contains(#"Environment="COUNTERSIGN_CONFIG=/home/a%%b/$$c \"d\"/config.json""#))
        #expect(unit.contains("Restart=on-failure"))
        #expect(unit.contains("\nRestartPreventExitStatus=2\n"), "a start that needs a person fails once")
        let usual = HouseholdService.text(program: "/opt/countersign", config: nil)
        #expect(!usual.contains("COUNTERSIGN_CONFIG"), "the usual place keeps its usual data folder")
    }
}
