import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Hundreds of managers of an ordinary user, who may have 128 connections and make 100 calls a second. Each test has a
/// process of its own, without the threads and descriptors of other tests.
@Suite(
    .enabled(if: Products.areBuilt, "no daemon is built: see README.md"), .enabled(if: geteuid() == 0),
    .timeLimit(.minutes(10))) struct ManyManagersTests
{
    @Test func togetherTheyNeedOneThreadAndLeaveNothing() async throws {
        let subject = try await makeSubject()
        let sending = send(by: subject)
        await #expect(processExitsWith: .success) { [socket = subject.daemon.socket as String] in
            try ManyManagersScenario.becomeOrdinary(uid: 60042)
            try ManyManagersScenario(socket: socket).together()
        }
        sending.cancel()
        try await end(subject)
    }

    @Test func oneAfterTheOtherTheyLeaveNothing() async throws {
        let subject = try await makeSubject()
        let sending = send(by: subject)
        await #expect(processExitsWith: .success) { [socket = subject.daemon.socket as String] in
            try ManyManagersScenario.becomeOrdinary(uid: 60042)
            try ManyManagersScenario(socket: socket).oneByOne()
        }
        sending.cancel()
        try await end(subject)
    }

    @Test func requestedStatesAreAllDelivered() async throws {
        let subject = try await makeSubject()
        await #expect(processExitsWith: .success) { [socket = subject.daemon.socket as String] in
            try ManyManagersScenario.becomeOrdinary(uid: 60042)
            try ManyManagersScenario(socket: socket).callsWithoutUpdates()
        }
        try await end(subject)
    }

    @Test func withoutADaemonTheyLeaveNothing() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [socket = folder("nobody") as String] in
            try ManyManagersScenario.becomeOrdinary(uid: 60042)
            try ManyManagersScenario(socket: socket).withoutDaemon()
        }
    }

    @Test(arguments: [0, 1]) func withoutDescriptorsNothingTraps(left: Int) async throws {
        let subject = try await makeSubject()
        let sending = send(by: subject)
        await #expect(processExitsWith: .success) { [socket = subject.daemon.socket as String, left = left as Int] in
            try ManyManagersScenario.becomeOrdinary(uid: 60042)
            try ManyManagersScenario(socket: socket).withoutDescriptors(left: left)
        }
        sending.cancel()
        try await end(subject)
    }

    private func makeSubject() async throws -> RealDaemonSubject {
        let subject = try await RealDaemonSubject(authorization: .notDetermined)
        try await subject.daemon.call(
            AdminInterface.Method.setAuthorization,
            SetAuthorizationParameters(principal: "uid:60042", authorization: .authorizedAlways),
            as: AuthorizationChange.self)
        return subject
    }

    /// Sends locations until it is cancelled.
    private func send(by subject: RealDaemonSubject) -> Task<Void, any Error> {
        Task {
            while !Task.isCancelled {
                try await subject.send(latitude: 1)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func end(_ subject: RealDaemonSubject) async throws {
        try await eventually("no connection is left") { try await subject.daemon.statistics().clients == 1 }
        try await subject.endService()
    }
}
