// Says on which side of a circle's border the machine is, and ends when it crosses it. The circle is kept under a name,
// so that a crossing while this program is not there is told, too.
import Glibc
import LocationKit

let numbers = CommandLine.arguments.dropFirst().compactMap(Double.init)
guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]),
    let circle = try? RegionCircle(center: center, radius: numbers[2]),
    let place = try? Region(identifier: "place", shape: .circle(circle))
else {
    print("usage: ExampleGeofence LATITUDE LONGITUDE METRES")
    exit(2)
}

let monitor = LocationMonitor(name: "example", regions: [place])
monitor.addObserver(Observer<LocationError> { print("waiting:", $0) })
for await report in monitor.regionReports {
    print(report.identifier, report.event?.rawValue ?? "is \(report.state.rawValue)")
    if report.event != nil { break }
}
