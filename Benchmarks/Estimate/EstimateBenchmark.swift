import Glibc
import LocationEstimate
@_spi(Programs) import LocationModel

/// Estimates of the fixes of its standard input, a line each, for `Benchmarks/commands/estimate.py`.
///
/// A line is a fix, as numbers with blanks between them: seconds, latitude, longitude, the standard deviations to the
/// east and north, speed, its deviation, course and its deviation. A line of the output is the estimate: latitude,
/// longitude, radius, speed, course; and the same for each number of seconds that the arguments name, if no fix came
/// after it. What is not there is a "-".
@main
struct EstimateBenchmark {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let agility: Agility = arguments.first == "walking" ? .walking : .driving
        let times = arguments.compactMap(Double.init)
        var estimator = Estimator(agility)
        while let line = readLine() {
            guard let fix = fix(line.split(separator: " ").map { Double($0) }) else {
                print("not a fix: \(line)")
                exit(1)
            }
            let estimates =
                [estimator.apply(fix)]
                + times.map { time in
                    estimator.predicted(at: fix.monotonicTime.advanced(bySeconds: time))
                }
            print(estimates.map(text).joined(separator: " "))
        }
    }

    private static func fix(_ numbers: [Double?]) -> Location? {
        guard numbers.count == 9, let time = numbers[0], let latitude = numbers[1], let longitude = numbers[2],
            let east = numbers[3], let north = numbers[4],
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        var fix = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: 1000 + time),
            source: SourceInformation(name: "benchmark", method: .gnss))
        fix.errorEllipse = ErrorEllipse(
            semiMajorAxis: max(east, north), semiMinorAxis: min(east, north), orientation: east > north ? 90 : 0,
            isStandardDeviation: true)
        (fix.speed, fix.speedAccuracy) = (numbers[5], numbers[6])
        (fix.course, fix.courseAccuracy) = (numbers[7], numbers[8])
        return fix
    }

    private static func text(_ location: Location?) -> String {
        [
            location?.coordinate.latitude, location?.coordinate.longitude, location?.horizontalAccuracy,
            location?.speed,
            location?.course,
        ].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
}
