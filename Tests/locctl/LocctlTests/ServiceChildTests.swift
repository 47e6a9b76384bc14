import Glibc
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locctl

/// Programs that locctl reads from, played by the shell.
@Suite(.timeLimit(.minutes(10))) struct ServiceChildTests {
    private let waker: Waker

    init() throws { waker = try #require(Waker()) }

    private func shell(_ script: String) throws -> ServiceChild { try ServiceChild("/bin/sh", ["-c", script]) }

    /// The next line; anything else is a failure.
    private func line(of child: inout ServiceChild) throws -> String {
        guard case .line(let bytes) = try child.nextEvent(waker: waker, seconds: 60) else {
            throw TestSupport.Failure("no line comes")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What it reads may have been made to take all memory, or to be read without end.
    @Test func memoryAndTimeAreLimited() throws {
        var child = try ServiceChild("/bin/sh", ["-c", "echo $$; exec sleep 60"], processorTime: 77)
        let limits = text(of: "/proc/\(try line(of: &child))/limits")
        let data = limits.split(separator: "\n").first { $0.hasPrefix("Max data size") }
        let time = limits.split(separator: "\n").first { $0.hasPrefix("Max cpu time") }
        let bytes = try #require(data?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) })
        let processors = sysconf(Int32(_SC_NPROCESSORS_CONF))
        #expect(bytes >= 256 << 20 && bytes <= (256 << 20) + processors << 25, "\(limits)")
        #expect(time?.split(separator: " ").dropFirst(3).first == "77")
    }

    @Test func linesComeInOrderUpToTheEnd() throws {
        var child = try shell("echo one; echo; printf two")
        #expect(try line(of: &child) == "one")
        #expect(try line(of: &child) == "")
        #expect(try line(of: &child) == "two")
        #expect(try child.nextEvent(waker: waker) == .ended)
        #expect(try child.nextEvent(waker: waker) == .ended)
    }

    @Test func failureIsWhatTheProgramSaysLast() throws {
        for (script, code, message) in [
            ("echo first >&2; echo 'the reason' >&2; exit 2", ExitCodes.usage, "the reason"),
            ("exit 7", ExitCodes.failed, "sh failed with exit code 7"),
            ("kill -KILL $$", ExitCodes.failed, "sh was ended by signal 9"),
        ] {
            let failure = try #require(
                try { () throws -> locctl.Failure? in
                    var child = try shell(script)
                    do {
                        while try child.nextEvent(waker: waker) != .ended {}
                        return nil
                    } catch let failure as locctl.Failure {
                        return failure
                    }
                }())
            #expect(failure.code == code && failure.message == message, "\(failure)")
        }
    }

    /// More than a pipe holds: a program that waits to write an error would not write its output.
    @Test func manyErrorsDoNotBlockTheOutput() throws {
        var child = try shell(
            "i=0; while [ $i -lt 4000 ]; do echo 'some words of an error, many times' >&2; i=$((i+1)); done; echo end")
        #expect(try line(of: &child) == "end")
        #expect(try child.nextEvent(waker: waker) == .ended)
    }

    @Test func wakerAndTimeEndTheWait() throws {
        var child = try shell("exec sleep 600")
        #expect(try child.nextEvent(waker: waker, seconds: 0.01) == .timedOut)
        waker.wake()
        #expect(try child.nextEvent(waker: waker) == .woken)
    }

    @Test(arguments: ["exec sleep 600", "trap '' TERM; while :; do sleep 0.1; done"])
    func childDoesNotOutliveItsValue(rest: String) async throws {
        let process = try { () throws -> pid_t in
            var child = try shell("echo $$; \(rest)")
            return try #require(pid_t(try line(of: &child)))
        }()
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test func absentProgramNamesItsPackage() throws {
        let failure = #expect(throws: locctl.Failure.self) { _ = try ServiceChild.path(of: "locationd-nothing") }
        #expect(failure?.message == "locationd-nothing is not installed; install the package locationd-nothing")
    }

    @Test func programThatCannotBeStartedIsSaid() throws {
        let failure = #expect(throws: locctl.Failure.self) { _ = try ServiceChild("/nowhere/program", []) }
        #expect(failure?.message == "cannot start /nowhere/program: No such file or directory")
    }
}
