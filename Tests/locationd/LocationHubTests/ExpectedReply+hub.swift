import LocationHub
@_spi(Programs) import LocationModel
import ReferenceModel

/// What the hub decides, in the terms of the reference model.
extension ExpectedReply {
    init(_ update: WatchUpdate) {
        self.init()
        status = update.status.map { ExpectedStatus($0) }
        location = update.location.map { Place($0) }
        places = [location].compactMap { $0 }
        dropped = update.dropped
        hasHeading = update.heading != nil
        hasSatellites = update.satellites != nil
        isFinal = update.isFinal
    }

    /// Of an answer with a location that satisfies the request.
    init(_ location: Location) {
        self.init()
        self.location = Place(location)
        places = [Place(location)]
        isFinal = true
    }
}

extension ExpectedReply.Place {
    fileprivate init(_ location: Location) {
        let details: [Any?] = [
            location.speed, location.course, location.altitude, location.climb, location.satellitesUsed,
        ]
        self.init(
            sequence: location.sequence, latitude: location.coordinate.latitude,
            longitude: location.coordinate.longitude, monotonicTime: location.monotonicTime.seconds,
            accuracy: location.horizontalAccuracy, isDetailed: details.contains { $0 != nil })
    }
}

extension ExpectedStatus {
    init(_ status: ServiceStatus) {
        self.init(
            isEnabled: status.enabled, state: status.source.rawValue, authorization: status.authorization.rawValue,
            reason: status.reason, hasHeading: status.headingAvailable)
        isStationary = status.stationary ?? false
        isPaused = status.paused ?? false
    }
}

extension ExpectedView {
    /// What the permission lets its client know, by the documentation.
    init(_ permission: Permission) {
        switch (permission.authorization, permission.accuracy, permission.pace) {
        case (.authorizedAlways, .full, nil): self = .full
        case (.authorizedAlways, .full, let pace?):
            self = .paced(principal: pace.principal, interval: pace.interval)
        case (.authorizedAlways, _, let pace): self = .reduced(interval: pace?.interval ?? 0)
        default: self = .nothing
        }
    }
}
