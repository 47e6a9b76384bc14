import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// Passes region events, significant changes and visits to a manager's mailbox.
///
/// Regions belong to the program, so every manager's delegate receives the events of all of them, including those that
/// an earlier run began to monitor. Changes and visits belong to each manager.
final class ManagerMonitoring: Sendable {
    private let regions: ProgramRegions
    private let movement: any MonitorProviding
    private let mailbox: DelegateMailbox
    private let reports: Observer<RegionReport>
    private let statuses: Observer<ServiceStatus>
    private let errors: Observer<LocationError>

    init(_ backend: LocationBackend, into mailbox: DelegateMailbox) {
        let regions = backend.regions
        self.regions = regions
        self.mailbox = mailbox
        movement = backend.makeMonitor(nil)
        reports = Observer(on: .immediate) { report in Self.deliver(report, of: regions, into: mailbox) }
        statuses = Observer(on: .immediate) { _ in Self.reportStartedRegions(of: regions, into: mailbox) }
        errors = Observer(on: .immediate) { error in Self.reportFailure(error, of: regions, into: mailbox) }
        regions.monitor.addObserver(reports)
        regions.monitor.addObserver(statuses)
        regions.monitor.addObserver(errors)
        movement.addObserver(
            Observer<Location>(on: .immediate) { change in mailbox.update { $0.receive(change: change) } })
        movement.addObserver(
            Observer<LocationError>(on: .immediate) { error in mailbox.update { $0.receive(ofChanges: error) } })
        movement.addObserver(
            Observer<Visit>(on: .immediate) { visit in
                mailbox.update { $0.add { $1?.locationManager($0, didVisit: CLVisit(visit)) } }
            })
    }

    deinit {
        regions.monitor.removeObserver(reports)
        regions.monitor.removeObserver(statuses)
        regions.monitor.removeObserver(errors)
        movement.stop()
        movement.removeObservers()
    }

    // MARK: Regions

    /// Resumes the monitoring of regions of an earlier run, if there are any.
    func resume() {
        regions.monitor.start()
    }

    var monitoredRegions: Set<CLRegion> { Set(regions.all.compactMap(\.content)) }

    func start(_ region: CLRegion) {
        guard let wanted = ProgramRegion(region) else {
            guard let copy = SendableRegionCopy(region) else { return }
            return mailbox.update { state in
                state.add {
                    $1?.locationManager(
                        $0, monitoringDidFailFor: copy.content, withError: CLError(.regionMonitoringFailure))
                }
            }
        }
        mailbox.update { $0.regions.beginMonitoring(wanted) }
        regions.add(wanted)
        Self.reportStartedRegions(of: regions, into: mailbox)
    }

    func stop(_ region: CLRegion) {
        let identifier = region.identifier
        mailbox.update { $0.regions.endMonitoring(identifier) }
        regions.remove(identifier)
    }

    func requestState(_ region: CLRegion) {
        guard let known = regions.region(named: region.identifier) else {
            guard let copy = SendableRegionCopy(region) else { return }
            return mailbox.update { state in
                state.add { $1?.locationManager($0, didDetermineState: .unknown, for: copy.content) }
            }
        }
        mailbox.update { $0.regions.requestState(of: known.identifier) }
        resume()
        // A state from an earlier run is no answer until the service has reported it again.
        guard regions.monitor.status != nil, let report = regions.monitor.report(of: known.region.identifier) else {
            return
        }
        Self.deliver(report, of: regions, into: mailbox)
    }

    private static func deliver(_ report: RegionReport, of regions: ProgramRegions, into mailbox: DelegateMailbox) {
        guard let region = regions.region(monitoredAs: report.identifier) else { return }
        reportStartedRegions(of: regions, into: mailbox)
        mailbox.update { state in
            let isRequested = report.state != .unknown && state.regions.answerStateRequest(of: region.identifier)
            switch report.event {
            case .entered where region.notifyOnEntry:
                state.addCall(about: region, in: regions) { $1?.locationManager($0, didEnterRegion: $2) }
            case .exited where region.notifyOnExit:
                state.addCall(about: region, in: regions) { $1?.locationManager($0, didExitRegion: $2) }
            default: break
            }
            guard isRequested || report.event == .entered || report.event == .exited else { return }
            let answer = CLRegionState(report.state)
            state.addCall(about: region, in: regions) { $1?.locationManager($0, didDetermineState: answer, for: $2) }
        }
    }

    /// Reports the start of regions that the service has confirmed by reporting a state.
    private static func reportStartedRegions(of regions: ProgramRegions, into mailbox: DelegateMailbox) {
        let awaited = mailbox.read { $0.regions.awaited }
        guard !awaited.isEmpty, regions.monitor.status?.mayMonitor == true else { return }
        for begun in awaited where regions.monitor.report(of: begun.identifier) != nil {
            let region = ProgramRegion(begun)
            mailbox.update { state in
                guard state.regions.hasBegun(region) else { return }
                state.addCall(about: region, in: regions) { $1?.locationManager($0, didStartMonitoringFor: $2) }
            }
        }
    }

    private static func reportFailure(_ error: LocationError, of regions: ProgramRegions, into mailbox: DelegateMailbox)
    {
        guard let failure = CLError(monitoring: error) else { return }
        mailbox.update { state in
            for region in state.regions.failStarting(failure.code) {
                state.addCall(about: region, in: nil) {
                    $1?.locationManager($0, monitoringDidFailFor: $2, withError: failure)
                }
            }
            for identifier in state.regions.failStateRequests() {
                guard let region = regions.region(named: identifier) else { continue }
                state.addCall(about: region, in: regions) {
                    $1?.locationManager($0, didDetermineState: .unknown, for: $2)
                }
            }
        }
    }

    // MARK: Changes and visits

    func setChanges(_ isWanted: Bool) {
        mailbox.update { $0.setChanges(isWanted) }
        movement.significantChange = isWanted ? SignificantChange() : nil
        updateMovementMonitoring()
    }

    func setVisits(_ isWanted: Bool) {
        movement.monitorsVisits = isWanted
        updateMovementMonitoring()
    }

    private func updateMovementMonitoring() {
        movement.significantChange != nil || movement.monitorsVisits ? movement.start() : movement.stop()
    }
}

extension DelegateState {
    /// Adds a call about a region, which is dropped if the region is not monitored any more by then.
    fileprivate mutating func addCall(
        about region: ProgramRegion, in regions: ProgramRegions?,
        _ call: @escaping @Sendable (CLLocationManager, (any CLLocationManagerDelegate)?, CLCircularRegion) -> Void
    ) {
        add { manager, delegate in
            guard let content = region.content else { return }
            if let regions, regions.region(named: region.identifier) == nil { return }
            call(manager, delegate, content)
        }
    }
}

extension CLRegionState {
    init(_ state: RegionState) {
        switch state {
        case .inside: self = .inside
        case .outside: self = .outside
        case .unknown: self = .unknown
        }
    }
}

extension ServiceStatus {
    fileprivate var mayMonitor: Bool { enabled && AuthorizationLevel.whenInUse.isGranted(by: authorization) }
}

/// A copy of a region, passed to the manager's thread.
///
/// Unchecked: `CLRegion` is not `Sendable`, but nothing else refers to this copy before it is passed on, once.
struct SendableRegionCopy: @unchecked Sendable {
    let content: CLRegion

    /// - Returns: `nil` if a subclass makes copies that are not regions.
    init?(_ region: CLRegion) {
        guard let copy = region.copy() as? CLRegion else { return nil }
        content = copy
    }
}
