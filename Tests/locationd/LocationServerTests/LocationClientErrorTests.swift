import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServiceServer
import Testing

/// Why there is no location, as LocationKit tells it of the real server.
@Suite(.timeLimit(.minutes(10)))
struct LocationClientErrorTests {
    @Test func missingDaemonIsExplained() async throws {
        let folder = try TemporaryFolder()
        let path = folder("none.sock")
        let expected = LocationError.daemonNotRunning(path: path, reason: "No such file or directory")
        await #expect(throws: expected) { try await LocationClient(socketPath: path).status() }
        await #expect(throws: expected) { for try await _ in LocationClient(socketPath: path).updates() {} }
        #expect(expected.description.contains("systemctl start locationd"))
        #expect(expected.description.contains(path))
        let long = String(repeating: "x", count: 200)
        await #expect(throws: LocationError.daemonNotRunning(path: long, reason: "File name too long")) {
            try await LocationClient(socketPath: long).location()
        }
    }

    @Test func deadDaemonIsExplained() async throws {
        let folder = try TemporaryFolder()
        let path = folder("dead.sock")
        _ = try ListeningSocket.bind(path: path, mode: 0o666, group: nil)
        await #expect(throws: LocationError.daemonNotRunning(path: path, reason: "Connection refused")) {
            try await LocationClient(socketPath: path).location()
        }
    }

    @Test func switchedOffServiceIsAnError() async throws {
        try await TestServer.run {
            $0.isEnabled = false
        } _: { server in
            await #expect(throws: LocationError.disabled) { try await server.client.location() }
            let status = try await server.client.status()
            #expect(!status.enabled)
        }
    }

    @Test func bestLocationComesWithTheError() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let watch = try await server.watcher(isFirst: true)
            #expect(await demands.next() == true)
            await #expect(throws: LocationError.timedOut(best: nil)) {
                try await server.client.location(LocationRequest(timeout: 0))
            }
            try server.post(fix: 1)
            _ = try await watch.location()
            var best = try Sample.fix(1)
            best.sequence = 101
            await #expect(throws: LocationError.timedOut(best: best)) {
                try await server.client.location(LocationRequest(timeout: 0.05, requiredAccuracy: 1))
            }
        }
    }

    @Test func unreachableReceiverIsExplained() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            server.post(.condition(.unavailable(reason: "gpsd does not answer")))
            #expect(try await watch.message().update.status?.source == .unavailable)
            await #expect(throws: LocationError.unavailable(reason: "gpsd does not answer", best: nil)) {
                try await server.client.location(LocationRequest(timeout: 0.05))
            }
            await #expect {
                await watch.close()
                try await server.waitUntilAllLeft()
                _ = try await server.client.location(LocationRequest(passive: true))
            } throws: { error in
                guard case LocationError.unavailable(let reason, nil) = error else { return false }
                return reason.contains("passive")
            }
        }
    }

    @Test func wrongParametersAreNamed() async throws {
        try await TestServer.run { server in
            await #expect {
                try await server.client.location(LocationRequest(maximumAge: -1))
            } throws: { error in
                guard case LocationError.invalidParameter("maximumAge", _) = error else { return false }
                return true
            }
            await #expect {
                try await server.client.location(LocationRequest(maximumAge: .nan))
            } throws: { error in
                guard case LocationError.invalidParameter(_, let reason) = error else { return false }
                return reason.contains("finite")
            }
            await #expect {
                var options = WatchRequest()
                options.maximumUpdates = 0
                for try await _ in server.client.updates(options) {}
            } throws: { error in
                guard case LocationError.invalidParameter("maximumUpdates", _) = error else { return false }
                return true
            }
        }
    }
}
