// Three locations, or the reasons why there is none, from an asynchronous sequence.
import LocationKit

let manager = LocationManager()
var missing = 3
// The receiver runs as long as the loop does.
for await report in manager.updates {
    switch report {
    case .location(let location):
        let accuracy = location.horizontalAccuracy.map { "within \($0) m" } ?? "of unknown accuracy"
        print(location.coordinate.latitude, location.coordinate.longitude, accuracy)
        missing -= 1
    case .noLocation(let reason):
        print("no location:", reason)
    }
    if missing == 0 { break }
}
