// Two parts of a program observe the manager they share; there is one connection, and each leaves when it likes.
import Dispatch
import LocationKit

let onTheMap = DispatchSemaphore(value: 0)
let map = Observer<Location> { location in
    print("map:", location.coordinate.latitude, location.coordinate.longitude)
    onTheMap.signal()
}
let speedometer = Observer<Location> { location in
    print("speedometer:", location.speed.map { "\($0) m/s" } ?? "unknown")
}

LocationManager.shared.addObserver(speedometer)
LocationManager.shared.addObserver(map)
LocationManager.shared.startUpdating()
for _ in 1...2 { onTheMap.wait() }

LocationManager.shared.removeObserver(speedometer)
for _ in 1...2 { onTheMap.wait() }

LocationManager.shared.removeObserver(map)
print("updating:", LocationManager.shared.isUpdating)
