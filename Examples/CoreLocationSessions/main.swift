// A walk along the quay, in the manner of iOS 18: sessions say what the program requires, an asynchronous loop has the
// locations. Only the import differs from the source of an iPhone's program.
import Foundation
import OpenCoreLocation

/// Follows the walker, and says what hinders.
@MainActor
final class Walk {
    private var session: CLServiceSession?
    private var background: CLBackgroundActivitySession?
    private(set) var path: [CLLocation] = []

    /// Says what the session lacks, until it ends.
    private func explainDiagnostics(of session: CLServiceSession) async throws {
        for try await diagnostic in session.diagnostics {
            if diagnostic.authorizationRequestInProgress {
                print("please decide")
            } else if diagnostic.authorizationDeniedGlobally {
                print("the location service is off")
            } else if diagnostic.authorizationDenied || diagnostic.authorizationRestricted {
                print("not allowed")
            } else if diagnostic.fullAccuracyDenied {
                print("roughly is enough, too")
            } else if diagnostic.alwaysAuthorizationDenied || diagnostic.insufficientlyInUse
                || diagnostic.serviceSessionRequired
            {
                print("only now and then")
            }
        }
    }

    /// Walks so many locations far.
    func start(length: Int) async throws {
        let session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "Quay")
        self.session = session
        background = CLBackgroundActivitySession()
        let explanation = Task { try await explainDiagnostics(of: session) }
        defer {
            explanation.cancel()
            session.invalidate()
            background?.invalidate()
        }
        for try await update in CLLocationUpdate.liveUpdates(.fitness) {
            if update.locationUnavailable { print("no location yet") }
            if update.accuracyLimited { print("roughly") }
            guard let location = update.location else { continue }
            path.append(location)
            print("walked \(Int(distance.rounded())) m\(update.stationary ? ", resting" : "")")
            if path.count == length { break }
        }
    }

    /// Metres.
    var distance: CLLocationDistance {
        zip(path, path.dropFirst()).reduce(0) { $0 + $1.0.distance(from: $1.1) }
    }
}

/// Says when the walker comes to the lighthouse, or near its beacon.
func watchLighthouse(at place: CLLocationCoordinate2D) async throws {
    let monitor = await CLMonitor("lighthouse")
    await monitor.add(CLMonitor.CircularGeographicCondition(center: place, radius: 50), identifier: "lighthouse")
    let beacon = UUID()
    await monitor.add(
        CLMonitor.BeaconIdentityCondition(uuid: beacon, major: 1, minor: 2), identifier: "beacon", assuming: .unknown)
    for try await event in await monitor.events {
        switch event.state {
        case .satisfied: print("at the \(event.identifier)")
        case .unsatisfied: print("away from the \(event.identifier)")
        case .unmonitored where event.conditionUnsupported: print("no \(event.identifier) here")
        case .unmonitored, .unknown: continue
        }
    }
}

let walk = Walk()
let lighthouse = Task {
    try await watchLighthouse(at: CLLocationCoordinate2D(latitude: 54.4, longitude: 10.2))
}
try await walk.start(length: 3)
lighthouse.cancel()
