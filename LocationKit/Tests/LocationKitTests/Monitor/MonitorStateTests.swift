@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// The interests that a monitor sets and the reports that it delivers, with a transport that the test controls.
@Suite struct MonitorStateTests {
    /// Records the interests, and returns a persisted monitor.
    private final class TestTransport: MonitorTransport {
        private let interests = Mutex<[MonitorRequest?]>([])
        private let left: NamedMonitor?

        init(left: NamedMonitor? = nil) { self.left = left }

        var interest: MonitorRequest? { interests.withLock { $0.last ?? nil } }
        var count: Int { interests.withLock { $0.count } }

        func setInterest(_ interest: MonitorRequest?, of client: any MonitorTransportClient) {
            interests.withLock { $0.append(interest) }
        }
        func persistedMonitor(_ name: String) throws(LocationError) -> NamedMonitor? { left }
        func deliverPending() {}
    }

    private let reports = ValueRecorder<RegionReport>()

    private func monitor(
        _ transport: TestTransport, name: String? = nil, _ subjects: MonitorSubjects = MonitorSubjects()
    ) -> LocationMonitor {
        let monitor = LocationMonitor(
            name: name, subjects: subjects, configuration: LocationConfiguration(purpose: "tea"), transport: transport)
        monitor.addObserver(Observer<RegionReport> { [reports] in reports.append($0) })
        return monitor
    }

    private func inside(_ identifier: String) -> MonitorTransportEvent {
        .region(RegionReport(identifier: identifier, state: .inside))
    }

    @Test func thereIsNoInterestBeforeStartOrWithoutASubject() throws {
        let transport = TestTransport()
        let monitor = monitor(transport)
        monitor.start()
        #expect(transport.interest == nil && monitor.isMonitoring)
        monitor.add(try MonitorScript.region("a"))
        #expect(transport.interest?.subjects?.regions.map(\.identifier) == ["a"])
        #expect(transport.interest?.purpose == "tea")
        let count = transport.count
        monitor.add(try MonitorScript.region("a"))
        monitor.start()
        #expect(transport.count == count, "nothing has changed")
        monitor.stop()
        #expect(transport.interest == nil && transport.count == count + 1)
    }

    @Test func thePersistedStateIsMergedWithChangesOfTheProgram() throws {
        var left = MonitorScript.persisted(try MonitorScript.subjects("a", "b", "c", visits: true))
        left.subjects.significantChange = SignificantChange(distance: 700)
        left.reports = ["b", "c"].map { RegionReport(identifier: $0, state: .inside) }
        let transport = TestTransport(left: left)
        let monitor = monitor(transport, name: "walk")
        monitor.remove(identifier: "a")
        monitor.add(try MonitorScript.region("b", radius: 7))
        monitor.significantChange = nil
        monitor.start()
        #expect(transport.interest?.name == "walk" && transport.interest?.subjects == nil)
        monitor.core.receive(.persisted(left))
        let subjects = try #require(transport.interest?.subjects)
        #expect(subjects.regions == [try MonitorScript.region("b", radius: 7), try MonitorScript.region("c")])
        #expect(subjects.significantChange == nil && subjects.visits)
        #expect(monitor.report(of: "c")?.state == .inside)
        #expect(monitor.report(of: "b") == nil, "it is another region now")
        #expect(reports.values.isEmpty, "an old belief was delivered")
    }

    @Test func aRegionAddedAgainBeforeItsRemovalWasSentIsReportedImmediately() throws {
        let monitor = monitor(TestTransport(), try MonitorScript.subjects("a", "b"))
        monitor.start()
        monitor.core.receive(inside("a"))
        monitor.remove(identifier: "a")
        #expect(monitor.report(of: "a") == nil)
        monitor.core.receive(.region(RegionReport(identifier: "a", state: .outside, event: .exited)))
        #expect(reports.count == 1, "it was reported after its removal")
        monitor.add(try MonitorScript.region("a"))
        #expect(reports.values.map(\.state) == [.inside, .outside])
        #expect(reports.values.map(\.event) == [nil, nil])
    }

