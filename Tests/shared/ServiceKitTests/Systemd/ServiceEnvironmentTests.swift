import Glibc
import Testing

@testable import ServiceKit

/// What systemd says by environment variables; what it would not say is an error.
@Suite struct ServiceEnvironmentTests {
    private func environment(_ variables: [String: String]) -> ServiceEnvironment {
        ServiceEnvironment(variables, pid: 4711)
    }

    @Test func withoutSystemdThereIsNothing() throws {
        let environment = environment([:])
        #expect(environment.notificationAddress == nil)
        #expect(try environment.watchdogTimeout() == nil)
        #expect(try environment.socketNames() == [])
    }

    @Test func watchdogTimeoutIsInSeconds() throws {
        #expect(try environment(["WATCHDOG_USEC": "1500000"]).watchdogTimeout() == 1.5)
        #expect(try environment(["WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "4711"]).watchdogTimeout() == 1.5)
        #expect(try environment(["WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "4712"]).watchdogTimeout() == nil)
    }

    @Test(arguments: ["0", "-1", "", "1 s", "99999999999999999999"])
    func watchdogTimeoutThatIsNoneIsRefused(_ text: String) {
        let error = #expect(throws: SystemdError.self) { try environment(["WATCHDOG_USEC": text]).watchdogTimeout() }
        #expect(error?.description.contains("WATCHDOG_USEC=\(text) ") == true)
    }

    @Test func socketsAreNamedInTheirOrder() throws {
        let variables = ["LISTEN_PID": "4711", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "control:location:control"]
        #expect(try environment(variables).socketNames() == ["control", "location", "control"])
    }

    @Test func socketsOfAnotherProcessAreNotOurs() throws {
        #expect(try environment(["LISTEN_PID": "4712", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"]).socketNames() == [])
        #expect(try environment(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"]).socketNames() == [])
    }

    @Test func socketsWithoutNamesAreUnknown() throws {
        #expect(try environment(["LISTEN_PID": "4711", "LISTEN_FDS": "2"]).socketNames() == ["unknown", "unknown"])
        #expect(try environment(["LISTEN_PID": "4711", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""]).socketNames() == [])
    }

    @Test(arguments: [
        ["LISTEN_FDS": "two"], ["LISTEN_FDS": "-1"], ["LISTEN_FDS": "70000"], ["LISTEN_PID": "me"],
        ["LISTEN_FDNAMES": "a"], ["LISTEN_FDNAMES": "a:b:c"], ["LISTEN_FDNAMES": ""],
    ])
    func contradictionIsRefused(_ change: [String: String]) {
        let variables = ["LISTEN_PID": "4711", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"]
        let error = #expect(throws: SystemdError.self) {
            try environment(variables.merging(change) { $1 }).socketNames()
        }
        for (name, value) in change { #expect(error?.description.contains("\(name)=\(value) ") == true) }
    }

    /// In a process of its own, for no other thread may read the environment meanwhile.
    @Test func whatIsTakenIsGone() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_FDNAMES", "a", 1)
            setenv("NOTIFY_SOCKET", "/taken", 1)
            #expect(ServiceEnvironment.readAndClear().notificationAddress == "/taken")
            #expect(getenv("NOTIFY_SOCKET") == nil && getenv("LISTEN_FDNAMES") == nil)
            #expect(ServiceEnvironment.readAndClear().notificationAddress == nil)
        }
    }
}
