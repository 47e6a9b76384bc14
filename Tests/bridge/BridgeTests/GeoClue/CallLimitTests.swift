import DBus
@_spi(Programs) import LocationModel
import NIOCore
import Testing

@testable import Bridge

/// What one user's programs may ask of the bridge and, through it, of the daemon.
struct CallLimitTests {
    private var double = ServiceDouble()

    private static let status = ServiceStatus(
        authorization: .authorizedAlways, accuracy: .full, enabled: true, source: SourceStatus(state: .stopped),
        fixAge: nil, authorizationPending: false)

    @Test mutating func daemonIsAskedOnceForAllProgramsOfAUser() {
        double.pause = .milliseconds(1)
        var calls: [Int] = []
        for number in 0..<50 {
            calls.append(double.askAvailable(from: ":1.\(number)"))
            double.identify(1000, ":1.\(number)")
        }
        #expect(double.statusQuestions == [1000])
        let other = double.askAvailable(from: ":2.1")
        double.identify(1001, ":2.1")
        #expect(double.statusQuestions == [1000, 1001], "another user's question is its own")
        double.tell(Self.status, about: 1001)
        #expect(double.replies[other] == [.variant(.uint32(8))])
        #expect(calls.allSatisfy { double.replies[$0] == nil })
        double.tell(Self.status)
        #expect(calls.allSatisfy { double.replies[$0] == [.variant(.uint32(8))] })
        let soon = double.askAvailable()
        double.identify(1000)
        #expect(double.replies[soon] != nil && double.statusQuestions.count == 2)
        double.wait(StatusCalls.lifetime)
        let late = double.askAvailable()
        #expect(double.replies[late] == nil && double.statusQuestions.count == 3)
    }

    @Test mutating func callsThatWaitForTheDaemonAreLimited() {
        double.pause = .milliseconds(5)
        let calls = (0..<StatusCalls.waitingPerUser + 10).map { _ in
            let call = double.askAvailable()
            double.identify(1000)
            return call
        }
        #expect(calls.count { double.errors[$0] == .limitsExceeded } == 10)
        double.tell(nil)
        #expect(calls.count { double.replies[$0] == [.variant(.uint32(0))] } == StatusCalls.waitingPerUser)
        #expect(double.service.isIdle)
    }

    @Test mutating func watchOfTheUserAnswersWithoutTheDaemon() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        let call = double.askAvailable()
        #expect(double.replies[call] == [.variant(.uint32(8))] && double.statusQuestions.isEmpty)
        double.tell(.denied)
        let denied = double.askAvailable()
        #expect(double.replies[denied] == [.variant(.uint32(0))])
        double.perform(double.service.applyOutage(to: 1))
        let unknown = double.askAvailable()
        #expect(double.replies[unknown] == nil && double.statusQuestions == [1000], "it has said nothing since")
    }

    @Test mutating func callsOfAUserAreLimitedByTheSecond() {
        double.pause = .zero
        let path = double.client()
        let all = (0..<5000).map { _ in double.call("Stop", at: path) }
        let refused = all.count { double.errors[$0] == .limitsExceeded }
        let burst = Int(2 * GeoClueService.callsPerSecond)
        // Three calls made the client.
        #expect(all.count - refused == burst - 3)
        let elsewhere = double.call("GetClient", from: ":1.2")
        double.identify(1000, ":1.2")
        #expect(double.errors[elsewhere] == .limitsExceeded, "whatever the connection")
        let other = double.call("GetClient", from: ":2.1")
        double.identify(1001, ":2.1")
        #expect(double.replies[other] != nil, "another user has a rate of its own")
        double.wait(.seconds(1))
        let later = (0..<300).map { _ in double.call("Stop", at: path) }
        #expect(later.count { double.replies[$0] != nil } == Int(GeoClueService.callsPerSecond))
    }

    @Test mutating func programReadsEachLocationItIsToldOfWhateverItsUserDoes() {
        let path = double.client()
        double.call("Start", at: path)
        double.tell(.authorizedAlways)
        double.pause = .zero
        for _ in 0..<1000 { double.call("GetClient", from: ":1.2") }
        double.identify(1000, ":1.2")
        for _ in 0..<1000 { double.call("GetClient", from: ":1.2") }
        double.tell(1)
        let reads = (0..<100).map { _ in
            double.call(
                "GetAll", [.string("org.freedesktop.GeoClue2.Location")], at: path + "/Location/0",
                interface: ServiceDouble.properties)
        }
        #expect(reads.count { double.replies[$0] != nil } == 10 && double.errors[reads[99]] == .limitsExceeded)
    }

    @Test mutating func watchesCostMoreThanOtherCalls() {
        double.pause = .zero
        let path = double.client()
        func startOften() -> Int {
            let before = double.opened
            for _ in 0..<500 {
                double.call("Start", at: path)
                double.call("Stop", at: path)
            }
            return double.opened - before
        }
        _ = startOften()
        double.wait(.seconds(1))
        let begun = startOften()
        let expected = GeoClueService.callsPerSecond / (2 + GeoClueService.watchCost)
        #expect(abs(Double(begun) - expected) <= 2, "\(begun)")
    }

    @Test mutating func longArgumentsAreRefusedBeforeTheyAreKept() {
        let long = BusValue.string(String(repeating: "x", count: GeoClueService.callLimit))
        let call = double.call("AddAgent", [long], from: ":1.5")
        #expect(double.errors[call] == .limitsExceeded && double.identified.isEmpty)
    }

    @Test mutating func startsThatWaitAreLimited() {
        let path = double.client()
        let calls = (0..<20).map { _ in double.call("Start", at: path) }
        #expect(calls.count { double.errors[$0] == .limitsExceeded } == 20 - GeoClueService.waitingStarts)
        double.tell(.authorizedAlways)
        #expect(calls.count { double.replies[$0] == [] } == GeoClueService.waitingStarts)
    }
}
