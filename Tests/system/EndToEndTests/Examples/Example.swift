import ProgramTestSupport

/// The example programs.
enum Example {
    /// Runs a program to its end, with the service at that socket.
    static func run(_ program: String, _ arguments: [String] = [], at socket: String) async throws
        -> ChildProcess.Outcome
    {
        try await ChildProcess("env", ["LOCATIOND_SOCKET=\(socket)", Products.path(of: program)] + arguments).outcome()
    }
}

extension ChildProcess.Outcome {
    var lines: [Substring] { output.split(separator: "\n") }

    /// The first two numbers that stand side by side in each line that has such.
    var positions: [(latitude: Double, longitude: Double)] {
        lines.compactMap { line in
            let numbers = line.split(separator: " ").map { Double($0) }
            for (latitude, longitude) in zip(numbers, numbers.dropFirst()) {
                if let latitude, let longitude { return (latitude, longitude) }
            }
            return nil
        }
    }
}
