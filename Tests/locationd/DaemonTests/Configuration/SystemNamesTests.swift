import Glibc
import Testing

@testable import DaemonConfiguration

@Suite struct SystemNamesTests {
    @Test func usersAndGroupsAreFoundByTheirNames() throws {
        let names = SystemNames()
        #expect(try names.uid(ofUser: "root") == 0)
        #expect(try names.gid(ofGroup: "root") == 0)
        #expect(try names.name(ofUser: 0) == "root")
    }

    @Test func namesNobodyHasAreNotFound() throws {
        let names = SystemNames()
        #expect(try names.uid(ofUser: "no such user") == nil)
        #expect(try names.gid(ofGroup: "no such group") == nil)
        #expect(try names.uid(ofUser: "") == nil)
        #expect(try names.name(ofUser: 4_000_000_000) == nil)
    }
}
