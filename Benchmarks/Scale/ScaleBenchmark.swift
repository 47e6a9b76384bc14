import Glibc
import TestSupport

/// What 1,000 vehicles cost a broker, and how many more messages it bears.
///
/// Arguments name brokers of `mosquitto`, `tls` (Mosquitto with TLS), `nats` and `rabbitmq`; none means all. It exits with 1
/// if a message is lost at Mosquitto at a message a second from each vehicle.
@main
enum ScaleBenchmark {
    private static let vehicles = 1000
    private static let many = 5000
    /// Messages a second. Above 1,000 each vehicle publishes more often; to a broker they are as many vehicles that publish less.
    private static let rates = [
        1000.0, 2000, 4000, 8000, 16_000, 24_000, 32_000, 40_000, 48_000, 56_000, 64_000, 80_000,
    ]
    /// For a broker that does not bear the first.
    private static let lower = [500.0, 250, 100, 50]

    static func main() async {
        do {
            try await run()
        } catch {
            report("failed: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        // libmosquitto needs three for each client, and a broker one; more than a shell usually allows.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let names =
            CommandLine.arguments.count > 1
            ? Array(CommandLine.arguments.dropFirst()) : ["mosquitto", "tls", "nats", "rabbitmq"]
        report("load averages: \(text(of: "/proc/loadavg"))")
        var isMet = true
        for name in names {
            switch name {
            case "mosquitto", "tls":
                let folder = try TemporaryFolder()
                let authority = name == "tls" ? try await certificate(in: folder) : nil
                let tls = authority.map { ["certfile \($0)", "keyfile \(folder("key.pem"))"] } ?? []
                let broker = try Mosquitto(["allow_anonymous true", "log_type none"] + tls)
                try await broker.start()
                let holds = try measure(name, [broker.port], [broker.pid].compactMap(\.self), authority)
                isMet = isMet && holds
                try await broker.end()
            case "nats", "rabbitmq":
                let cluster = try (name == "nats" ? BrokerClusterKind.nats : .rabbitMQ).make()
                try await cluster.start()
                _ = try measure(name, cluster.nodes.map(\.port), cluster.nodes.compactMap(\.pid), nil)
                for node in cluster.nodes { try await node.kill() }
            default: throw Failure("\(name) is none of mosquitto, tls, nats and rabbitmq")
            }
        }
        report("load averages: \(text(of: "/proc/loadavg"))")
        if !isMet { exit(1) }
    }

    /// - Returns: whether everything arrived at the first rate.
    private static func measure(_ name: String, _ ports: [UInt16], _ pids: [pid_t], _ authority: String?) throws -> Bool
    {
        // First, while the broker has no memory that it does not use. A cluster takes minutes for so many.
        if ports.count == 1 { _ = try connect(many, name, ports, pids, authority) }
        let fleet = try connect(vehicles, name, ports, pids, authority)
        report(
            "| rate | arrived/s | lost | copies | PUBACK p50 | p99 ms | arrival p50 | p99 ms | broker CPU | RSS MiB | load's CPU |"
        )
        let holds = try step(fleet, rates[0], 30, pids)
        for rate in holds ? Array(rates.dropFirst()) : lower {
            let holdsToo = try step(fleet, rate, 10, pids)
            if holdsToo != holds { break }
        }
        return holds
    }

    private static func connect(
        _ count: Int, _ name: String, _ ports: [UInt16], _ pids: [pid_t], _ authority: String?
    ) throws -> SimulatedFleet {
        let before = ProcessUse.sum(of: pids)
        let fleet = try SimulatedFleet(of: count, at: ports, authority: authority)
        let after = ProcessUse.sum(of: pids)
        let cost = ((after.seconds - before.seconds) * 1e6 / Double(count)).rounded(to: 0)
        let memory = (Double(after.kibibytes - before.kibibytes) / Double(count)).rounded(to: 1)
        report(
            "\(name): \(count) connected in \(fleet.connectTime.rounded(to: 2)) s, each \(cost) µs of the broker's CPU time and "
                + "\(memory) KiB; RSS before \(before.kibibytes / 1024) MiB")
        return fleet
    }

    /// - Returns: whether the broker bears the rate: nothing is lost, and what was published last arrives within a second.
    private static func step(_ fleet: SimulatedFleet, _ rate: Double, _ seconds: Double, _ pids: [pid_t]) throws -> Bool
    {
        let (before, own) = (ProcessUse.sum(of: pids), ProcessUse.sum(of: [getpid()]))
        let start = FleetClient.now
        let outcome = try fleet.run(rate: rate, seconds: seconds)
        let (after, ownAfter) = (ProcessUse.sum(of: pids), ProcessUse.sum(of: [getpid()]))
        let duration = outcome.total
        // What is written before the clock runs does not count as the load's own.
        let preparation = FleetClient.now - start - duration
        func share(_ seconds: Double) -> String { "\((100 * seconds / duration).rounded(to: 0)) %" }
        func milliseconds(_ values: [Double], _ part: Double) -> String {
            values.isEmpty ? "–" : "\((values.percentile(part) * 1000).rounded(to: 2))"
        }
        let holds = outcome.lost == 0 && duration < seconds + 1
        report(
            "| \(Int(rate)) | \(Int(Double(outcome.latencies.count) / duration)) | \(outcome.lost) | \(outcome.copies) "
                + "| \(milliseconds(outcome.acknowledgements, 0.5)) | \(milliseconds(outcome.acknowledgements, 0.99)) "
                + "| \(milliseconds(outcome.latencies, 0.5)) | \(milliseconds(outcome.latencies, 0.99)) "
                + "| \(share(after.seconds - before.seconds)) | \(after.kibibytes / 1024) "
                + "| \(share(ownAfter.seconds - own.seconds - preparation)) |\(holds ? "" : " does not hold")")
        return holds
    }

    /// Prints a line at once, also into a file.
    private static func report(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// A certificate that is its own authority.
    private static func certificate(in folder: TemporaryFolder) async throws -> String {
        let outcome = try await ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder("key.pem"), "-out",
                folder("certificate.pem"),
            ]
        ).outcome()
        guard outcome.code == 0 else { throw Failure(outcome.output) }
        return folder("certificate.pem")
    }
}

/// What processes have used.
private struct ProcessUse {
    var seconds = 0.0
    /// In memory now.
    var kibibytes = 0

    static func sum(of pids: [pid_t]) -> ProcessUse {
        pids.reduce(into: ProcessUse()) { use, pid in
            var (clock, time) = (clockid_t(), timespec())
            if clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 {
                use.seconds += Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
            let line = text(of: "/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            use.kibibytes += line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }
}

extension [Double] {
    /// Of values of which there is one at least.
    fileprivate func percentile(_ part: Double) -> Double {
        sorted()[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

extension Double {
    fileprivate func rounded(to digits: Int) -> Double {
        let factor = pow(10, Double(digits))
        return (self * factor).rounded() / factor
    }
}
