/// How long the receiver runs for a watch with an interval, and for one that pauses, over the given drives.
@main
enum RestBenchmark {
    static func main() throws {
        IntervalShare.report()
        let stay = 4 * 3600
        for path in CommandLine.arguments.dropFirst() {
            PauseShare.report(try Drive(path: path).betweenStays(of: stay), stay: stay)
        }
    }
}
