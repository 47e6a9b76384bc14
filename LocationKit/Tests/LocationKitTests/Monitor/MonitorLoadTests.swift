@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import LocationKit

/// What a program changes before the persisted state is known.
@Suite struct MonitorLoadTests {
    private func state(_ change: (inout MonitorState) throws -> Void) throws -> [String] {
        var state = MonitorState(LocationConfiguration(), name: "walk", subjects: MonitorSubjects())
        try change(&state)
        state.load(MonitorScript.persisted(try MonitorScript.subjects("a", "b")))
        return state.subjects.regions.map(\.identifier).sorted()
    }

    @Test func regionThatIsRemovedAndAddedAgainStays() throws {
        #expect(try state { $0.remove("a") } == ["b"])
        #expect(
            try state {
                $0.remove("a")
                $0.add(try MonitorScript.region("a"))
            } == ["a", "b"])
        #expect(
            try state {
                $0.add(try MonitorScript.region("a"))
                $0.remove("a")
            } == ["b"])
    }
}
