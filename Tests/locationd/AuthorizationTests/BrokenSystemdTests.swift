import CSystemd
import Glibc
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import Authorization

/// Whatever libsystemd does or lacks, nobody is taken to be logged in without its word.
extension LoginTests {
    struct BrokenSystemdTests {
        private let bell = Bell()
        private let knock: Waker
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            let knock = try #require(Waker())
            self.knock = knock
            ScriptedSystemd.script.withLock { $0 = ScriptedSystemd.Script(bell: knock) }
        }

        private func scripted(_ change: (inout ScriptedSystemd.Script) -> Void = { _ in }) -> SystemdLogin {
            ScriptedSystemd.script.withLock { change(&$0) }
            return SystemdLogin(functions: ScriptedSystemd.functions, directory: folder("users"))
        }

        /// The second is a library without the functions, the third is not one at all.
        @Test(arguments: ["libsystemd-of-nowhere.so.0", "libm.so.6", "/etc/passwd", ""])
        func withoutTheLibraryNobodyIsActive(name: String) {
            let login = SystemdLogin(library: name)
            #expect(!login.isActive(0))
            #expect(!login.isPresent)
            #expect(login.observe {} == nil)
            var functions = csystemd()
            #expect(csystemd_load(name, &functions) == -1)
        }

        @Test func functionsThatAreMissingAreErrors() {
            let login = SystemdLogin(functions: csystemd(), directory: folder("users"))
            #expect(!login.isActive(0))
            #expect(login.observe {} == nil)
        }

        @Test func aStateThatIsNotThereIsNotActive() {
            let login = scripted()
            #expect(login.isActive(7))
            ScriptedSystemd.script.withLock { $0.state = nil }
            #expect(!login.isActive(7))
        }

        @Test func aLoginManagerMayStartLater() async throws {
            let login = scripted { $0.bell = nil }
            #expect(!login.isPresent)
            #expect(login.observe {} == nil)
            ScriptedSystemd.script.withLock { $0.bell = knock }
            #expect(mkdir(folder("users"), 0o755) == 0)
            #expect(login.isPresent)
            let observation = try #require(login.observe { bell.ring() })
            knock.wake()
            try await bell.wait()
            observation.cancel()
            try await WatchThreads.end()
        }

        @Test func aMonitorWithoutDescriptorIsGivenBack() {
            let login = scripted { $0.descriptorCode = -EINVAL }
            #expect(login.observe {} == nil)
            #expect(ScriptedSystemd.script.withLock { $0.monitors } == 0)
        }

        @Test func changesAreTakenBeforeTheyAreTold() async throws {
            let login = scripted()
            let observation = try #require(
                login.observe {
                    ScriptedSystemd.script.withLock { $0.log.append("told") }
                    bell.ring()
                })
            for _ in 1...2 {
                knock.wake()
                try await bell.wait()
            }
            observation.cancel()
            try await WatchThreads.end()
            #expect(ScriptedSystemd.script.withLock { $0.log } == ["flushed", "told", "flushed", "told"])
            #expect(ScriptedSystemd.script.withLock { $0.monitors } == 0)
        }

        /// The wait that libsystemd asks for ends; the ones after it have no end.
        @Test(arguments: [0, 50_000] as [UInt64]) func aWaitThatIsOverIsAChange(microseconds: UInt64) async throws {
            let deadline = monotonic() + microseconds
            let login = scripted { $0.deadlines = [deadline] }
            let observation = try #require(login.observe { bell.ring() })
            try await bell.wait()
            #expect(monotonic() >= deadline)
            observation.cancel()
            try await WatchThreads.end()
            #expect(bell.count == 1)
        }

        @Test func whoCannotBeSeenToLeaveIsNotActive() async throws {
            let login = scripted { $0.flushCode = -EIO }
            let observation = try #require(login.observe { bell.ring() })
            #expect(login.isActive(7))
            knock.wake()
            try await bell.wait()
            #expect(!login.isActive(7))
            #expect(login.observe {} == nil)
            try await WatchThreads.end()
            #expect(bell.count == 1)
            #expect(ScriptedSystemd.script.withLock { $0.monitors } == 0)
            withExtendedLifetime(observation) {}
        }

        private func monotonic() -> UInt64 {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        }
    }
}
