@_spi(Programs) import LocationInterface
import Testing

@testable import LocationServer

/// The tables of methods and of what serves them.
@Suite struct MethodTests {
    @Test func everyMethodForProgramsIsServed() {
        #expect(Set(ServerDispatcher.locationHandlers.keys) == Set(LocationInterface.methods.map(\.name)))
    }

    /// Tokens are made and ended where the right to use one is checked.
    @Test func everyMethodForAdministratorsIsServed() {
        let tokens: Set = [AdminInterface.Method.createToken, AdminInterface.Method.revokeToken]
        let served = Set(ServerDispatcher.administrationHandlers.keys)
        #expect(served.union(tokens) == Set(AdminInterface.methods.map(\.name)))
        #expect(served.isDisjoint(with: tokens))
    }
}
