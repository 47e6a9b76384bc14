// Tells all that a LocationManager is told, a line each, until it is killed; with --ask it requests authorization
// first.
import Glibc
@_spi(Programs) import LocationKit

func tell(_ words: String...) {
    print(words.joined(separator: " "))
    // Every stream: Swift 6 does not let one name the standard output of C.
    fflush(nil)
}

let manager = LocationManager(LocationConfiguration(purpose: "tells all that it is told"))
if CommandLine.arguments.contains("--ask") {
    Task {
        for await status in manager.authorizationStatuses { tell("authorization", status.rawValue) }
    }
    Task {
        do {
            _ = try await manager.requestAuthorization(for: .always, startUpdating: false)
        } catch {
            tell("not requested:", "\(error)")
        }
    }
}
for await update in manager.updates {
    switch update {
    case .location(let location): tell("location", "\(location.sequence)")
    case .noLocation(let reason): tell("no location:", "\(reason)")
    }
}