    @Test func aRegionAddedAgainLaterIsReportedByTheService() throws {
        let monitor = monitor(TestTransport(), try MonitorScript.subjects("a"))
        monitor.start()
        monitor.core.receive(inside("a"))
        monitor.remove(identifier: "a")
        monitor.core.receive(.removed(["a"]))
        monitor.add(try MonitorScript.region("a"))
        #expect(reports.count == 1)
        monitor.core.receive(inside("a"))
        #expect(reports.values.map(\.event) == [nil, nil])
    }

    @Test func anotherShapeIsAnotherRegion() throws {
        let monitor = monitor(TestTransport(), try MonitorScript.subjects("a"))
        monitor.start()
        monitor.core.receive(inside("a"))
        monitor.add(try MonitorScript.region("a", radius: 3))
        #expect(monitor.report(of: "a") == nil)
        monitor.core.receive(.region(RegionReport(identifier: "a", state: .outside)))
        #expect(reports.values.last?.event == nil, "nobody left it")
    }

    @Test func failuresAreReportedOnceAndRecoveryIsAStatus() throws {
        let monitor = monitor(TestTransport(), try MonitorScript.subjects("a"))
        let (errors, statuses) = (ValueRecorder<LocationError>(), ValueRecorder<ServiceStatus>())
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.addObserver(Observer<ServiceStatus> { statuses.append($0) })
        monitor.start()
        let (denied, allowed) = (SharingScript.status(.stopped, .denied), SharingScript.status())
        for status in [denied, denied, allowed] { monitor.core.receive(.status(status)) }
        monitor.core.receive(.disconnected(.disconnected))
        #expect(monitor.status == nil)
        monitor.core.receive(.status(allowed))
        #expect(statuses.values == [denied, allowed, allowed])
        #expect(errors.count == 2 && errors.values.last == .disconnected)
    }

    @Test func outageIsReportedWhenItBeginsAndEveryTenSeconds() throws {
        var state = MonitorState(LocationConfiguration(), name: "walk", subjects: try MonitorScript.subjects("a"))
        let errors = ValueRecorder<LocationError>()
        state.errors.add(Observer<LocationError> { errors.append($0) }, place: .immediate, &state.outbox)
        state.start()
        state.sentInterest = state.interest
        let start = BootInstant(nanoseconds: 0)
        let silent = LocationError.daemonNotRunning(path: "/s", reason: "silent")
        func fail(_ error: LocationError, after seconds: Double) {
            state.receive(.disconnected(error), at: start.advanced(bySeconds: seconds))
            while let work = state.outbox.nextBatch() { for item in work { item() } }
        }
        fail(.disconnected, after: 0)
        for attempt in 1..<20 { fail(silent, after: Double(attempt) / 2) }
        #expect(errors.values == [.disconnected])
        fail(silent, after: 10)
        #expect(errors.values == [.disconnected, silent])
        // A refusal is none, and is reported once.
        fail(.monitorInUse(name: "walk"), after: 11)
        fail(.monitorInUse(name: "walk"), after: 31)
        #expect(errors.values.count == 3 && errors.values.last == .monitorInUse(name: "walk"))
        state.receive(.status(SharingScript.status()), at: start.advanced(bySeconds: 32))
        fail(.disconnected, after: 33)
        #expect(errors.values.count == 4, "the next outage is another one")
    }

    @Test func nothingIsDeliveredAfterTheEnd() throws {
        let monitor = monitor(TestTransport(), try MonitorScript.subjects("a"))
        monitor.start()
        monitor.stop()
        monitor.core.receive(inside("a"))
        #expect(reports.values.isEmpty)
    }

    @Test func aLoopOutlivesItsMonitor() async throws {
        let transport = TestTransport()
        var loop: AsyncStream<Visit>.Iterator?
        weak var core: MonitorCore?
        do {
            let monitor = monitor(transport, MonitorSubjects(visits: true))
            core = monitor.core
            loop = monitor.visits.makeAsyncIterator()
        }
        let visit = Visit(
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), horizontalAccuracy: 5, arrival: nil,
            isPresent: true)
        core?.receive(.visit(visit))
        #expect(await loop?.next() == visit)
        #expect(transport.interest != nil)
        loop = nil
        #expect(transport.interest == nil && core == nil)
    }
}
