// Tells all that a LocationManager is told, a line each, until it is killed.
import Glibc
@_spi(Programs) import LocationKit

let manager = LocationManager()
for await update in manager.updates {
    switch update {
    case .location(let location): print("location", location.sequence)
    case .noLocation(let reason): print("no location:", reason)
    }
    // Every stream: Swift 6 does not let one name the standard output of C.
    fflush(nil)
}
