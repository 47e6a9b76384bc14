import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl statistics`: shows the daemon's counters.
struct StatisticsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statistics", abstract: "Shows the daemon's counters since its start.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "Write in another format: the text format of Prometheus.")
    var format: Format?

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case prometheus
    }

    func validate() throws {
        try refuse([("--json", options.json)], with: "--format", if: format != nil)
    }

    func run() throws {
        if format == .prometheus {
            return Output.writeText(
                try options.administer(AdminInterface.Method.getMetrics, as: MetricsReply.self).text)
        }
        let reply = try options.administer(AdminInterface.Method.getStatistics, as: StatisticsReply.self)
        if options.json { return try Output.writeJSON(reply.statistics) }
        for line in StatisticsText.lines(reply.statistics) { Output.write(line) }
    }
}
