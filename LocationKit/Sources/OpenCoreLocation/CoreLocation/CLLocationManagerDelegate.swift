public import Foundation

/// Receives the events of a ``CLLocationManager``; every method is optional.
///
/// The methods are called on the thread that made the manager: by its run loop, or by the main queue if it is the main
/// thread.
///
/// A method that only a subclass of the conforming class implements is not called, unless the conforming class
/// implements it too.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// New locations, in the order of arrival; the last is the newest, and there is at least one.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// No location for now; `error` is a ``CLError``.
    ///
    /// `denied` while this program is not authorized or the service is switched off, once until a location comes or
    /// updating is started again; `network` while the service cannot be reached, and `locationUnknown` while no
    /// receiver can be reached or when the connection to the service is lost, each at the beginning of the outage and
    /// every ten seconds while it lasts; `locationUnknown`, too, when ``CLLocationManager/requestLocation()`` has found
    /// nothing. A receiver that is still searching is no failure. Updating goes on, and locations follow as soon as
    /// possible.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

    /// A new heading that differs from the last one by more than the manager's ``CLLocationManager/headingFilter``.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

    /// Never called: a compass on Linux is not calibrated by a gesture.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool

    /// The authorization or its accuracy: soon after the delegate is set, and after each change.
    ///
    /// The default implementation calls `locationManager(_:didChangeAuthorization:)`.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// The older form, which is called if the newer one is not implemented.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    /// Updating has paused, because the machine is stationary; see
    /// ``CLLocationManager/pausesLocationUpdatesAutomatically``.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

    /// Updating goes on after a pause.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

    /// Never called: locations are not deferred.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)

    /// A monitored region was entered, if it notifies on entry. Not called for a region in which the machine was
    /// before.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

    /// A monitored region was left, if it notifies on exit.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

    /// The answer to ``CLLocationManager/requestState(for:)``, and each crossing of a monitored region's border.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

    /// The monitoring of the region has begun.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

    /// The region is not monitored: `regionMonitoringDenied` while this program is not authorized or the service is
    /// switched off, `regionMonitoringSetupDelayed` while the service cannot be reached, `regionMonitoringFailure` if
    /// it is no circle, if there are too many, or if another process of this program has the regions. Monitoring begins
    /// as soon as possible.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)

    /// A visit has begun; or it has ended, and has a departure date.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
}

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}

    /// Returns false.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }

    /// Calls the older form.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}

    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
}
