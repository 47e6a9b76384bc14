@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import OpenCoreLocation

/// The events of a ``CLMonitor`` and the loops over them.
@Suite(.timeLimit(.minutes(10))) struct MonitorRecordsTests {
    private let records = MonitorRecords()

    init() {
        let center = CLLocationCoordinate2D(latitude: 52, longitude: 13)
        records.add(CLMonitor.CircularGeographicCondition(center: center, radius: 100), "home", .unknown)
    }

    private func apply(_ state: RegionState) {
        records.apply(RegionReport(identifier: "home", state: state), isAccuracyLimited: false)
    }

    @Test func whatCameBeforeEveryLoopIsForTheFirstAlone() async {
        apply(.outside)
        var first = records.events.makeAsyncIterator()
        var second = records.events.makeAsyncIterator()
        apply(.inside)
        records.finish()
        var states: [[CLMonitor.Event.State]] = [[], []]
        while let event = await first.next() { states[0].append(event.state) }
        while let event = await second.next() { states[1].append(event.state) }
        #expect(states == [[.unsatisfied, .satisfied], [.satisfied]])
    }
}
