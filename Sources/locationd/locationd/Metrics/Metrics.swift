import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ServiceKit
@_spi(Programs) import SystemSupport

/// All of the daemon's metrics for Prometheus: counters that exist anyway, read on request, and measurements recorded
/// as they happen.
struct Metrics: Sendable {
    /// Measurements recorded as they happen.
    let registry = PrometheusRegistry([
        ServerInstruments.eventLoopLatency: .init(
            help: "From the first unread event in the mailbox until the event loop reads it."),
        ServerInstruments.timeToFirstFix: .init(
            help: "From the demand, or new sources, to the first fix.",
            buckets: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800]),
        SourceSupervisor.readerLatency: .init(help: "From the arrival of a fix at its reader until it is posted."),
    ])

    private let startTime = MachineClock.utc

    func text(_ figures: ServiceFigures) -> String { PrometheusText.text(families(figures)) }

    func families(_ figures: ServiceFigures) -> [MetricFamily] {
        let process = ProcessFigures().families(
            startTime: startTime, residentBytes: figures.statistics.residentBytes)
        return figures.families + registry.readings + process
    }
}

/// The process's present use of resources.
///
/// The names differ from the usual `process_…` by a prefix, because node_exporter exports those of its own process.
struct ProcessFigures {
    func families(startTime: UTCTime, residentBytes: Int?) -> [MetricFamily] {
        var cpu = MetricFamily(
            "locationd_process_cpu_seconds_total", .counter, help: "User and system CPU time of the daemon.")
        cpu.add(cpuSeconds)
        return [
            cpu,
            .gauge(
                "locationd_process_start_time_seconds",
                Double(startTime.seconds) + Double(startTime.nanoseconds) / 1e9,
                help: "When the daemon started, in Unix time."),
            .gauge(
                "locationd_process_resident_memory_bytes", residentBytes.map(Double.init),
                help: "Memory of the daemon that is resident."),
            .gauge(
                "locationd_process_open_fds", openDescriptors.map(Double.init), help: "Descriptors the daemon has open."
            ),
            .gauge("locationd_process_max_fds", descriptorLimit, help: "Descriptors the daemon may have open."),
        ]
    }

    private var cpuSeconds: Double? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }

    private var openDescriptors: Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Less ".", ".." and the directory's own.
        return count - 3
    }

    private var descriptorLimit: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }
}
