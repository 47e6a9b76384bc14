import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Synchronization
import Testing

/// The methods of the control socket.
@Suite(.timeLimit(.minutes(10)))
struct AdministrationTests {
    @Test func switchIsKeptAndTold() async throws {
        let kept = ValueRecorder<Bool>()
        try await TestServer.run {
            $0.hooks.onSwitch = { kept.append($0) }
        } _: { server in
            var demands = server.demands.makeAsyncIterator()
            let watch = try await server.watcher(isFirst: true)
            #expect(await demands.next() == true)
            let control = try server.connect(.control)
            #expect(try await control.call(AdminInterface.Method.stop).text == #"{"parameters":{}}"#)
            #expect(kept.values == [false])
            #expect(await demands.next() == false)
            let off = try await watch.message().update.status
            #expect(off?.enabled == false)
            #expect(off?.source == .stopped)
            #expect(
                try await control.call(LocationInterface.Method.getLocation).error == LocationInterface.Failure.disabled
            )
            // What a source says meanwhile is nobody's business.
            try server.post(fix: 1)
            _ = try await control.call(LocationInterface.Method.getStatus)
            #expect(try await control.call(AdminInterface.Method.start).error == nil)
            #expect(kept.values == [false, true])
            #expect(await demands.next() == true)
            var status = try await watch.message().update.status
            while status?.enabled == false { status = try await watch.message().update.status }
            #expect(status?.enabled == true)
            try server.post(fix: 2)
            #expect(try await watch.location().update.location?.value.coordinate == Sample.fix(2).coordinate)
        }
    }

    /// Who is answered last need not have called last.
    @Test func switchIsThrownInTheOrderOfTheCallsHoweverSlowTheDisk() async throws {
        let (disk, answers) = AsyncStream.makeStream(of: Void.self)
        let thrown = ValueRecorder<Bool>()
        try await TestServer.run {
            $0.hooks.onSwitch = { thrown.append($0) }
            $0.hooks.onPersistSwitch = { for await _ in disk {} }
        } _: { server in
            let (first, second) = (try server.connect(.control), try server.connect(.control))
            let other = try server.connect()
            for (caller, method, isOn) in [
                (first, AdminInterface.Method.stop, false), (second, AdminInterface.Method.start, true),
            ] {
                try await caller.send(method)
                while try await other.call(LocationInterface.Method.getStatus)
                    .parameters(as: StatusReply.self).status.enabled != isOn
                {}
            }
            #expect(thrown.values == [false, true])
            answers.finish()
            for caller in [first, second] { #expect(try await caller.message().error == nil) }
        }
    }

    @Test func switchingOffAnswersWhoeverWaits() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getLocation)
            #expect(await demands.next() == true)
            #expect(try await server.connect(.control).call(AdminInterface.Method.stop).error == nil)
            #expect(try await client.message().error == LocationInterface.Failure.disabled)
        }
    }

    @Test(arguments: [AdminInterface.Method.start, AdminInterface.Method.stop])
    func switchThatCannotBeKeptIsExplained(_ method: String) async throws {
        try await TestServer.run {
            $0.hooks.onPersistSwitch = { throw Failure("the disk is full") }
        } _: { server in
            let control = try server.connect(.control)
            let message = try await control.call(method)
            #expect(message.error == AdminInterface.Failure.failed)
            #expect(try message.explained.reason == "the disk is full")
            #expect(try await control.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func logLevelIsSetOrExplained() async throws {
        let levels = ValueRecorder<String>()
        try await TestServer.run {
            $0.hooks.onLogLevel = { level, administrator in
                guard level == "debug" else { throw Failure("no such level") }
                levels.append("\(level) by \(administrator)")
            }
        } _: { server in
            let control = try server.connect(.control)
            #expect(try await control.call(AdminInterface.Method.setLogLevel, #"{"level":"debug"}"#).error == nil)
            #expect(levels.values == ["debug by uid:\(geteuid())"])
            let message = try await control.call(AdminInterface.Method.setLogLevel, #"{"level":"loud"}"#)
            #expect(message.error == "org.varlink.service.InvalidParameter")
            #expect(try message.explained.parameter == "level")
            #expect(try message.explained.reason == "no such level")
            #expect(try await control.call(AdminInterface.Method.setLogLevel).explained.parameter == "level")
            #expect(levels.values == ["debug by uid:\(geteuid())"])
        }
    }

    @Test func reloadReportsOrExplains() async throws {
        let isValid = Mutex(true)
        try await TestServer.run {
            $0.hooks.onReload = {
                guard isValid.withLock({ $0 }) else { throw Failure("line 3: delivery.linger is no number") }
                return ReloadReport(changed: ["delivery.linger"], needRestart: ["limits.clients"])
            }
        } _: { server in
            let control = try server.connect(.control)
            #expect(
                try await control.call(AdminInterface.Method.reload).text
                    == #"{"parameters":{"changed":["delivery.linger"],"needRestart":["limits.clients"]}}"#)
            isValid.withLock { $0 = false }
            let message = try await control.call(AdminInterface.Method.reload)
            #expect(message.error == AdminInterface.Failure.invalidConfiguration)
            #expect(try message.explained.reason == "line 3: delivery.linger is no number")
        }
    }

    @Test func onewayAdministrationHasNoReply() async throws {
        let kept = ValueRecorder<Bool>()
        try await TestServer.run {
            $0.hooks.onSwitch = { kept.append($0) }
        } _: { server in
            let control = try server.connect(.control)
            try await control.send(AdminInterface.Method.stop, flags: "\"oneway\":true")
            let status = try await control.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
                .status
            #expect(!status.enabled)
            #expect(kept.values == [false])
        }
    }
}
