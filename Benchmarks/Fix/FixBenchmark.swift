/// What one fix costs, for `.ci/instructions` to count: gpsd's lines go in by the epoch, the same ones each time, and
/// replies come out at sockets, through the daemon's own code on one thread.
@main
struct FixBenchmark {
    static func main() throws {
        let epochs = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let receiver = Receiver()
        let server = try Server()
        for number in 0..<epochs {
            server.take(receiver.hear(Lines.epoch(number)))
        }
        print("epochs \(epochs) deliveries \(server.deliveries) bytes \(server.bytes)")
    }
}
