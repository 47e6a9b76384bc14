import Authorization
import ProgramTestSupport
import Testing

/// What the installed libsystemd reads from records as systemd-logind writes them.
extension LoginTests {
    @Suite(.enabled(if: LoginRecords.areWritable, "only root writes login records"))
    struct SystemdLoginTests {
        private let login = SystemdLogin()

        @Test func aUserWithAnActiveSessionIsActive() throws {
            let records = try LoginRecords()
            try records.set("active")
            #expect(login.isActive(records.uid))
            #expect(!login.isActive(records.uid + 1))
            #expect(login.isPresent)
        }

        @Test(arguments: ["online", "lingering", "closing", "opening", "offline", "", "inactive", "activex", "ACTIVE"])
        func noOtherStateIsActive(state: String) throws {
            let records = try LoginRecords()
            try records.set(state)
            #expect(!login.isActive(records.uid))
            try records.set("active")
            #expect(login.isActive(records.uid))
        }

        @Test(arguments: [
            "", "\n", "NAME=x\n", "active", "=active", "STATE", "STATE\n=active\n", "XSTATE=active\n",
            "#STATE=active\n", "STATE='active\n", "STATE=\u{FFFD}active\n",
        ]) func noOtherTextIsActive(text: String) throws {
            let records = try LoginRecords()
            try records.write(text)
            #expect(!login.isActive(records.uid))
        }

        @Test func whatIsNoTextIsNotActive() throws {
            let records = try LoginRecords()
            let long = String(repeating: "x", count: 100_000)
            let garbage = ["\0\u{1}\u{2}", "\0STATE=active\n", "STATE=\0active\n", long]
            for text in garbage {
                try records.write(text)
                #expect(!login.isActive(records.uid), "\(text.prefix(20).debugDescription)")
            }
        }

        @Test func aUserWithoutRecordIsNotActive() throws {
            let records = try LoginRecords()
            try records.set("active")
            try records.remove()
            #expect(!login.isActive(records.uid))
        }

        @Test func aRecordThatCannotBeReadIsNotActive() throws {
            let records = try LoginRecords()
            try records.makeDirectory()
            #expect(!login.isActive(records.uid))
        }

        @Test func theUIDOfNobodyAtAllIsNotActive() {
            #expect(!login.isActive(.max))
        }
    }
}
