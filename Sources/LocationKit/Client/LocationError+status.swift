import LocationModel

extension LocationError {
    /// Why nothing can come while the service is in this state; `nil` if something may.
    init?(_ status: ServiceStatus) {
        if let refusal = LocationError(refusalIn: status) {
            self = refusal
        } else if status.source == .unavailable {
            self = .unavailable(reason: status.reason ?? "no receiver can be reached", best: nil)
        } else {
            return nil
        }
    }

    /// Why the service would refuse; `nil` if it would not.
    init?(refusalIn status: ServiceStatus) {
        switch status.authorization {
        case .denied, .restricted, .notDetermined:
            self = .unauthorized(status.authorization, reason: status.reason ?? "nobody allowed it")
        // A status of a later version may allow it.
        case .authorizedAlways, .authorizedWhenInUse, .unknown:
            guard !status.enabled else { return nil }
            self = .disabled
        }
    }

    /// Why nothing comes just now, a receiver that searches included; `nil` if something does or is about to.
    init?(absenceIn status: ServiceStatus) {
        if let error = LocationError(status) {
            self = error
            return
        }
        switch status.source {
        case .searching: self = .unavailable(reason: status.reason ?? "the receiver has no fix yet", best: nil)
        case .lost: self = .unavailable(reason: status.reason ?? "the receiver has lost its fix", best: nil)
        // With a reason these two mean that somebody who may know has to wait, such as for a login session.
        case .stopped, .tracking:
            guard let reason = status.reason else { return nil }
            self = .unavailable(reason: reason, best: nil)
        case .starting, .unavailable, .unknown: return nil
        }
    }

    /// What a request is told whose time is over in this state.
    init(timeOutIn status: ServiceStatus?, best: Location?) {
        switch (status?.source, status?.reason) {
        case (.unavailable, let reason):
            self = .unavailable(reason: reason ?? "no receiver can be reached", best: best)
        case (.stopped, let reason?), (.tracking, let reason?): self = .unavailable(reason: reason, best: best)
        default: self = .timedOut(best: best)
        }
    }
}
