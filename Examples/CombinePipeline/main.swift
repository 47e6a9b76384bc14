// Three lines of text that a pipeline of publishers makes of locations.
import Dispatch
import Glibc
import LocationKit
import LocationKitCombine
import OpenCombine

// The closures of the main program belong to the main thread, so values are to come there.
let manager = LocationManager(LocationConfiguration(delivery: .main))

let failures = manager.errorPublisher.sink { print("no location:", $0) }
let lines = manager.locationPublisher
    .map { "\($0.coordinate.latitude) \($0.coordinate.longitude) from \($0.source.name)" }
    .removeDuplicates()
    .prefix(3)
    .sink { _ in
        exit(0)
    } receiveValue: { line in
        print(line)
    }

dispatchMain()
