import LocationModel
import Synchronization
import Testing

@testable import LocationKit

/// What a monitor wishes and tells, told by hand what the service says.
@Suite struct MonitorStateTests {
    /// Notes what is wished, and knows what is kept.
    private final class Service: MonitorService {
        private let wished = Mutex<[MonitorRequest?]>([])
        private let left: NamedMonitor?

        init(left: NamedMonitor? = nil) { self.left = left }

        var wish: MonitorRequest? { wished.withLock { $0.last ?? nil } }
        var count: Int { wished.withLock { $0.count } }

        func wish(_ wish: MonitorRequest?, of client: any MonitorClient) { wished.withLock { $0.append(wish) } }
        func kept(_ name: String) throws(LocationError) -> NamedMonitor? { left }
        func settle() {}
    }

    private let reports = Seen<RegionReport>()

    private func monitor(
        _ service: Service, name: String? = nil, _ subjects: MonitorSubjects = MonitorSubjects()
    ) -> LocationMonitor {
        let monitor = LocationMonitor(
            name: name, subjects: subjects, configuration: LocationConfiguration(purpose: "tea"), service: service)
        monitor.addObserver(Observer<RegionReport> { [reports] in reports.append($0) })
        return monitor
    }

    private func inside(_ identifier: String) -> MonitorNews {
        .region(RegionReport(identifier: identifier, state: .inside))
    }

    @Test func nothingIsWishedBeforeItMonitorsOrWithoutASubject() throws {
        let service = Service()
        let monitor = monitor(service)
        monitor.start()
        #expect(service.wish == nil && monitor.isMonitoring)
        monitor.add(try MonitorScript.region("a"))
        #expect(service.wish?.subjects?.regions.map(\.identifier) == ["a"])
        #expect(service.wish?.purpose == "tea")
        let count = service.count
        monitor.add(try MonitorScript.region("a"))
        monitor.start()
        #expect(service.count == count, "nothing has changed")
        monitor.stop()
        #expect(service.wish == nil && service.count == count + 1)
    }

    @Test func whatIsKeptIsJoinedWithWhatTheProgramHasChanged() throws {
        var left = MonitorScript.kept(try MonitorScript.subjects("a", "b", "c", visits: true))
        left.subjects.significantChange = SignificantChange(distance: 700)
        left.reports = ["b", "c"].map { RegionReport(identifier: $0, state: .inside) }
        let service = Service(left: left)
        let monitor = monitor(service, name: "walk")
        monitor.remove(identifier: "a")
        monitor.add(try MonitorScript.region("b", radius: 7))
        monitor.significantChange = nil
        monitor.start()
        #expect(service.wish?.name == "walk" && service.wish?.subjects == nil)
        monitor.core.receive(.kept(left))
        let subjects = try #require(service.wish?.subjects)
        #expect(subjects.regions == [try MonitorScript.region("b", radius: 7), try MonitorScript.region("c")])
        #expect(subjects.significantChange == nil && subjects.visits)
        #expect(monitor.report(of: "c")?.state == .inside)
        #expect(monitor.report(of: "b") == nil, "it is another region now")
        #expect(reports.values.isEmpty, "an old belief was told")
    }

    @Test func aRegionThatComesBackBeforeTheServiceHeardIsToldAtOnce() throws {
        let monitor = monitor(Service(), try MonitorScript.subjects("a", "b"))
        monitor.start()
        monitor.core.receive(inside("a"))
        monitor.remove(identifier: "a")
        #expect(monitor.report(of: "a") == nil)
        monitor.core.receive(.region(RegionReport(identifier: "a", state: .outside, event: .exited)))
        #expect(reports.count == 1, "it was told of after its removal")
        monitor.add(try MonitorScript.region("a"))
        #expect(reports.values.map(\.state) == [.inside, .outside])
        #expect(reports.values.map(\.event) == [nil, nil])
    }

    @Test func aRegionThatComesBackLaterIsToldByTheService() throws {
        let monitor = monitor(Service(), try MonitorScript.subjects("a"))
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
        let monitor = monitor(Service(), try MonitorScript.subjects("a"))
        monitor.start()
        monitor.core.receive(inside("a"))
        monitor.add(try MonitorScript.region("a", radius: 3))
        #expect(monitor.report(of: "a") == nil)
        monitor.core.receive(.region(RegionReport(identifier: "a", state: .outside)))
        #expect(reports.values.last?.event == nil, "nobody left it")
    }

    @Test func obstaclesAreToldOnceAndTheReturnIsAStatus() throws {
        let monitor = monitor(Service(), try MonitorScript.subjects("a"))
        let (errors, statuses) = (Seen<LocationError>(), Seen<ServiceStatus>())
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.addObserver(Observer<ServiceStatus> { statuses.append($0) })
        monitor.start()
        let (denied, allowed) = (LinkScript.status(.stopped, .denied), LinkScript.status())
        for status in [denied, denied, allowed] { monitor.core.receive(.status(status)) }
        monitor.core.receive(.disconnected(.disconnected))
        #expect(monitor.status == nil)
        monitor.core.receive(.status(allowed))
        #expect(statuses.values == [denied, allowed, allowed])
        #expect(errors.count == 2 && errors.values.last == .disconnected)
    }

    @Test func whatComesAfterTheEndIsNotTold() throws {
        let monitor = monitor(Service(), try MonitorScript.subjects("a"))
        monitor.start()
        monitor.stop()
        monitor.core.receive(inside("a"))
        #expect(reports.values.isEmpty)
    }

    @Test func aLoopOutlivesItsMonitor() async throws {
        let service = Service()
        var loop: AsyncStream<Visit>.Iterator?
        weak var core: MonitorCore?
        do {
            let monitor = monitor(service, MonitorSubjects(visits: true))
            core = monitor.core
            loop = monitor.visits.makeAsyncIterator()
        }
        let visit = Visit(
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), horizontalAccuracy: 5, arrival: nil,
            isPresent: true)
        core?.receive(.visit(visit))
        #expect(await loop?.next() == visit)
        #expect(service.wish != nil)
        loop = nil
        #expect(service.wish == nil && core == nil)
    }
}
