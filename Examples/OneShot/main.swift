// Where this machine is, once: OneShot [SECONDS], which waits so long at most. Ends with 0, or with 1 and the reason.
import Glibc
import LocationKit

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 30
do {
    let location = try await LocationManager().requestLocation(timeout: seconds, desiredAccuracy: 50)
    print(location.coordinate.latitude, location.coordinate.longitude)
} catch .timedOut(let best?) {
    print(best.coordinate.latitude, best.coordinate.longitude, "the best within \(seconds) s")
} catch {
    print(error)
    exit(1)
}
