@_spi(Programs) import LocationInterface
import Testing

@testable import LocationServer

/// The tables of methods and of what serves them.
@Suite struct MethodTests {
    @Test func everyMethodForProgramsIsServed() {
        #expect(Set(ServerDispatcher.locationHandlers.keys) == Set(LocationInterface.methods.map(\.name)))
    }

    @Test func everyMethodForAdministratorsIsServed() {
        #expect(Set(ServerDispatcher.administrationHandlers.keys) == Set(AdminInterface.methods.map(\.name)))
    }
}
