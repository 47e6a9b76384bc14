// Three locations, told to a closure.
import Dispatch
import LocationKit

let manager = LocationManager()
let printed = DispatchSemaphore(value: 0)

let printer = Observer<Location> { location in
    print(location.coordinate.latitude, location.coordinate.longitude, "\(location.age) s old")
    printed.signal()
}
manager.addObserver(printer)
manager.addObserver(Observer<LocationError> { print("no location:", $0) })

manager.startUpdating()
for _ in 1...3 { printed.wait() }
// The last observer of locations: the receiver may rest.
manager.removeObserver(printer)
