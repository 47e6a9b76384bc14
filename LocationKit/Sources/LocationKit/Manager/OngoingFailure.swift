@_spi(Programs) import LocationModel

/// The failure that a manager has reported and that persists.
///
/// An outage, of the receivers or of the connection to the service, is reported when it begins and then every ``pace``
/// while it lasts, however often the connection is tried and its reason changes meanwhile. So a program that gives up
/// after some failures in a row gives up on an outage that lasts, and not on one that is over in a moment. A refusal is
/// a decision: it is reported once.
struct OngoingFailure: Sendable {
    /// Seconds between two reports of an outage. Longer than what passes by itself: a restart of the service, or a
    /// receiver that is plugged in again, takes some seconds. Apple documents that CoreLocation goes on to try after an
    /// error, but no pace of its reports.
    static let pace = 10.0

    private(set) var error: LocationError
    private let isConnectionLost: Bool
    /// When it was reported last.
    private var reported: BootInstant

    init(_ error: LocationError, isConnectionLost: Bool, at now: BootInstant) {
        (self.error, self.isConnectionLost, reported) = (error, isConnectionLost, now)
    }

    /// When it is reported again if it lasts; `nil` for never.
    var nextReport: BootInstant? {
        isOutage ? reported.advanced(bySeconds: Self.pace) : nil
    }

    private var isOutage: Bool {
        if case .unavailable = error { true } else { isConnectionLost }
    }

    /// Updates the reason of an outage that goes on.
    ///
    /// - Returns: whether the failure is the same as before; otherwise nothing has changed.
    mutating func goesOn(as present: LocationError, isConnectionLost: Bool) -> Bool {
        guard isConnectionLost == self.isConnectionLost else { return false }
        switch (error, present) {
        case _ where isConnectionLost, (.unavailable, .unavailable):
            error = present
            return true
        default: return error == present
        }
    }

    /// - Returns: whether it has to be reported again now, which then has happened.
    mutating func repeatReport(at now: BootInstant) -> Bool {
        guard let nextReport, nextReport <= now else { return false }
        reported = now
        return true
    }
}
