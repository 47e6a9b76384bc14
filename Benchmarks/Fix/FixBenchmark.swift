/// Processes fixes for `.ci/instructions` to count what one costs: it passes gpsd's lines, epoch by epoch and the same
/// ones each time, through the daemon's own code on one thread, and reads the replies from sockets. With the word
/// `estimates` all clients ask for estimates.
@main
struct FixBenchmark {
    static func main() throws {
        let epochs = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let receiver = Receiver()
        let server = try Server(estimates: CommandLine.arguments.contains("estimates"))
        for number in 0..<epochs {
            server.serve(receiver.receive(Lines.epoch(number)))
        }
        print("epochs \(epochs) deliveries \(server.deliveries) bytes \(server.bytes)")
    }
}
